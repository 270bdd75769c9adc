use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(aggregate = "sum")]
    total: i64,
    #[bigtable(columns)]
    rest: std::collections::BTreeMap<String, i64>,
}

fn main() {}
