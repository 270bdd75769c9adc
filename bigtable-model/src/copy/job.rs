//! The definition of a copy job, and its reports.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::store::CheckpointStore;
use crate::backend::InvalidSetting;
use crate::backend::setting::{at_least_one, check};
use crate::model::{Model, Projection};
use crate::query::{AsQuery, Order, QueryState, Selection};
use crate::send::limits::{PARTS_AT_ONCE, ROWS_PER_REQUEST};

/// How many parts run in parallel, by default.
pub const DEFAULT_PARALLELISM: usize = PARTS_AT_ONCE;

/// The maximum number of rows written at once, by default.
pub const DEFAULT_ROWS_PER_WRITE: usize = ROWS_PER_REQUEST;

/// Copies the events of a query into the table of the model `T`: see the [module](super).
///
/// This only describes the job; [`run`](CopyJob::run) does the work, and can be called again.
pub struct CopyJob<P, T> {
    pub(super) selection: Selection,
    pub(super) convert: Convert<P, T>,
    pub(super) table: String,
    pub(super) parallelism: usize,
    pub(super) rows_per_write: usize,
    pub(super) per_second: Option<usize>,
    pub(super) verify: bool,
    pub(super) tag: String,
    pub(super) store: Option<Arc<dyn CheckpointStore>>,
    pub(super) watch: Option<Watch>,
}

/// Converts an event; leaves it out if the result is `None`.
pub(super) type Convert<P, T> = Arc<dyn Fn(P) -> Option<T> + Send + Sync>;

/// Called with the progress of the job.
pub(super) type Watch = Arc<dyn Fn(&Progress) + Send + Sync>;

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
            per_second: None,
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

    /// The maximum number of rows that are written a second, so that the job leaves the cluster to
    /// others; there is none by default.
    ///
    /// # Errors
    /// [`InvalidSetting`] for 0.
    pub fn rows_per_second(mut self, rows: usize) -> Result<Self, InvalidSetting> {
        at_least_one("CopyJob::rows_per_second", rows)?;
        self.per_second = Some(rows);
        Ok(self)
    }

    /// Keeps the progress of the job in a store. Without it, a job that is run again copies
    /// everything again.
    #[must_use]
    pub fn checkpoint(mut self, store: impl CheckpointStore) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Distinguishes this job from others with the same query and target: use it as a version of
    /// the conversion, which a checkpoint cannot detect.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = tag.into();
        self
    }

    /// Skips reading the target back, for a table that also has other rows.
    #[must_use]
    pub fn without_verification(mut self) -> Self {
        self.verify = false;
        self
    }

    /// Calls a function with the progress of the job, after each bulk write, and from time to time
    /// while comparing. It is called by one task at a time, and should not take long.
    #[must_use]
    pub fn on_progress(mut self, watch: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.watch = Some(Arc::new(watch));
        self
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
            per_second: self.per_second,
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

/// The progress of a job.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// The number of parts of the stage's rows.
    pub parts: usize,
    /// How many of them are done.
    pub parts_done: usize,
    /// The rows done, including earlier runs: of the source while copying, of the target while
    /// comparing. In layout `latest` the comparison begins with the source, whose rows are not
    /// counted.
    pub rows: u64,
    /// The events done.
    pub events: u64,
    /// The approximate share of the stage that is done, from 0 to 1, by the bytes of the table
    /// before the current rows. It changes when the job passes a key of `SampleRowKeys`.
    pub share: f64,
}

/// The stage of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Stage {
    /// It reads the source and writes the target.
    Copying,
    /// It reads the target back.
    Verifying,
}

/// The report of a finished job.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CopyReport {
    /// The target's ID, or the template of its tables by period.
    pub table: String,
    /// The rows of the source with events.
    pub rows: u64,
    /// The events written; in layout `latest` this includes events that a newer one replaces.
    pub events: u64,
    /// Their checksum, like [`Tally::checksum`](super::Tally::checksum).
    pub checksum: u64,
    /// Their size in bytes: keys, families, qualifiers and values.
    pub bytes: u64,
    /// The number of parts of the source.
    pub parts: usize,
    /// The progress of earlier runs, if this one resumed from their checkpoint.
    pub resumed: Option<Progress>,
    /// Whether the target was read back and matched.
    pub verified: bool,
}
