use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    #[bigtable(column = "a name that says everything there is to say about one measured value")]
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
