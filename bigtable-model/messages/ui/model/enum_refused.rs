use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
enum Quote {
    Bid,
    Ask,
}

fn main() {}
