use std::collections::BTreeMap;

use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "HOST", family = "H", marker = "HOST")]
struct Host {
    #[bigtable(key)]
    host: String,
    #[bigtable(columns, family = "C", text)]
    cores: BTreeMap<String, f64>,
}

fn main() {
    let _ = Host::FIELDS.cores.entry("a").gt(1.0);
}
