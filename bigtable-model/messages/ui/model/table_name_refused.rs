use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE/2015", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    bid: f64,
}

fn main() {}
