use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "market data")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    bid: f64,
}

fn main() {}
