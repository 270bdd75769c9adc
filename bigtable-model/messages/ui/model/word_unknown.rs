use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", famly = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(family = "MD")]
    bid: f64,
}

fn main() {}
