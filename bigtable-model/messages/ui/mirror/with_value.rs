use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METRIC", family = "M", mirror(Current = "host"))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

#[derive(Model)]
#[bigtable(table = "CURRENT", family = "M", layout = "latest")]
struct Current {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

impl From<&Metric> for Current {
    fn from(metric: &Metric) -> Self {
        Self {
            host: metric.host.clone(),
            at: metric.at,
            load: metric.load,
        }
    }
}

fn main() {
    let _ = Metric::query();
}
