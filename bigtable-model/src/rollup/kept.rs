//! Whether what a bucket is computed from is still stored.
//!
//! Events may be gone because a rule deletes them for their age, or because their table by period
//! was dropped. A bucket of such events keeps the values that it has.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures::TryStreamExt as _;

use super::Rollup;
use super::cover::{Piece, Span, cover};
use super::tier::Tier;
use crate::Timestamp;
use crate::backend::{Backend, Method};
use crate::data::{ReadRows, RowFilter, RowSet};
use crate::error::{Error, RollupError};
use crate::model::{Model, ModelSchema, PeriodTable, stamp_of};
use crate::send::{at_table, lacks_table};

/// Separates the tables that a bucket was computed from, in its row.
const BETWEEN: u8 = b'\n';

/// What rules and dropped tables leave of events and buckets.
pub(super) struct Kept<'a> {
    backend: &'a dyn Backend,
    source: &'static ModelSchema,
    rollup: &'static ModelSchema,
    /// How much later than the backend's time other clocks may be.
    slack: Duration,
    is_everything: bool,
    /// The tables by period that were looked for, and whether they exist.
    tables: Mutex<BTreeMap<String, bool>>,
}

impl<'a> Kept<'a> {
    pub(super) fn of<R: Rollup>(backend: &'a dyn Backend, slack: Duration) -> Self {
        let (source, rollup) = (R::Source::SCHEMA, R::SCHEMA);
        let former = source.former.map(|former| former.schema());
        let mut layouts = [Some(source), Some(rollup), former].into_iter().flatten();
        Self {
            backend,
            source,
            rollup,
            slack,
            is_everything: source.table.by_period().is_none() && !layouts.any(ModelSchema::ages),
            tables: Mutex::default(),
        }
    }

    /// Whether nothing can be gone: no rule deletes anything for its age, and there is one table.
    pub(super) const fn is_everything(&self) -> bool {
        self.is_everything
    }

    /// Why a bucket cannot be computed again from shorter buckets and events; `None` if all of them
    /// are still stored. `had` are the tables that its stored values come from, if its row says so;
    /// otherwise all whose period has begun.
    pub(super) async fn lost(
        &self,
        shorter: &[Tier],
        bucket: Span,
        had: Option<&[u8]>,
    ) -> Result<Option<RollupError>, Error> {
        if let Some(before) = self.expired(shorter, bucket) {
            return Ok(Some(RollupError::Expired { before }));
        }
        let periods = self.periods(shorter, bucket);
        let is_one = periods.len() == 1;
        for PeriodTable { table, start, .. } in periods {
            let is_needed = match had {
                Some(had) => {
                    let mut had = had.split(|byte| *byte == BETWEEN);
                    had.any(|one| one == table.as_bytes())
                }
                None => is_one || start <= self.now(),
            };
            if is_needed && !self.exists(&table).await? {
                return Ok(Some(RollupError::MissingTable { table }));
            }
        }
        Ok(None)
    }

    /// From when on everything is kept, if a rule may have deleted some of what a bucket is
    /// computed from.
    fn expired(&self, shorter: &[Tier], bucket: Span) -> Option<Timestamp> {
        let now = self.now();
        let (events, buckets) = (self.events_from(now), self.rollup.kept_from(now));
        let gone = cover(shorter, bucket).into_iter().find_map(|piece| {
            let from = Timestamp::from_micros(piece.span.0);
            let tier = piece.level.and_then(|level| shorter.get(level));
            let (stamp, kept) = match tier {
                // Its cells have the time of its end.
                Some(tier) => (tier.level.end(from), buckets?),
                None => (from, events?),
            };
            (stamp_of(stamp) < kept).then_some(kept)
        });
        gone.map(Timestamp::from_micros)
    }

    /// The first timestamp from which no event is deleted for its age, in any of its layouts.
    fn events_from(&self, now: Timestamp) -> Option<i64> {
        let former = self.source.former.map(|former| former.schema());
        let layouts = [Some(self.source), former].into_iter().flatten();
        layouts.filter_map(|one| one.kept_from(now)).max()
    }

    fn now(&self) -> Timestamp {
        self.backend.expiry_time().saturating_add(self.slack)
    }

    /// The tables by period with the events that a bucket is computed from.
    fn periods(&self, shorter: &[Tier], bucket: Span) -> Vec<PeriodTable> {
        let Some(tables) = self.source.table.by_period() else {
            return Vec::new();
        };
        let events = cover(shorter, bucket).into_iter();
        let events = events.filter(|piece| piece.level.is_none());
        let periods = events.flat_map(
            |Piece {
                 span: (from, to), ..
             }| {
                let [from, to] = [from, to].map(Timestamp::from_micros);
                tables.between(from, to)
            },
        );
        let mut periods: Vec<_> = periods.collect();
        periods.dedup();
        periods
    }

    /// The tables that a bucket is computed from, for its row; `None` if they need not be known: a
    /// bucket of one table has values only if that table had events.
    pub(super) async fn record(
        &self,
        shorter: &[Tier],
        bucket: Span,
    ) -> Result<Option<Bytes>, Error> {
        let periods = self.periods(shorter, bucket);
        if periods.len() < 2 {
            return Ok(None);
        }
        let mut record = Vec::new();
        for PeriodTable { table, .. } in periods {
            if self.exists(&table).await? {
                if !record.is_empty() {
                    record.push(BETWEEN);
                }
                record.extend_from_slice(table.as_bytes());
            }
        }
        Ok(Some(record.into()))
    }

    /// Whether a table exists: one key of it is read, since a list of tables takes other rights.
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
