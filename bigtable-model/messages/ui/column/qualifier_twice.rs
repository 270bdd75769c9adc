use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(column = "BID")]
    bid: f64,
    #[bigtable(column = "BID")]
    bid_size: u32,
}

fn main() {}
