use std::collections::BTreeMap;

use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "HOST", family = "H", marker = "HOST")]
struct Host {
    #[bigtable(key)]
    host: String,
    #[bigtable(columns, family = "C")]
    cores: BTreeMap<String, u32>,
}

fn main() {
    let _ = Host::FIELDS.cores.is_present();
}
