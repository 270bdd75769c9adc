use std::collections::BTreeMap;

use bigtable_model::{Model, Projection};

#[derive(Model)]
#[bigtable(table = "METRIC", family = "M")]
struct Metric {
    #[bigtable(key)]
    host: String,
    up: bool,
    #[bigtable(columns, family = "V")]
    values: BTreeMap<String, f64>,
}

#[derive(Projection)]
#[bigtable(model = Metric)]
struct Cpu {
    #[bigtable(of = values)]
    cpu: f64,
}

fn main() {}
