use bigtable_model::{KeySegment, Model};

#[derive(Clone, KeySegment)]
enum Venue {
    Nyse,
    Nasdaq,
}

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key, width = 4)]
    venue: Venue,
    bid: f64,
}

fn main() {}
