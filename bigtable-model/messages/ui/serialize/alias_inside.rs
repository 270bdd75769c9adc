use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", serialize(json))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(alias = "BID")]
    bid: f64,
}

fn main() {}
