use bigtable_model::rollup::Rollup;
use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METRIC", family = "M", rollup(Day))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

#[derive(Model, Rollup)]
#[bigtable(table = "DAY", family = "M")]
#[rollup(of = Metric, every = "day", zone = "Europe/Berlin")]
struct Day {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, format = "%Y%m%d")]
    start: Timestamp,
    #[rollup(max)]
    load: f64,
}

fn main() {}
