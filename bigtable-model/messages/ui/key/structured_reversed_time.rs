use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", encoding = "structured")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, reverse)]
    at: Timestamp,
    bid: f64,
}

fn main() {}
