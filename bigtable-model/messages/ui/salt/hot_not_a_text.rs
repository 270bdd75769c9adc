use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", salt(shards = 64, of(number, at), hot(number("7" = 16))))]
struct Quote {
    #[bigtable(key)]
    number: u32,
    #[bigtable(time)]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
