use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METER", family = "M", layout = "cells")]
struct Reading {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, bucket = "hour")]
    at: std::time::Instant,
    value: f64,
}

fn main() {
    let _: Option<Timestamp> = None;
}
