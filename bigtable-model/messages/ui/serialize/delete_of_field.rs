use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", serialize(json))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
}

async fn bid(db: &MemoryBackend, key: &QuoteKey) {
    let _ = db.delete_cell(key, Quote::FIELDS.bid).await;
}

fn main() {}
