use std::collections::BTreeMap;

use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "HOST", family = "H", layout = "columns")]
struct Host {
    #[bigtable(key, column = "host:093000")]
    host: String,
    #[bigtable(time, bucket = "day", unit = "s", offset = "%H%M%S")]
    at: Timestamp,
    #[bigtable(columns, family = "H")]
    cpu: BTreeMap<String, f64>,
    load: f64,
}

fn main() {
    let _ = Host::query();
}
