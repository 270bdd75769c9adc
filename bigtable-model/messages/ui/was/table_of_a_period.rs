use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE_{at:%Y%m%d}", family = "MD")]
struct QuoteV1 {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    bid: f64,
}

#[derive(Model)]
#[bigtable(table = "QUOTE_20260101", family = "MD", layout = "cells", was(QuoteV1))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    bid: f64,
}

impl From<QuoteV1> for Quote {
    fn from(old: QuoteV1) -> Self {
        Self {
            symbol: old.symbol,
            at: old.at,
            bid: old.bid,
        }
    }
}

fn main() {
    let _ = Quote::query();
}
