use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", separator = "|", enclosed)]
struct Quote {
    #[bigtable(key)]
    symbol: u32,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(key)]
    tail: Vec<u8>,
    bid: f64,
}

fn main() {}
