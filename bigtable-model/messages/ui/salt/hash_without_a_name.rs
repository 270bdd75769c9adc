use bigtable_model::{Model, Timestamp};
use bigtable_model::key::SaltFunction;

struct Sum;

impl SaltFunction for Sum {
    const NAME: &'static str = "the sum";

    fn hash(bytes: &[u8]) -> u64 {
        bytes.iter().map(|byte| u64::from(*byte)).sum()
    }
}

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", salt(shards = 64, of(symbol), hash = Sum))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
}

fn main() {}
