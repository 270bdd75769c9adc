use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", marker = "bid")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    bid: Option<f64>,
}

fn main() {}
