use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(width = 6)]
    bid: f64,
}

fn main() {}
