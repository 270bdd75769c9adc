use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE_{at:%Y%m%d%H}", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, format = "%Y%m%d%H%M", zone = "+05:30")]
    at: Timestamp,
    bid: f64,
}

fn main() {}
