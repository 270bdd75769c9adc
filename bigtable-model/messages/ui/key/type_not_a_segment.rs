use bigtable_model::Model;

#[derive(Clone)]
struct Venue {
    name: String,
}

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    venue: Venue,
    bid: f64,
}

fn main() {}
