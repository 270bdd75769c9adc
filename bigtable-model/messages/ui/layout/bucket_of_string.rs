use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day")]
    at: String,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
