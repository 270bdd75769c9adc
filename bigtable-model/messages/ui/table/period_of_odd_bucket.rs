use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "SENSOR_{at:%Y%m%d}", family = "METER", layout = "cells")]
struct Reading {
    #[bigtable(key, width = 10)]
    meter: u64,
    #[bigtable(time, bucket = "5h")]
    at: Timestamp,
    value: f64,
}

fn main() {}
