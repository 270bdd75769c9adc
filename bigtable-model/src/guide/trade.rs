// Included by the examples of series: the model that the first of them shows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TRADE", family = "T")]
struct Trade {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    price: f64,
    shares: u32,
}

async fn filled() -> Result<MemoryBackend, bigtable_model::Error> {
    let db = MemoryBackend::new();
    db.ensure_tables::<Trade>().await?;
    db.insert_many(&trades()).await.into_result()?;
    Ok(db)
}
