use bigtable_model::rollup::Rollup;
use bigtable_model::{KeySegment, Model, Timestamp};

#[derive(Clone, KeySegment)]
struct Beginning(Timestamp);

#[derive(Model)]
#[bigtable(table = "METRIC", family = "M", rollup(Hour))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
    name: Option<String>,
}

#[derive(Model, Rollup)]
#[bigtable(table = "HOUR", family = "M")]
#[rollup(of = Metric, every = "1h")]
struct Hour {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    start: Beginning,
    #[rollup(max(load))]
    highest: f64,
}

fn main() {}
