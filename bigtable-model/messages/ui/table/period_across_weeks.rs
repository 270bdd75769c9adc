use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "SENSOR_{at:%Y%m}", family = "METER", layout = "cells")]
struct Reading {
    #[bigtable(key, width = 10)]
    meter: u64,
    #[bigtable(time, bucket = "week")]
    at: Timestamp,
    value: f64,
}

fn main() {}
