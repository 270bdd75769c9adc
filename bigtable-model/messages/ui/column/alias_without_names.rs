use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "SENSOR", family = "M", layout = "columns")]
struct Reading {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    #[bigtable(alias = "LOAD")]
    load: f64,
}

fn main() {}
