use bigtable_model::rollup::Rollup;
use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METRIC_{at:%Y%m%d}", family = "M", rollup(Hour))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

#[derive(Model, Rollup)]
#[bigtable(table = "METRIC_20240101", family = "M")]
#[rollup(of = Metric, every = "1h")]
struct Hour {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[rollup(max)]
    load: f64,
}

fn main() {}
