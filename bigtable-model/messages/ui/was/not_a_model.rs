use bigtable_model::{Model, Timestamp};

struct QuoteV1;

#[derive(Model)]
#[bigtable(table = "QUOTE_V2", family = "MD", was(QuoteV1))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    bid: f64,
}

impl From<QuoteV1> for Quote {
    fn from(_: QuoteV1) -> Self {
        unimplemented!()
    }
}

fn main() {
    let _ = Quote::query();
}
