use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, format = "%Y%m%d%H%M", zone = "Asia/Kathmandu")]
    at: Timestamp,
    bid: f64,
}

fn main() {}
