use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", serialize(json))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let key = QuoteKey { symbol: "ZXZZT".into(), at: Timestamp::UNIX_EPOCH };
    let _ = Quote::update(&key).bid(1.0);
}
