use bigtable_model::rollup::Rollup;
use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METRIC", family = "M", rollup(Hour))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: i64,
    bytes: u64,
}

#[derive(Model, Rollup)]
#[bigtable(table = "HOUR", family = "M")]
#[rollup(of = Metric, every = "1h", added)]
struct Hour {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[bigtable(aggregate = "sum")]
    #[rollup(count)]
    metrics: i64,
}

fn main() {}
