use bigtable_model::{Model, Timestamp};

struct Price;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", serialize(json))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    bid: Price,
}

fn main() {
    let _ = Quote::query();
}
