use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells", expect(every = "1ms", size = 10000), gc(max_age = "90d"))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "minute")]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
