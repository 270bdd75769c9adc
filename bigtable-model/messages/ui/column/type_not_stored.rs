use bigtable_model::Model;

struct Price {
    cents: u64,
}

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    bid: Price,
}

fn main() {}
