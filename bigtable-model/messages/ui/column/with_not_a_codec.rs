use bigtable_model::Model;

struct Cents;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(with = Cents)]
    bid: f64,
}

fn main() {}
