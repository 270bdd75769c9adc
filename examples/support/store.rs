//! The backend of an example, writes with a progress bar, and table sizes.

use std::error::Error;
use std::sync::Arc;

use bigtable_model::backend::grpc::auth;
use bigtable_model::data::ReadRows;
use bigtable_model::{Backend, BackendExt, ConnectError, Model};
use clap::Args;
use futures::TryStreamExt as _;

use crate::print;

/// The number of events written at once; the progress bar moves as often.
const CHUNK: usize = 1_000;

/// The backend of an example.
#[derive(Debug, Clone, Args)]
pub struct Store {
    /// `memory:` or `bigtable://project/instance`; BIGTABLE_EMULATOR_HOST sends the latter to the
    /// emulator.
    #[arg(long, default_value = "memory:")]
    pub backend: String,
    /// The seed of the data: the same seed gives the same data.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Opens a backend by name. Bigtable's credentials need a crypto provider for the whole process,
/// which the program must choose.
///
/// # Errors
/// Errors of [`connect`](bigtable_model::connect).
pub async fn open(target: &str) -> Result<Arc<dyn Backend>, ConnectError> {
    auth::install_crypto_provider();
    bigtable_model::connect(target).await
}

/// Writes all events, and their copies if the model has mirrors; stops at the first failure.
///
/// # Errors
/// The error of that event.
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

/// The size of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stored {
    /// The number of rows.
    pub rows: u64,
    /// The number of cells.
    pub cells: u64,
    /// The bytes of keys, once for each row, and of family, qualifier, value and 8 bytes of
    /// timestamp, once for each cell.
    pub bytes: u64,
}

/// Measures a table by reading all of it.
///
/// # Errors
/// The error of the read.
pub async fn stored(db: &dyn Backend, table: &str) -> Result<Stored, Box<dyn Error>> {
    let mut rows = db
        .read_rows(ReadRows {
            table: table.to_owned(),
            ..ReadRows::default()
        })
        .rows();
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
