use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells", prefix = "MD")]
struct Quote {
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    #[bigtable(key)]
    symbol: String,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
