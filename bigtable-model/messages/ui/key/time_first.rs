use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "BATTERY", family = "METRIC", prefix = "BATTERY")]
struct Battery {
    #[bigtable(time, format = "%Y%m%d%H%M%S%3f")]
    at: Timestamp,
    user: String,
}

fn main() {}
