use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "READINGS_OF_ALL_METERS_OF_THE_CITY_{at:%Y-%m-%d}.BY_DAY", family = "METER")]
struct Reading {
    #[bigtable(key, width = 10)]
    meter: u64,
    #[bigtable(time)]
    at: Timestamp,
    value: f64,
}

fn main() {}
