use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "POWER", family = "M", layout = "cells", pack(before = "1h"))]
struct Power {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    watts: f64,
}

fn main() {
    let _ = Power::query();
}
