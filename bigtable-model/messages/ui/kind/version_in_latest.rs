use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P", layout = "latest")]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(version)]
    edition: u32,
}

fn main() {}
