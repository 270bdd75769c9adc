use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METRIC", family = "M", mirror(Current))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

#[derive(Model)]
#[bigtable(table = "CURRENT", family = "M", mirror(Day))]
struct Current {
    #[bigtable(key)]
    host: String,
    load: f64,
}

#[derive(Model)]
#[bigtable(table = "DAY", family = "M")]
struct Day {
    #[bigtable(key)]
    host: String,
    load: f64,
}

impl From<&Metric> for Current {
    fn from(metric: &Metric) -> Self {
        Self {
            host: metric.host.clone(),
            load: metric.load,
        }
    }
}

impl From<&Current> for Day {
    fn from(current: &Current) -> Self {
        Self {
            host: current.host.clone(),
            load: current.load,
        }
    }
}

fn main() {
    let _ = Metric::query();
}
