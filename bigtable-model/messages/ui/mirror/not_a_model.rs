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

struct Current;

impl From<&Metric> for Current {
    fn from(_: &Metric) -> Self {
        Self
    }
}

fn main() {
    let _ = Metric::query();
}
