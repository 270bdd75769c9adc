use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote<'a> {
    #[bigtable(key)]
    symbol: &'a str,
    bid: f64,
}

fn main() {}
