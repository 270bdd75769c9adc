use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells", gc(max_versions = 1000000), allow(endless_rows), expect(every = "1m", size = 100))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "none")]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
