use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METRIC", family = "M", layout = "latest", rollup(Hour))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

fn main() {}
