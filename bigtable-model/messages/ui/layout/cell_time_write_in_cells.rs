use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells", cell_time = "write")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
