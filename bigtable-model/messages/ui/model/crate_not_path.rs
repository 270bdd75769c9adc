use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", crate = "bigtable_model")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    bid: f64,
}

fn main() {}
