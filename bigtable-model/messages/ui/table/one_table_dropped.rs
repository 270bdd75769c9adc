use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "SENSOR", family = "METER")]
struct Reading {
    #[bigtable(key, width = 10)]
    meter: u64,
    #[bigtable(time)]
    at: Timestamp,
    value: f64,
}

fn main() {
    let db = MemoryBackend::new();
    let _ = db.drop_tables_before::<Reading>(Timestamp::now());
}
