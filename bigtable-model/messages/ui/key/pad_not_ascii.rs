use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key, width = 6, pad = '\u{a0}')]
    symbol: String,
    bid: f64,
}

fn main() {}
