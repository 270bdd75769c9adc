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
#[bigtable(table = "CURRENT", family = "M", layout = "latest")]
struct Current {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

fn main() {
    let _ = Metric::query();
}
