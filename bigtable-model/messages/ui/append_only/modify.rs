use bigtable_model::{Model, Timestamp};

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
    let key = MetricKey {
        host: "a".into(),
        at: Timestamp::from_seconds(1),
    };
    let _ = Metric::modify(&key);
}
