use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", table = "TRADE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    bid: f64,
}

fn main() {}
