use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct QuoteV1 {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    bid: f64,
}

#[derive(Model)]
#[bigtable(table = "QUOTE_V2", family = "MD", was(QuoteV1), cell_time = "write", gc(max_age = "30d"))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
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
