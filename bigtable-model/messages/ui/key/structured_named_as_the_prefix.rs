use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", encoding = "structured", prefix = "P")]
struct Quote {
    #[bigtable(key)]
    prefix: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
}

fn main() {}
