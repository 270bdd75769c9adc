use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells", allow(endless_rows), salt(shards = 64, of(at)))]
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
