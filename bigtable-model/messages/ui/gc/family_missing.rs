use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", gc(max_versions = 1))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(family = "MD")]
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
