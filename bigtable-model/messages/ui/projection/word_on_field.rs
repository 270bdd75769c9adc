use bigtable_model::{Model, Projection, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key, width = 6)]
    exchange: String,
    #[bigtable(key, width = 5)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
}

#[derive(Projection)]
#[bigtable(model = Quote)]
struct Bids {
    #[bigtable(family = "MD")]
    bid: f64,
}

fn main() {}
