use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", encoding = "structured")]
struct Quote {
    #[bigtable(key)]
    #[allow(non_snake_case)]
    MD: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
}

fn main() {}
