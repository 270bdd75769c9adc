use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells", allow(endless_rows))]
struct Quote {
    #[bigtable(time, bucket = "none")]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
