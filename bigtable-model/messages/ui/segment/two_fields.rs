use bigtable_model::{KeySegment, Model};

#[derive(Clone, KeySegment)]
struct Venue(String, String);

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    venue: Venue,
    bid: f64,
}

fn main() {}
