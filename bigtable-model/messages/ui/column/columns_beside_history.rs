use std::collections::BTreeMap;

use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "METRIC", family = "METRIC", cell_time = "write")]
struct Metric {
    #[bigtable(key)]
    host: String,
    load: f64,
    #[bigtable(columns)]
    rest: BTreeMap<String, f64>,
}

fn main() {}
