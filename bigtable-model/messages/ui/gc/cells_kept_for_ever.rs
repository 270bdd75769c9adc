use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells", expect(every = "1m", size = 100))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    bid: f64,
}

fn main() {}
