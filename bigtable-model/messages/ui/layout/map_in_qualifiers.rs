use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "qualifiers")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    bid: f64,
    #[bigtable(columns, family = "REST")]
    rest: std::collections::BTreeMap<String, f64>,
}

fn main() {
    let _ = Quote::query();
}
