use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "SENSOR_{at:%Y}", family = "METER", layout = "cells", allow(endless_rows))]
struct Reading {
    #[bigtable(key, width = 10)]
    meter: u64,
    #[bigtable(time, bucket = "none")]
    at: Timestamp,
    value: f64,
}

fn main() {}
