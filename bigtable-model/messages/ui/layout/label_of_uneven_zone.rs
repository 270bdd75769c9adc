use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day", zone = "Asia/Kolkata", label = "{start:1h}")]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
