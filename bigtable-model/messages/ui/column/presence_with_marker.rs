use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", marker = "EVENT")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(presence)]
    bid: f64,
}

fn main() {}
