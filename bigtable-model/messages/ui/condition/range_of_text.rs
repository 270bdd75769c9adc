use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    bid: f64,
    #[bigtable(text)]
    size: u32,
}

fn main() {
    let _ = Quote::FIELDS.size.within(1..2);
}
