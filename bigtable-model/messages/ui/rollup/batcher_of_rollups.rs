use bigtable_model::backend::batcher::BatcherSettings;
use bigtable_model::rollup::Rollup;
use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METRIC", family = "M", rollup(Hour))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

#[derive(Model, Rollup)]
#[bigtable(table = "HOUR", family = "M")]
#[rollup(of = Metric, every = "1h")]
struct Hour {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[rollup(max)]
    load: f64,
}

fn main() {
    let _ = MemoryBackend::new().batcher::<Metric>(BatcherSettings::default());
}
