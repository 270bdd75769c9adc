use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "LEVEL", family = "MD")]
struct Level {
    #[bigtable(key)]
    price: f64,
    size: u32,
}

fn main() {}
