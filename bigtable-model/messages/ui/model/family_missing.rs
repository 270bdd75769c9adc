use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    bid: f64,
    ask: f64,
}

fn main() {}
