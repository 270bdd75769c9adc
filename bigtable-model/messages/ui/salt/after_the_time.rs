use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(key, salt(shards = 64, of(symbol)))]
    symbol: String,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
