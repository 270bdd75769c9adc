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
#[bigtable(table = "QUOTE_V2", family = "MD", was(QuoteV1), mirror(Current))]
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

#[derive(Model)]
#[bigtable(table = "CURRENT", family = "MD", layout = "latest")]
struct Current {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    bid: f64,
}

impl From<&Quote> for Current {
    fn from(old: &Quote) -> Self {
        Self {
            symbol: old.symbol.clone(),
            at: old.at,
            bid: old.bid,
        }
    }
}

fn main() {
    let _ = Quote::query();
}
