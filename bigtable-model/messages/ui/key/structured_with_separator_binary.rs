use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", encoding = "structured", separator = "#")]
struct Quote {
    #[bigtable(key, binary)]
    id: u32,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
}

fn main() {}
