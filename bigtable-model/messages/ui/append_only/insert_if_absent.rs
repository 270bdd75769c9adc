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
    let event = Metric {
        host: "a".into(),
        at: Timestamp::from_seconds(1),
        load: 0.5,
    };
    let _ = db.insert_if_absent(&event);
}
