use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P", layout = "qualifiers")]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    #[bigtable(version)]
    edition: u32,
}

fn main() {}
