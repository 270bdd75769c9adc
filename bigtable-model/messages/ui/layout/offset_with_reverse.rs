use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "columns")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day", offset = "%H%M", reverse)]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
