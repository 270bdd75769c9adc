use bigtable_model::{Model, Timestamp};

use bigtable_model::value::{CellCodec, ValueError};

struct Packed;

impl CellCodec<Quote> for Packed {
    const NAME: &'static str = "packed";

    fn encode(_: &Quote, _: &mut Vec<u8>) -> Result<(), ValueError> {
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Quote, ValueError> {
        Err(ValueError::malformed("a quote", bytes))
    }
}

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", serialize(Packed))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(column = "BID")]
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
