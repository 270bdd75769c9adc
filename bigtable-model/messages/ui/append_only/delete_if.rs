use bigtable_model::condition::Condition;
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
    let key = MetricKey {
        host: "a".into(),
        at: Timestamp::from_seconds(1),
    };
    let _ = db.delete_if::<Metric>(&key, Condition::exists());
}
