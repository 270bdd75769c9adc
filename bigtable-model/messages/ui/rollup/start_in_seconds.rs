use bigtable_model::rollup::Rollup;
use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METRIC", family = "M", rollup(Half))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

#[derive(Model, Rollup)]
#[bigtable(table = "HALF", family = "M")]
#[rollup(of = Metric, every = "500ms")]
struct Half {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s", truncate)]
    start: Timestamp,
    #[rollup(max)]
    load: f64,
}

fn main() {}
