use std::collections::BTreeMap;

use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "ACCOUNT", family = "A")]
struct Account {
    #[bigtable(key)]
    user: String,
    name: String,
    #[bigtable(columns, family = "S", sensitive)]
    secrets: BTreeMap<String, String>,
}

fn main() {
    let _ = Account::query();
}
