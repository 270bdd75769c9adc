use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "columns")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    #[bigtable(column = "BID")]
    bid: f64,
    #[bigtable(column = "BID:SIZE")]
    size: f64,
}

fn main() {
    let _ = Quote::query();
}
