//! The job that packs settled rows, and unpacks them.

use std::fmt;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt as _;
use tokio::time::Instant;

use super::PackReport;
use super::compact::{Work, rewrite};
use crate::backend::setting::{at_least_one, check};
use crate::backend::{Backend, Code, InvalidSetting, Method, Status};
use crate::data::{ByteRange, ReadRows, RowFilter, RowSet, united};
use crate::model::{
    BLOCK, EventTimes, HIDDEN, ModelSchema, Named, NamedBy, PACKED, Schema, Wanted, qualifiers,
};
use crate::query::one_cell;
use crate::send::limits::{PARTS_AT_ONCE, Pace};
use crate::send::{at_table, lacks_table, tables_of};
use crate::{Error, Timestamp};

/// The pause before the next check whether writes are in every cluster; each later pause is twice
/// as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Puts the events of settled rows into blocks, or takes them out again.
///
/// A row has settled once its bucket ended longer ago than `pack(after = ...)` says. The job visits
/// the rows with cells that are not in a block yet, so it can be ended at any time and run again,
/// even beside another.
///
/// Programs that read or write the table must have a model with `pack` before the job runs for the
/// first time, see the [module](super); [`unpack`](PackJob::unpack) is the way back.
pub struct PackJob {
    schema: Schema,
    parallelism: usize,
    per_second: Option<usize>,
    replication: Option<Duration>,
    watch: Option<Watch>,
}

/// Called with the report so far.
type Watch = Arc<dyn Fn(&PackReport) + Send + Sync>;

impl PackJob {
    /// A job for the rows of a model; `schema` is its `Model::SCHEMA`.
    ///
    /// # Errors
    /// [`InvalidSetting`] if the model's rows are not packed.
    pub fn new(schema: &Schema) -> Result<Self, InvalidSetting> {
        let instead = "declare `pack(after = \"1h\")` on the struct";
        check("PackJob::new", &schema.model, schema.is_packed(), instead)?;
        Ok(Self {
            schema: schema.clone(),
            parallelism: PARTS_AT_ONCE,
            per_second: None,
            replication: None,
            watch: None,
        })
    }

    /// How many rows are changed at once: 8 by default, at least 1.
    ///
    /// # Errors
    /// [`InvalidSetting`] for 0.
    pub fn parallelism(mut self, rows: usize) -> Result<Self, InvalidSetting> {
        at_least_one("PackJob::parallelism", rows)?;
        self.parallelism = rows;
        Ok(self)
    }

    /// The maximum number of rows that are changed a second, so that the job leaves the cluster to
    /// others; there is none by default.
    ///
    /// # Errors
    /// [`InvalidSetting`] for 0.
    pub fn rows_per_second(mut self, rows: usize) -> Result<Self, InvalidSetting> {
        at_least_one("PackJob::rows_per_second", rows)?;
        self.per_second = Some(rows);
        Ok(self)
    }

    /// Waits, before it reads the rows of a table, until the writes to it so far are in every
    /// cluster: for programs that write to other clusters than this job. See
    /// [replication](super#replication). The job fails after waiting for `at_most`; replication
    /// takes seconds to minutes, unless a cluster is unreachable.
    #[must_use]
    pub fn after_replication(mut self, at_most: Duration) -> Self {
        self.replication = Some(at_most);
        self
    }

    /// Calls a function with the report so far, after each row.
    #[must_use]
    pub fn on_progress(mut self, watch: impl Fn(&PackReport) + Send + Sync + 'static) -> Self {
        self.watch = Some(Arc::new(watch));
        self
    }

    /// Packs the rows that have settled.
    ///
    /// # Errors
    /// [`Error::Backend`] for a request that failed. A problem with one row is in the report, and
    /// the row is unchanged.
    pub async fn run(&self, backend: &dyn Backend) -> Result<PackReport, Error> {
        self.rewrite(backend, Some(Work::Pack)).await
    }

    /// How much there is to pack: a report of the rows, without changing them.
    ///
    /// # Errors
    /// [`Error::Backend`] for a request that failed.
    pub async fn backlog(&self, backend: &dyn Backend) -> Result<PackReport, Error> {
        self.rewrite(backend, None).await
    }

    /// Puts all events back into separate cells, whether or not their rows have settled.
    ///
    /// # Errors
    /// Those of [`run`](PackJob::run).
    pub async fn unpack(&self, backend: &dyn Backend) -> Result<PackReport, Error> {
        self.rewrite(backend, Some(Work::Unpack)).await
    }

    async fn rewrite(
        &self,
        backend: &dyn Backend,
        work: Option<Work>,
    ) -> Result<PackReport, Error> {
        let mut report = PackReport::default();
        let pace = Pace::new(self.per_second);
        for table in tables_of(backend, &self.schema).await? {
            self.table(backend, &table, (work, &pace), &mut report)
                .await?;
        }
        Ok(report)
    }

    /// Changes the rows of a table that need it, while the keys of the next are read.
    async fn table(
        &self,
        backend: &dyn Backend,
        table: &str,
        (work, pace): (Option<Work>, &Pace),
        report: &mut PackReport,
    ) -> Result<(), Error> {
        // Rows that settle meanwhile may have been written after the token.
        let now = backend.expiry_time();
        let by_period = self.schema.table.by_period().is_some();
        if let Some(at_most) = self.replication.filter(|_| work.is_some()) {
            match replicated(backend, table, at_most).await {
                // The table of a period is gone.
                Err(Error::Backend { source, .. }) if by_period && lacks_table(&source) => {
                    return Ok(());
                }
                done => done?,
            }
        }
        let unfinished = self.unfinished(work.unwrap_or(Work::Pack));
        let rows = backend.read_rows(ReadRows {
            table: table.to_owned(),
            rows: RowSet::range(self.schema.rows()),
            filter: one_cell(unfinished),
            ..ReadRows::default()
        });
        let done = rows.rows().map(|row| async move {
            let key = match row {
                Ok(row) => row.key,
                Err(status) if by_period && lacks_table(&status) => return Ok(Row::Gone),
                Err(status) => return Err(at_table(table, Method::ReadRows, status)),
            };
            self.row(backend, &key, (work, pace), now).await
        });
        let mut done = done.buffer_unordered(self.parallelism);
        while let Some(row) = done.next().await {
            report.rows += u64::from(!matches!(row, Ok(Row::Gone | Row::Unsettled)));
            match row {
                Ok(Row::Gone | Row::Left) => {}
                Ok(Row::Unsettled) => report.unsettled += 1,
                Ok(Row::Done(row)) => report.changed(row),
                Err(error @ Error::Backend { .. }) => return Err(error),
                Err(error) => report.refused(error),
            }
            if let Some(watch) = &self.watch {
                watch(report);
            }
        }
        Ok(())
    }

    async fn row(
        &self,
        backend: &dyn Backend,
        key: &Bytes,
        (work, pace): (Option<Work>, &Pace),
        now: Timestamp,
    ) -> Result<Row, Error> {
        let start = self.schema.time_of_row(key)?.unwrap_or_default();
        let settled = self.schema.settled_at(start);
        match work {
            None | Some(Work::Pack) if settled.is_none_or(|settled| now < settled) => {
                Ok(Row::Unsettled)
            }
            None => Ok(Row::Left),
            Some(work) => {
                pace.wait(1).await;
                let done = rewrite(backend, &self.schema, key, work).await;
                done.map(Row::Done)
            }
        }
    }

    /// Lets through a cell of the rows that do not have the form yet: cells of events and cells
    /// that hide some, or blocks.
    fn unfinished(&self, work: Work) -> Option<RowFilter> {
        let named = |kind: u8| RowFilter::QualifierRange {
            family: PACKED.to_owned(),
            start: Bound::Included(Bytes::copy_from_slice(&[kind])),
            end: Bound::Excluded(Bytes::copy_from_slice(&[kind + 1])),
        };
        let of_events = match work {
            Work::Unpack => Some(named(BLOCK)),
            Work::Pack => {
                let mut columns = Named::new();
                for (family, name) in self.schema.of_event() {
                    columns.entry(family).or_default().insert(name.as_bytes());
                }
                let wanted = Wanted {
                    schema: &self.schema,
                    columns: Some(columns),
                    times: &EventTimes::All,
                    newest: None,
                    strip: None,
                };
                self.schema.in_layout().cells(&wanted).filter
            }
        };
        let at_run_time = match work {
            Work::Unpack => Vec::new(),
            Work::Pack => undeclared(&self.schema),
        };
        // There is no filter if the names of the columns are too long for one.
        RowFilter::interleave([of_events?, named(HIDDEN)].into_iter().chain(at_run_time))
    }
}

/// Let through the columns of the families of maps that the model does not declare.
fn undeclared(schema: &ModelSchema) -> Vec<RowFilter> {
    let mut filters = Vec::new();
    for family in schema.maps() {
        let of_row = schema.columns.iter().filter(|one| schema.is_of_row(one));
        // Their names are whole qualifiers in every layout.
        let of_row = of_row.map(|one| (&*one.family, NamedBy::Qualifier, &*one.qualifier));
        let named_by = schema.in_layout().named_by();
        let of_events = schema.of_event();
        let of_events = of_events.map(|(own, name)| (own, named_by, name));
        let declared = of_row.chain(of_events).filter(|(own, ..)| *own == family);
        let declared = declared.map(|(_, by, name)| qualifiers(by, name.as_bytes()));
        let others = others(declared.collect()).into_iter();
        filters.extend(others.map(|(start, end)| RowFilter::QualifierRange {
            family: family.to_owned(),
            start,
            end,
        }));
    }
    filters
}

/// The ranges between these.
fn others(ranges: Vec<ByteRange>) -> Vec<ByteRange> {
    let beside = |end: Bound<Bytes>| match end {
        Bound::Included(end) => Bound::Excluded(end),
        Bound::Excluded(end) => Bound::Included(end),
        Bound::Unbounded => Bound::Unbounded,
    };
    let (mut others, mut from) = (Vec::new(), Bound::Unbounded);
    for (start, end) in united(ranges) {
        others.push((from, beside(start)));
        from = beside(end);
    }
    others.push((from, Bound::Unbounded));
    others
}

/// Waits until the writes to a table so far are in every cluster.
async fn replicated(backend: &dyn Backend, table: &str, at_most: Duration) -> Result<(), Error> {
    let end = Instant::now().checked_add(at_most);
    let tables = backend.tables();
    let failed = |method| move |source| at_table(table, method, source);
    let token = tables.consistency_token(table).await;
    let token = token.map_err(failed(Method::GenerateConsistencyToken))?;
    let mut pause = FIRST_PAUSE;
    loop {
        let consistent = tables.is_consistent(table, &token).await;
        if consistent.map_err(failed(Method::CheckConsistency))? {
            return Ok(());
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            let late = format!("its writes are not in every cluster after {at_most:?}");
            let late = Status::new(Code::DeadlineExceeded, late);
            return Err(failed(Method::CheckConsistency)(late));
        }
        tokio::time::sleep(pause).await;
        pause = LONGEST_PAUSE.min(2 * pause);
    }
}

/// The outcome for a row that needs the work.
#[derive(Debug)]
enum Row {
    /// Its table no longer exists.
    Gone,
    Unsettled,
    /// The row is only counted.
    Left,
    Done(super::compact::Rewritten),
}

impl fmt::Debug for PackJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackJob")
            .field("schema", &self.schema.model)
            .field("parallelism", &self.parallelism)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::{BackendExt as _, MemoryBackend, Model as _};

    #[derive(Debug, bigtable_derive::Model)]
    #[bigtable(crate = crate, table = "POWER", family = "M", layout = "cells", pack(after = "1h"))]
    struct Power {
        #[bigtable(key)]
        meter: String,
        #[bigtable(time, unit = "s", bucket = "day")]
        at: Timestamp,
        watts: f64,
    }

    #[tokio::test(start_paused = true)]
    async fn rows_take_their_turns() {
        let db = MemoryBackend::new();
        db.ensure_tables::<Power>().await.unwrap();
        let of_meter = |number: u8| Power {
            meter: number.to_string(),
            at: Timestamp::from_seconds(1_700_000_000),
            watts: 1.0,
        };
        let written = db.insert_many((0..6).map(of_meter)).await;
        assert_eq!(written.into_result().unwrap(), 6);
        let job = || PackJob::new(Power::SCHEMA).unwrap();
        assert!(job().rows_per_second(0).is_err());
        let job = job().rows_per_second(2).unwrap();
        let begun = Instant::now();
        assert_eq!(job.backlog(&db).await.unwrap().rows, 6);
        assert_eq!(begun.elapsed(), Duration::ZERO);
        assert_eq!(job.run(&db).await.unwrap().changed, 6);
        assert_eq!(begun.elapsed().as_millis(), 2_500);
    }
}
