use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "STATE", family = "S", layout = "latest", gc(max_versions = 1))]
struct State {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(alias = "LOAD")]
    load: f64,
}

fn main() {}
