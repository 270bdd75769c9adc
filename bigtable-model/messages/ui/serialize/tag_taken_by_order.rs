use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", serialize(proto))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(tag = 2)]
    bid: f64,
    #[bigtable(tag = 1)]
    ask: f64,
    size: u32,
}

fn main() {}
