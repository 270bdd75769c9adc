use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "SENSOR_{at:%Y%m%d%H}", family = "METER", layout = "cells")]
struct Reading {
    #[bigtable(key, width = 10)]
    meter: u64,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    value: f64,
}

fn main() {}
