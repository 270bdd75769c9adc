use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", cell_time = "event")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    bid: f64,
}

fn main() {}
