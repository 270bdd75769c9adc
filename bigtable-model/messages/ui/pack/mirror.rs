use bigtable_model::{Model, Timestamp};

#[derive(Clone, Model)]
#[bigtable(table = "POWER", family = "M", mirror(ByHour))]
struct Power {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    watts: f64,
}

#[derive(Clone, Model)]
#[bigtable(table = "POWER_BY_HOUR", family = "M", layout = "cells", pack(after = "1h"))]
struct ByHour {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s", bucket = "hour")]
    at: Timestamp,
    watts: f64,
}

impl From<&Power> for ByHour {
    fn from(Power { meter, at, watts }: &Power) -> Self {
        Self { meter: meter.clone(), at: *at, watts: *watts }
    }
}

fn main() {
    let _ = Power::query();
}
