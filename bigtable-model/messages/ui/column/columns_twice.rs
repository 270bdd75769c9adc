use std::collections::BTreeMap;

use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "METRIC", family = "METRIC", marker = "EVENT")]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(columns)]
    rest: BTreeMap<String, f64>,
    #[bigtable(columns)]
    more: BTreeMap<String, f64>,
}

fn main() {}
