use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "SENSOR_{at:%Y/%m/%d}", family = "METER")]
struct Reading {
    #[bigtable(key, width = 10)]
    meter: u64,
    #[bigtable(time)]
    at: Timestamp,
    value: f64,
}

fn main() {}
