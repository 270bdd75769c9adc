use bigtable_model::Model;
use chrono::{DateTime, Utc};

#[derive(Model)]
#[bigtable(table = "VISIT", family = "V")]
struct Visit {
    #[bigtable(key, format = "%Y%m%d", truncate)]
    day: DateTime<Utc>,
    #[bigtable(key)]
    host: String,
    pages: u32,
}

fn main() {}
