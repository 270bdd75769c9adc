use std::collections::BTreeMap;

use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METER", family = "M", layout = "cells", pack(after = "1h"))]
struct Meter {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    volts: f64,
    #[bigtable(columns, family = "REST")]
    rest: BTreeMap<String, f64>,
}

fn main() {}
