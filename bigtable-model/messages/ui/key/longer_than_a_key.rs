use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key, width = 4000)]
    exchange: String,
    #[bigtable(key, width = 200)]
    symbol: String,
    bid: f64,
}

fn main() {}
