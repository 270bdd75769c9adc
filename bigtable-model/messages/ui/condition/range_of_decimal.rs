use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    bid: rust_decimal::Decimal,
    #[bigtable(text)]
    size: u32,
}

fn main() {
    let _ = Quote::FIELDS.bid.within(rust_decimal::Decimal::ONE..);
}
