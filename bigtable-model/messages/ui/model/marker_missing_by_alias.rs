use bigtable_model::Model;

type Bid = Option<f64>;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    bid: Bid,
}

fn main() {}
