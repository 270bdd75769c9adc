use bigtable_model::{KeySegment, Model};

#[derive(Clone, KeySegment)]
enum Venue {
    #[bigtable(name = "nasdaq")]
    Nasdaq,
    #[bigtable(name = "NYSE")]
    Nyse,
}

#[derive(Clone, KeySegment)]
struct Market(Venue);

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", separator = "_")]
struct Quote {
    #[bigtable(key)]
    market: Market,
    bid: f64,
}

fn main() {}
