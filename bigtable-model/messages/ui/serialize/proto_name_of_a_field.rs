use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", serialize(proto))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(column = "bid-size")]
    bid_size: u32,
}

fn main() {}
