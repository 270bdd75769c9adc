use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells", expect(every = "1h", size = 12000000), gc(max_age = "90d"))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
