use bigtable_model::{Model, Timestamp};

struct Fnv1a;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", salt(shards = 64, of(symbol), hash = Fnv1a))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
}

fn main() {}
