use bigtable_model::Model;

struct Price {
    cents: u64,
}

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    size: u32,
    #[bigtable(text)]
    bid: Option<Price>,
}

fn main() {}
