use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells", salt(shards = 1, of(bid)), expect(every = "5 s", size = 100))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day", zone = "Berlin", label = "%Y")]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
