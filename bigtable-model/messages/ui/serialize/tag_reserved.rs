use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", serialize(proto))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(tag = 19_500)]
    bid: f64,
}

fn main() {}
