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
    let _ = Quote::FIELDS.bid.equals(600.55);
}
