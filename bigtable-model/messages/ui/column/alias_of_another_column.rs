use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    bid: f64,
    #[bigtable(alias = "bid")]
    ask: f64,
}

fn main() {}
