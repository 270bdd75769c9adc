use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", serialize(proto))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    sizes: Option<Vec<u32>>,
}

fn main() {}
