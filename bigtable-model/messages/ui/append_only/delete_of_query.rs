use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METRIC", family = "M", append_only)]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

fn main() {
    let db = MemoryBackend::new();
    let _ = db.delete_all(&Metric::query().host("a"));
}
