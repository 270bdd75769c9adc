use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells")]
struct Quote {
    #[bigtable(key, column = "SYMBOL")]
    symbol: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    bid: Option<f64>,
}

fn main() {
    let _ = Quote::query();
}
