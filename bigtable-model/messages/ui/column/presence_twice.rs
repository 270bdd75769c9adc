use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(presence)]
    bid: f64,
    #[bigtable(presence)]
    ask: f64,
}

fn main() {}
