use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "15m", label = "%Y%m%d%H")]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
