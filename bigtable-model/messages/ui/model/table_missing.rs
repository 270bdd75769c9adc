use bigtable_model::Model;

#[derive(Model)]
#[bigtable(family = "MD")]
struct ClosingPrice {
    #[bigtable(key)]
    symbol: String,
    price: f64,
}

fn main() {}
