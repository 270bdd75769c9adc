use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "CURRENT", family = "MD", layout = "latest")]
struct Current {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Current::query();
}
