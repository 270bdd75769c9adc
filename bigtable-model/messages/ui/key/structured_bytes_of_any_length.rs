use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", encoding = "structured")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(key)]
    tail: Vec<u8>,
    bid: f64,
}

fn main() {}
