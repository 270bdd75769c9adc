use bigtable_model::model::WholeEvent;
use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
}

async fn events(db: &MemoryBackend, key: &QuoteKey) {
    let _ = db.history(key, WholeEvent::<Quote>::new()).await;
}

fn main() {}
