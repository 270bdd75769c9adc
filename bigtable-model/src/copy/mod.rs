//! Copies the events of a query into another table, like a nightly batch job: a day of `SENSOR`
//! into `SENSOR_20170726`.
//!
//! A [`CopyJob`] reads in parallel parts, writes in bulk, resumes after it is killed, and at the
//! end reads the target back and compares.
//!
//! ```
//! use bigtable_model::copy::{CopyJob, FileCheckpoint};
//! # use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//!
//! #[derive(Debug, Clone, Model)]
//! #[bigtable(table = "SENSOR", family = "METER", layout = "columns")]
//! struct Reading {
//!     #[bigtable(key, width = 10)]
//!     meter: u64,
//!     #[bigtable(time, bucket = "day", offset = "%H%M")]
//!     at: Timestamp,
//!     #[bigtable(text)]
//!     kilowatt_hours: f64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let db = MemoryBackend::new();
//! # db.ensure_tables::<Reading>().await?;
//! # let at = "2017-07-26T00:15:00Z".parse()?;
//! # db.insert(&Reading { meter: 987_654, at, kilowatt_hours: 13.45 }).await?;
//! # let file = std::env::temp_dir().join(format!("doc-{}.checkpoint", std::process::id()));
//! let (start, end): (Timestamp, Timestamp) =
//!     ("2017-07-26T00:00:00Z".parse()?, "2017-07-27T00:00:00Z".parse()?);
//! let report = CopyJob::new(&Reading::scan().at(start..end), |reading: Reading| reading)
//!     .into_table("SENSOR_20170726")
//!     .checkpoint(FileCheckpoint::new(&file))
//!     .on_progress(|progress| println!("{:.0} %", progress.share * 100.0))
//!     .run(&db)
//!     .await?;
//! assert_eq!((report.events, report.verified), (1, true));
//! # std::fs::remove_file(file)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Tables by period
//!
//! For a model with tables by period, such as `SENSOR_{at:%Y%m%d}`, every event is written to the
//! table of its period, which is created before its first event.
//! [`into_table`](CopyJob::into_table) writes all events to one table instead. The source may have
//! tables by period too: if the query's range of time is open at an end, they are the tables that
//! exist when the job begins. A missing table has no events.
//!
//! # Parts
//!
//! The query's rows are cut at the source's keys of `SampleRowKeys`, where Bigtable's tablets
//! begin. Each part is a task that reads in order of the key. It holds one batch of the source's
//! rows and one bulk write; the next rows are read when that is answered.
//!
//! # Checkpoints
//!
//! For each part, a checkpoint has the row of the source up to which everything is written, with
//! count and checksum. It is saved only after the writes of these rows were acknowledged. A row
//! counts as a whole, however many events it holds.
//!
//! So a job may be killed, dropped, or ended by an error of the backend at any point: run again, it
//! repeats what was not yet recorded, at most one bulk write for each part in progress, and
//! continues from there. Writing an event again changes nothing: if cells have the time of the
//! write, it is the time at which the job was first started, which the checkpoint keeps.
//!
//! A checkpoint belongs to one job: another query, model, target or [`tag`](CopyJob::tag) is
//! refused. It stays when the job is done, and running the job once more then only compares. Delete
//! it to copy again. Two runs at the same time do the work twice, and one may end with an error.
//!
//! # Comparing
//!
//! While copying, every cell written is hashed with its key, family, qualifier and timestamp
//! (XXH64), and the hashes are added up. Then the whole target is read and hashed in the same way,
//! and its events are counted: events that are missing, changed, or not of the job are a
//! [`Mismatch`]. So are two events that become one in the target: a conversion must keep them
//! apart.
//!
//! With tables by period, only those that the job has written to are compared. In layout `latest`
//! the newest event of each series is compared: the source is read and converted once more, each of
//! its events must be its row's newest or older, and the rows must hold no other newest events.
//! Older events that the rows still hold do not count.

mod checkpoint;
mod error;
mod latest;
mod parallel;
mod part;
mod report;
mod run;
mod split;
mod store;
mod tally;
mod target;
#[cfg(test)]
mod tests;
mod text;
mod verify;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::backend::setting::{at_least_one, check};
use crate::backend::{Backend, InvalidSetting};
use crate::model::{Model, Projection};
use crate::query::{AsQuery, Order, QueryState, Selection};
use crate::send::limits::{PARTS_AT_ONCE, ROWS_PER_REQUEST};

pub use error::{CheckpointError, CopyError, DifferentPart, Mismatch};
pub use report::{CopyReport, Progress, Stage};
pub use store::{CheckpointStore, FileCheckpoint, MemoryCheckpoint};
pub use tally::Tally;

/// How many parts run in parallel, by default.
pub const DEFAULT_PARALLELISM: usize = PARTS_AT_ONCE;

/// The maximum number of rows written at once, by default.
pub const DEFAULT_ROWS_PER_WRITE: usize = ROWS_PER_REQUEST;

/// Copies the events of a query into the table of the model `T`: see the [module](self).
///
/// It only describes the job; [`run`](CopyJob::run) does the work, and can be called again.
pub struct CopyJob<P, T> {
    selection: Selection,
    convert: Convert<P, T>,
    table: String,
    parallelism: usize,
    rows_per_write: usize,
    verify: bool,
    tag: String,
    store: Option<Arc<dyn CheckpointStore>>,
    watch: Option<Watch>,
}

/// Converts an event; leaves it out if the result is `None`.
type Convert<P, T> = Arc<dyn Fn(P) -> Option<T> + Send + Sync>;

/// Called with the progress of the job.
type Watch = Arc<dyn Fn(&Progress) + Send + Sync>;

impl<P: Projection, T: Model> CopyJob<P, T> {
    /// Copies every event of a query, converted by `convert`: `|reading: Reading| reading`, or
    /// `ReadingOfDay::from`.
    ///
    /// The query's order does not matter; a limit is refused when the job is run. `convert` must
    /// always return the same for an event.
    #[must_use]
    pub fn new<Q: AsQuery<Model = P::Model, Read = P>>(
        query: &Q,
        convert: impl Fn(P) -> T + Send + Sync + 'static,
    ) -> Self
    where
        Q::State: QueryState<Q::Model>,
    {
        Self::filter_map(query, move |event| Some(convert(event)))
    }

    /// Copies the events for which `convert` returns `Some`.
    #[must_use]
    pub fn filter_map<Q: AsQuery<Model = P::Model, Read = P>>(
        query: &Q,
        convert: impl Fn(P) -> Option<T> + Send + Sync + 'static,
    ) -> Self
    where
        Q::State: QueryState<Q::Model>,
    {
        let selection = Selection {
            order: Order::Key,
            descending: false,
            ..query.as_query().selection()
        };
        Self {
            selection,
            convert: Arc::new(convert),
            table: T::SCHEMA.table.to_string(),
            parallelism: DEFAULT_PARALLELISM,
            rows_per_write: DEFAULT_ROWS_PER_WRITE,
            verify: true,
            tag: String::new(),
            store: None,
            watch: None,
        }
    }

    /// Writes to a table with another name than the model's, which is created with the model's
    /// families. It also replaces a model's tables by period.
    #[must_use]
    pub fn into_table(mut self, table: impl Into<String>) -> Self {
        self.table = table.into();
        self
    }

    /// How many parts run in parallel: [`DEFAULT_PARALLELISM`], at least 1.
    ///
    /// # Errors
    /// [`InvalidSetting`] for 0.
    pub fn parallelism(mut self, parts: usize) -> Result<Self, InvalidSetting> {
        at_least_one("CopyJob::parallelism", parts)?;
        self.parallelism = parts;
        Ok(self)
    }

    /// The maximum number of rows that are written at once, and recorded together in the
    /// checkpoint: [`DEFAULT_ROWS_PER_WRITE`], from 1 to 1,000.
    ///
    /// # Errors
    /// [`InvalidSetting`] for any other number.
    pub fn rows_per_write(mut self, rows: usize) -> Result<Self, InvalidSetting> {
        let fits = (1..=DEFAULT_ROWS_PER_WRITE).contains(&rows);
        let instead = format!("give 1 to {DEFAULT_ROWS_PER_WRITE}");
        check("CopyJob::rows_per_write", rows, fits, instead)?;
        self.rows_per_write = rows;
        Ok(self)
    }

    /// Where the progress of the job is kept. Without it, a job that is run again copies everything
    /// again.
    #[must_use]
    pub fn checkpoint(mut self, store: impl CheckpointStore) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Distinguishes this job from others with the same query and target: use it as a version of
    /// the conversion, which a checkpoint does not know otherwise.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = tag.into();
        self
    }

    /// Does not read the target back: for a table that holds other rows too.
    #[must_use]
    pub fn without_verification(mut self) -> Self {
        self.verify = false;
        self
    }

    /// Calls a function with the progress of the job, after each bulk write and now and then while
    /// comparing. It is called by one task at a time, and should not take long.
    #[must_use]
    pub fn on_progress(mut self, watch: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.watch = Some(Arc::new(watch));
        self
    }

    /// Creates the target, copies what has not been copied yet, and compares. It needs a Tokio
    /// runtime.
    ///
    /// The future may be dropped at any time: its tasks end, and the next run continues from the
    /// checkpoint.
    ///
    /// # Errors
    /// [`CopyError`]. An event that cannot be read or written ends the job with an error that names
    /// it; the checkpoint keeps the progress until then.
    pub async fn run(&self, backend: &dyn Backend) -> Result<CopyReport, CopyError> {
        run::run(self, backend).await
    }
}

impl<P, T> Clone for CopyJob<P, T> {
    fn clone(&self) -> Self {
        Self {
            selection: self.selection.clone(),
            convert: Arc::clone(&self.convert),
            table: self.table.clone(),
            parallelism: self.parallelism,
            rows_per_write: self.rows_per_write,
            verify: self.verify,
            tag: self.tag.clone(),
            store: self.store.clone(),
            watch: self.watch.clone(),
        }
    }
}

impl<P, T> fmt::Debug for CopyJob<P, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CopyJob")
            .field("selection", &self.selection)
            .field("table", &self.table)
            .field("parallelism", &self.parallelism)
            .field("rows_per_write", &self.rows_per_write)
            .field("verify", &self.verify)
            .field("tag", &self.tag)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

/// No code that panics leaves one of these half changed while it is locked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
