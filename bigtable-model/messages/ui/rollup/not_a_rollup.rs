use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METRIC", family = "M", rollup(Hour))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

#[derive(Model)]
#[bigtable(table = "HOUR", family = "M")]
struct Hour {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    highest: f64,
}

fn main() {}
