use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(salt(shards = 64, of(symbol)))]
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
