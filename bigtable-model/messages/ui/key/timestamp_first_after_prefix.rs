use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "VISIT", family = "V", prefix = "VISIT")]
struct Visit {
    #[bigtable(key, reverse)]
    first_seen: Timestamp,
    #[bigtable(time)]
    at: Timestamp,
    pages: u32,
}

fn main() {}
