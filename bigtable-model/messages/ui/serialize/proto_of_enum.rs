use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", serialize(proto))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    side: Side,
}

enum Side {
    Bid,
    Ask,
}

fn main() {}
