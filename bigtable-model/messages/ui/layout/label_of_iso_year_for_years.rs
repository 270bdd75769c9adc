use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells", allow(wide_rows))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "year", label = "%G")]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
