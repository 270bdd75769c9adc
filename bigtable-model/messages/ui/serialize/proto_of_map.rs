use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", serialize(proto))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    sizes: std::collections::BTreeMap<String, u32>,
}

fn main() {}
