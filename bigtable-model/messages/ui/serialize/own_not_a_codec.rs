use bigtable_model::{Model, Timestamp};

struct Packed;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", serialize(Packed))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
