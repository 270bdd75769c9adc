use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE_V2", family = "MD", was())]
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
