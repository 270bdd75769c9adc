use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells", separator = ":")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day", label = "%Y-%-j")]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
