use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "POWER_V2", family = "M", was(Before))]
struct Power {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    watts: f64,
}

#[derive(Model)]
#[bigtable(table = "POWER", family = "M", layout = "cells", pack(after = "1h"))]
struct Before {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    watts: f64,
}

impl From<Before> for Power {
    fn from(Before { meter, at, watts }: Before) -> Self {
        Self { meter, at, watts }
    }
}

fn main() {
    let _ = Power::query();
}
