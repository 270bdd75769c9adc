use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P", layout = "latest")]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(counter)]
    views: i64,
}

fn main() {}
