use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "LEVEL", family = "MD")]
struct Level {
    #[bigtable(key, binary)]
    symbol: String,
    #[bigtable(key)]
    price: f64,
    size: Option<u32>,
}

fn main() {}
