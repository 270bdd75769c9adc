//! Whether the sources of a bucket are still stored.
//!
//! Events may be gone because a rule deletes them by age, or because their table by period was
//! dropped. A bucket of such events keeps the values that it has.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures::TryStreamExt as _;

use super::Rollup;
use super::cover::{Edges, Needed, Piece};
use super::tier::{Span, Tier};
use crate::Timestamp;
use crate::backend::{Backend, Method};
use crate::data::{ReadRows, RowFilter, RowSet};
use crate::error::{Error, RollupError};
use crate::model::{Model, PeriodTable, Schema};
use crate::send::{at_table, lacks_table};

/// Separates the names of a bucket's source tables in its row.
const BETWEEN: u8 = b'\n';

/// What rules and dropped tables leave of events and buckets at one time: a computation reads, and
/// reports losses, as of that time. Afterwards [`has`](Self::has) says whether all that it needed
/// was kept until it was read.
pub(super) struct Kept<'a> {
    backend: &'a dyn Backend,
    source: &'static Schema,
    rollup: &'static Schema,
    /// How far other clocks may be ahead of the backend's time.
    slack: Duration,
    is_everything: bool,
    /// The backend's time when the computation began.
    began: Timestamp,
    /// The time as of which events and buckets are kept.
    time: Timestamp,
    edges: Edges,
    /// Which tables by period exist, of those that were looked up.
    tables: Mutex<BTreeMap<String, bool>>,
}

impl<'a> Kept<'a> {
    pub(super) fn of<R: Rollup>(backend: &'a dyn Backend, slack: Duration) -> Self {
        let (source, rollup) = (R::Source::SCHEMA, R::SCHEMA);
        let mut layouts = source.layouts().chain([&**rollup]);
        let is_everything = source.table.by_period().is_none() && !layouts.any(|one| one.ages());
        let began = backend.expiry_time();
        let time = began.saturating_add(slack);
        Self {
            backend,
            source,
            rollup,
            slack,
            is_everything,
            began,
            time,
            edges: Edges::at(time, source, rollup),
            tables: Mutex::default(),
        }
    }

    /// The same for another attempt, after something expired while it was read. Its time is ahead
    /// by twice the duration of the last attempt, so that what is kept then is kept during the
    /// read.
    pub(super) fn again(&self) -> Self {
        let began = self.backend.expiry_time();
        let took = began.as_micros().saturating_sub(self.began.as_micros());
        let ahead = Duration::from_micros(took.unsigned_abs()).saturating_mul(2);
        let time = began.saturating_add(self.slack).saturating_add(ahead);
        Self {
            began,
            time,
            edges: Edges::at(time, self.source, self.rollup),
            tables: Mutex::default(),
            ..*self
        }
    }

    /// Whether everything that is needed is still stored.
    pub(super) fn has(&self, needed: &Needed) -> bool {
        let now = self.backend.expiry_time().saturating_add(self.slack);
        Edges::at(now, self.source, self.rollup).keep(needed)
    }

    pub(super) const fn backend(&self) -> &'a dyn Backend {
        self.backend
    }

    pub(super) const fn edges(&self) -> &Edges {
        &self.edges
    }

    /// Whether nothing can be lost: no rule deletes anything by age, and there is one table.
    pub(super) const fn is_everything(&self) -> bool {
        self.is_everything
    }

    /// Why a bucket cannot be computed again from shorter buckets and events; `None` if all of them
    /// are still stored. `had` are the tables from which its stored values come, if its row names
    /// them; else all tables whose period has begun.
    pub(super) async fn lost(
        &self,
        shorter: &[Tier],
        bucket: Span,
        had: Option<&[u8]>,
    ) -> Result<Option<RollupError>, Error> {
        let pieces = self.edges.cover(shorter, bucket);
        if let Some(before) = self.edges.expired(shorter, &pieces) {
            return Ok(Some(RollupError::Expired { before }));
        }
        let periods = self.periods(&pieces);
        let is_one = periods.len() == 1;
        for PeriodTable { table, start, .. } in periods {
            let is_needed = match had {
                Some(had) => {
                    let mut had = had.split(|byte| *byte == BETWEEN);
                    had.any(|one| one == table.as_bytes())
                }
                None => is_one || start <= self.time,
            };
            if is_needed && !self.exists(&table).await? {
                return Ok(Some(RollupError::MissingTable { table }));
            }
        }
        Ok(None)
    }

    /// The tables by period with the events of some pieces.
    fn periods(&self, pieces: &[Piece]) -> Vec<PeriodTable> {
        let Some(tables) = self.source.table.by_period() else {
            return Vec::new();
        };
        let events = pieces.iter().filter(|piece| piece.level.is_none());
        let periods = events.flat_map(|piece| {
            let (from, to) = times(piece.span);
            tables.between(from, to)
        });
        let mut periods: Vec<_> = periods.collect();
        periods.dedup();
        periods
    }

    /// The source tables of a bucket, for its row; `None` if they need not be recorded: a bucket of
    /// one table has values only if that table had events.
    ///
    /// Shorter buckets may include events of any table of their time, which may have been dropped.
    /// If these buckets can expire, such tables will be needed, so they are named too.
    pub(super) async fn record(
        &self,
        shorter: &[Tier],
        bucket: Span,
    ) -> Result<Option<Bytes>, Error> {
        let pieces = self.edges.cover(shorter, bucket);
        let mut periods = self.periods(&pieces);
        let mut buckets = Vec::new();
        if let Some(tables) = self.source.table.by_period().filter(|_| self.rollup.ages()) {
            let (from, to) = times(bucket);
            periods = tables.between(from, to).collect();
            let pieces = pieces.iter().filter(|piece| piece.level.is_some());
            buckets.extend(pieces.map(|piece| times(piece.span)));
        }
        if periods.len() < 2 {
            return Ok(None);
        }
        let mut record = Vec::new();
        for PeriodTable { table, start, end } in periods {
            let is_in = |(from, to): &(_, _)| start < *to && end.is_none_or(|end| *from < end);
            if buckets.iter().any(is_in) || self.exists(&table).await? {
                if !record.is_empty() {
                    record.push(BETWEEN);
                }
                record.extend_from_slice(table.as_bytes());
            }
        }
        Ok(Some(record.into()))
    }

    /// Makes later calls look tables up again.
    pub(super) fn forget_tables(&self) {
        self.tables().clear();
    }

    /// Whether a table exists: reads one key, since listing tables needs other permissions.
    async fn exists(&self, table: &str) -> Result<bool, Error> {
        let known = self.tables().get(table).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let mut rows = self.backend.read_rows(ReadRows {
            table: table.to_owned(),
            rows: RowSet {
                keys: vec![Bytes::from_static(b"\0")],
                ..RowSet::default()
            },
            filter: Some(RowFilter::CellsPerRowLimit(1)),
            ..ReadRows::default()
        });
        let exists = match rows.try_next().await {
            Ok(_) => true,
            Err(status) if lacks_table(&status) => false,
            Err(status) => return Err(at_table(table, Method::ReadRows, status)),
        };
        self.tables().insert(table.to_owned(), exists);
        Ok(exists)
    }

    fn tables(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, bool>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn times((from, to): Span) -> (Timestamp, Timestamp) {
    (Timestamp::from_micros(from), Timestamp::from_micros(to))
}
