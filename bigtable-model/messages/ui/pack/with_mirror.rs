use bigtable_model::{Model, Timestamp};

#[derive(Clone, Model)]
#[bigtable(table = "POWER", family = "M", layout = "cells", mirror(Current), pack(after = "1h"))]
struct Power {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    watts: f64,
}

#[derive(Clone, Model)]
#[bigtable(table = "CURRENT", family = "M")]
struct Current {
    #[bigtable(key)]
    meter: String,
    watts: f64,
}

impl From<&Power> for Current {
    fn from(Power { meter, watts, .. }: &Power) -> Self {
        Self { meter: meter.clone(), watts: *watts }
    }
}

fn main() {
    let _ = Power::query();
}
