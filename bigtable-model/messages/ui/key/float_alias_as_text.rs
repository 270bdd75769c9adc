use bigtable_model::Model;

type Price = f64;

#[derive(Model)]
#[bigtable(table = "LEVEL", family = "MD")]
struct Level {
    #[bigtable(key)]
    price: Price,
    size: u32,
}

fn main() {}
