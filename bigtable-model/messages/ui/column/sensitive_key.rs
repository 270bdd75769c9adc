use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "VISIT", family = "V")]
struct Visit {
    #[bigtable(key, sensitive)]
    email: String,
    #[bigtable(time)]
    at: Timestamp,
    page: String,
}

fn main() {
    let _ = Visit::query();
}
