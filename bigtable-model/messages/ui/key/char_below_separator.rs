use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", separator = "~")]
struct Quote {
    #[bigtable(key)]
    side: char,
    bid: f64,
}

fn main() {}
