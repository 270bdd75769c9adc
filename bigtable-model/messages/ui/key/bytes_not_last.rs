use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    digest: Vec<u8>,
    #[bigtable(key)]
    symbol: String,
    bid: f64,
}

fn main() {}
