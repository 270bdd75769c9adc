use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "VISIT", family = "V")]
struct Visit {
    #[bigtable(key)]
    first_seen: Timestamp,
    #[bigtable(key)]
    host: String,
    pages: u32,
}

fn main() {}
