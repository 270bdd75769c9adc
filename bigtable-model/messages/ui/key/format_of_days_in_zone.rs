use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, format = "%Y%m%d", zone = "America/Los_Angeles")]
    at: Timestamp,
    bid: f64,
}

fn main() {}
