use bigtable_model::{KeySegment, Model, Timestamp};

#[derive(Clone, KeySegment)]
struct FirstSeen(Timestamp);

#[derive(Clone, KeySegment)]
struct Arrival(FirstSeen);

#[derive(Model)]
#[bigtable(table = "VISIT", family = "V")]
struct Visit {
    #[bigtable(key)]
    first_seen: Arrival,
    #[bigtable(key)]
    host: String,
    pages: u32,
}

fn main() {}
