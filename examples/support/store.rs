//! The backend of an example, writing with a progress bar, and what a table holds.

use std::error::Error;
use std::sync::Arc;

use bigtable_model::backend::grpc::auth;
use bigtable_model::data::ReadRows;
use bigtable_model::{Backend, BackendExt, ConnectError, Model};
use clap::Args;
use futures::TryStreamExt as _;

use crate::print;

/// How many events are handed over at once; the progress bar moves as often.
const CHUNK: usize = 1_000;

/// Where an example keeps its tables.
#[derive(Debug, Clone, Args)]
pub struct Store {
    /// `memory:` or `bigtable://project/instance`; BIGTABLE_EMULATOR_HOST sends the latter to the
    /// emulator.
    #[arg(long, default_value = "memory:")]
    pub backend: String,
    /// The seed of the data: one seed makes the same data again.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Opens a backend by name. Bigtable's own credentials need a crypto provider for the whole
/// process, which is the program's to choose.
///
/// # Errors
/// Those of [`connect`](bigtable_model::connect).
pub async fn open(target: &str) -> Result<Arc<dyn Backend>, ConnectError> {
    auth::install_crypto_provider();
    bigtable_model::connect(target).await
}

/// Writes all events, and their copies where the model has mirrors; the first that fails ends it.
///
/// # Errors
/// That of the event.
pub async fn insert<M: Model>(
    db: &dyn Backend,
    events: &[M],
    what: &'static str,
) -> Result<(), Box<dyn Error>> {
    db.ensure_tables::<M>().await?;
    let bar = print::progress(events.len(), what);
    for chunk in events.chunks(CHUNK) {
        db.insert_many(chunk).await.into_result()?;
        bar.inc(u64::try_from(chunk.len())?);
    }
    bar.finish_and_clear();
    Ok(())
}

/// What a table holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stored {
    /// Its rows.
    pub rows: u64,
    /// Their cells.
    pub cells: u64,
    /// Keys once a row; family, qualifier, 8 bytes of timestamp and value once a cell.
    pub bytes: u64,
}

/// Counts what a table holds by reading all of it.
///
/// # Errors
/// That of the read.
pub async fn stored(db: &dyn Backend, table: &str) -> Result<Stored, Box<dyn Error>> {
    let mut rows = db.read_rows(ReadRows {
        table: table.to_owned(),
        ..ReadRows::default()
    });
    let mut stored = Stored::default();
    while let Some(row) = rows.try_next().await? {
        let cells = row
            .cells
            .iter()
            .map(|cell| cell.family.len() + cell.qualifier.len() + 8 + cell.value.len());
        stored.rows += 1;
        stored.cells += u64::try_from(row.cells.len())?;
        stored.bytes += u64::try_from(row.key.len() + cells.sum::<usize>())?;
    }
    Ok(stored)
}
