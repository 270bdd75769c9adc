//! The series of a table.

mod united;

use std::collections::HashSet;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};
use tokio::time::Instant;

use super::ask::state::QueryState;
use super::plan::gather::rows_from;
use super::plan::planner::plan_known;
use super::run::check::KeyCheck;
use super::run::start::live_tables;
use super::{BadRows, EventTimes, Expiry, Part, Query, Scan, Selection};
use crate::backend::{Backend, Method, Status};
use crate::condition::ColumnTest;
use crate::data::{ReadRows, Row, RowFilter, RowSet, prefix_end};
use crate::error::Error;
use crate::key::{KeyError, KeyLayout, Segment, SegmentRole};
use crate::model::{EventReader, Model, Projection, RowEvents, Schema, foreign};
use crate::send::{at_table, lacks_table};

/// How many series are read at once.
pub(super) const AT_ONCE: usize = 16;

/// How many series are found in one part of the rows before its rest is cut, and the maximum number
/// of parts of a cut. A part may begin inside a series, which is then found twice: as both numbers
/// are the same, that costs at most one more row for each series.
const SERIES_A_PART: usize = 16;

/// How long seeks may take before row keys are sampled: a few quick seeks finish sooner, and
/// sampling may read the whole table.
const PATIENCE: Duration = Duration::from_millis(50);

impl<M: Model, S, P: Projection<Model = M>> Query<M, S, P> {
    pub(crate) async fn series(&self, backend: &dyn Backend) -> Result<Vec<M::Series>, Error>
    where
        S: QueryState<M>,
    {
        let selection = self.selection();
        let live = live_tables(backend, M::SCHEMA, &selection).await?;
        let bad_rows = self.bad_rows();
        let keys = keys_of_series(backend, M::SCHEMA, selection, live.as_deref(), bad_rows).await?;
        let mut series = Vec::with_capacity(keys.len());
        for key in &keys {
            series.push(series_of::<M>(key)?);
        }
        Ok(series)
    }
}

/// The identifiers in a row's key.
pub(super) fn series_of<M: Model>(key: &Bytes) -> Result<M::Series, Error> {
    let series = M::decode_key(key).and_then(|decoded| M::series(&decoded));
    series.map_err(|source| foreign(M::SCHEMA, key, source))
}

/// The first identifier after the time: if there is one, rows of a series are not adjacent.
pub(super) fn identifier_after_time(key: &KeyLayout) -> Option<&Segment> {
    let (time, _) = key.time_segment().filter(|(_, time)| !time.is_absent())?;
    let mut after = key.segments.iter().skip(time + 1);
    after.find(|segment| segment.role == SegmentRole::Identifier)
}

/// The key of one row of each series, in order of the keys.
pub(super) async fn keys_of_series(
    backend: &dyn Backend,
    schema: &Schema,
    selection: Selection,
    live: Option<&[String]>,
    bad_rows: &BadRows,
) -> Result<Vec<Bytes>, Error> {
    keys_of_series_after(PATIENCE, backend, schema, selection, live, bad_rows).await
}

/// Like [`keys_of_series`], with another patience.
pub(super) async fn keys_of_series_after(
    patience: Duration,
    backend: &dyn Backend,
    schema: &Schema,
    selection: Selection,
    live: Option<&[String]>,
    bad_rows: &BadRows,
) -> Result<Vec<Bytes>, Error> {
    if schema.is_united() {
        return united::keys_of_series(backend, schema, selection, live, bad_rows).await;
    }
    let limit = selection.limit;
    let plan = plan_known(schema, &selection.of_keys(), live)?;
    let check = KeyCheck::new(schema, &plan.segments)?;
    let full_scan = plan.full_scan;
    let expiry = Expiry::at(plan.expiry.as_ref(), schema, backend);
    // With a limit, each table by period is searched for its first series; those with the first
    // keys are kept.
    let of_table = |scan: Scan| {
        let tables = scan.parts.chunk_by(|one, next| one.table == next.table);
        tables.map(<[Part]>::to_vec).collect::<Vec<_>>()
    };
    let scans: Vec<_> = plan.scans.into_iter().flat_map(of_table).collect();
    let seeks = Arc::new(Seeks {
        backend: backend.handle(),
        schema: schema.clone(),
        reader: EventReader::judging(schema).without_expired(expiry),
        filter: Expiry::before(plan.expiry.as_ref(), schema, backend, plan.filter)?,
        times: plan.times,
        condition: plan.condition.map(|one| one.test),
        check,
        seeking: identifier_after_time(&schema.key).is_none(),
        limit,
        at_once: (AT_ONCE / scans.len().max(1)).max(1),
        patience,
        bad_rows: bad_rows.clone(),
    });
    let scans = scans.into_iter().map(|mut parts| {
        parts.retain(|part| full_scan || !part.is_all());
        let seeks = seeks.clone();
        async move { seeks.scan(parts).await }
    });
    let scans: Vec<_> = scans.collect();
    let found: Vec<Vec<Found>> = futures::stream::iter(scans)
        .buffered(AT_ONCE)
        .try_collect()
        .await?;
    // A series may be in several shards of a salt, and in many tables.
    let mut known = HashSet::new();
    let mut found: Vec<Found> = found.into_iter().flatten().collect();
    if schema.table.by_period().is_some() {
        found.sort_by(|one, other| one.key.cmp(&other.key));
    }
    let keys = found
        .into_iter()
        .filter_map(|found| known.insert(found.series).then_some(found.key));
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    Ok(keys.take(limit.unwrap_or(usize::MAX)).collect())
}

/// A series that was found: the bytes of its identifiers, and the key of one of its events.
struct Found {
    series: Vec<u8>,
    key: Bytes,
}

/// The shared state of all scans for series.
struct Seeks {
    backend: Arc<dyn Backend>,
    schema: Schema,
    reader: EventReader,
    filter: Option<RowFilter>,
    times: EventTimes,
    condition: Option<ColumnTest>,
    check: Option<KeyCheck>,
    /// Whether the rows of a series are adjacent, so that seeks can skip them.
    seeking: bool,
    limit: Option<u64>,
    /// How many parts of one scan are read at once.
    at_once: usize,
    patience: Duration,
    bad_rows: BadRows,
}

/// The series found so far in some rows.
#[derive(Default)]
struct Walk {
    found: Vec<Found>,
    known: HashSet<Vec<u8>>,
}

impl Seeks {
    /// The series of a scan over one table.
    async fn scan(&self, parts: Vec<Part>) -> Result<Vec<Found>, Error> {
        let Some(table) = parts.first().map(|part| part.table.clone()) else {
            return Ok(Vec::new());
        };
        let parts = parts.into_iter().map(|part| part.rows);
        if self.seeking && self.limit.is_none() {
            return self.scan_parts(&table, parts.collect()).await;
        }
        let mut walk = Walk::default();
        for rows in parts {
            self.walk(&table, rows, &mut walk, usize::MAX).await?;
            if self.is_enough(walk.found.len()) {
                break;
            }
        }
        Ok(walk.found)
    }

    /// Finds some series in each part, cuts the rest of the parts, and repeats until nothing is
    /// left.
    async fn scan_parts(&self, table: &str, parts: Vec<RowSet>) -> Result<Vec<Found>, Error> {
        let begun = Instant::now();
        let mut parts = parts;
        let mut cuts = None;
        let mut found = Vec::new();
        while !parts.is_empty() {
            let walks = parts.into_iter().map(|rows| async move {
                let mut walk = Walk::default();
                let rest = self.walk(table, rows, &mut walk, SERIES_A_PART).await?;
                Ok::<_, Error>((walk.found, rest))
            });
            let walks: Vec<_> = walks.collect();
            let walks = futures::stream::iter(walks).buffered(self.at_once);
            let walked: Vec<(Vec<Found>, Option<RowSet>)> = walks.try_collect().await?;
            let (of_parts, rests): (Vec<_>, Vec<_>) = walked.into_iter().unzip();
            found.extend(of_parts.into_iter().flatten());
            parts = rests.into_iter().flatten().collect();
            if cuts.is_none() && !parts.is_empty() && begun.elapsed() >= self.patience {
                cuts = Some(self.cuts(table).await);
            }
            if let Some(cuts) = &cuts {
                parts = parts.iter().flat_map(|rows| cut(rows, cuts)).collect();
            }
        }
        found.sort_by(|one, other| one.key.cmp(&other.key));
        Ok(found)
    }

    /// Keys at which a table can be cut, ascending. A failure is no error, since series can be
    /// found one after another without them.
    async fn cuts(&self, table: &str) -> Vec<Bytes> {
        let samples = self.backend.sample_row_keys(table).await;
        let samples = samples.unwrap_or_default().into_iter();
        let mut keys: Vec<_> = samples.map(|sample| sample.key).collect();
        keys.retain(|key| !key.is_empty());
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Finds series in some rows until there are enough, and returns the rest of the rows.
    async fn walk(
        &self,
        table: &str,
        rows: RowSet,
        walk: &mut Walk,
        most: usize,
    ) -> Result<Option<RowSet>, Error> {
        let mut events = RowEvents::default();
        let mut rest = Some(rows);
        let mut passed = 0;
        // Each read asks for twice as many rows, so few reads pass a run of rows without an event.
        let mut rows_limit = 1;
        while let Some(rows) = rest.take() {
            let mut reading = self.read(table, rows.clone(), rows_limit);
            let mut last = None;
            let mut delivered = 0;
            while let Some(row) = self.row(table, reading.try_next().await)? {
                delivered += 1;
                last = Some(Bound::Excluded(row.key.clone()));
                let judged = self.series_in(table, row, &mut events);
                let (found, end) = match judged {
                    Ok(Some(found)) => found,
                    Ok(None) => continue,
                    Err(error) => {
                        self.bad_rows.take(error.in_table(table))?;
                        continue;
                    }
                };
                if walk.known.insert(found.series.clone()) {
                    walk.found.push(found);
                }
                if self.is_enough(walk.found.len()) {
                    return Ok(None);
                }
                if self.seeking {
                    last = match end {
                        SeriesEnd::At(end) => Some(Bound::Included(end.into())),
                        SeriesEnd::Row => last,
                        SeriesEnd::Rows => None,
                    };
                    rows_limit = 0;
                    break;
                }
            }
            if rows_limit == 0 || self.seeking && delivered == rows_limit {
                rest = last.and_then(|from| rows_from(&rows, from, false));
                passed += usize::from(rows_limit == 0);
                if passed == most {
                    break;
                }
                rows_limit = rows_limit.saturating_mul(2).max(1);
            }
        }
        Ok(rest)
    }

    fn read(&self, table: &str, rows: RowSet, rows_limit: i64) -> crate::backend::Rows {
        self.backend
            .read_rows(ReadRows {
                table: table.to_owned(),
                rows,
                filter: self.filter.clone(),
                rows_limit: if self.seeking { rows_limit } else { 0 },
                ..ReadRows::default()
            })
            .rows()
    }

    /// The next row; `None` at the end, and for a missing table by period.
    fn row(&self, table: &str, next: Result<Option<Row>, Status>) -> Result<Option<Row>, Error> {
        next.or_else(|source| {
            if self.schema.table.by_period().is_some() && lacks_table(&source) {
                return Ok(None);
            }
            Err(at_table(table, Method::ReadRows, source))
        })
    }

    fn is_enough(&self, found: usize) -> bool {
        let found = u64::try_from(found).unwrap_or(u64::MAX);
        self.limit.is_some_and(|limit| limit <= found)
    }

    fn is_event(&self, table: &str, row: Row, events: &mut RowEvents) -> Result<bool, Error> {
        let check = self.check.as_ref();
        if check.is_some_and(|check| !check.lets_through(&row.key)) {
            return Ok(false);
        }
        self.reader.load(row, &self.times, events)?;
        if let Some(check) = check {
            events.retain_keys(|key| check.lets_event_through(key));
        }
        if let Some(condition) = &self.condition {
            events.retain(|cells| condition.holds_of(cells));
        }
        let checked = (0..events.len()).map(|index| events.check_place(index));
        for error in checked.filter_map(Result::err) {
            self.bad_rows.take(error.in_table(table))?;
        }
        Ok(events.events() > 0)
    }

    /// The series of a row, if the row holds a selected event.
    fn series_in(
        &self,
        table: &str,
        row: Row,
        events: &mut RowEvents,
    ) -> Result<Option<(Found, SeriesEnd)>, Error> {
        let row_key = row.key.clone();
        if !self.is_event(table, row, events)? {
            return Ok(None);
        }
        let layout = self.schema.key.of_rows();
        let checked = layout.decode(&row_key).map(drop);
        let split = checked.and_then(|()| split(&layout, &row_key));
        let (series, end) = split.map_err(|source| foreign(&self.schema, &row_key, source))?;
        for index in (0..events.len()).filter(|index| events.is_event(*index)) {
            let key = events.shared_key_at(index);
            match self.schema.key.decode(&key) {
                Ok(_) => return Ok(Some((Found { series, key }, end))),
                Err(source) => {
                    let error = foreign(&self.schema, &key, source);
                    self.bad_rows.take(error.in_table(table))?;
                }
            }
        }
        Ok(None)
    }
}

/// Where the rows of a series end.
pub(super) enum SeriesEnd {
    /// Before this key.
    At(Vec<u8>),
    /// With this row.
    Row,
    /// With the last row of the table.
    Rows,
}

/// The identifiers of a key, and the end of its series' rows if they are adjacent.
pub(super) fn split(layout: &KeyLayout, key: &[u8]) -> Result<(Vec<u8>, SeriesEnd), KeyError> {
    let mut series = Vec::new();
    let mut reader = layout.reader(key)?;
    let mut end = key.len() - reader.rest().len();
    for (at, segment) in layout.segments.iter().enumerate() {
        if segment.is_absent() {
            continue;
        }
        let bytes = reader.segment(segment, layout.is_last(at))?;
        // Without identifiers a shard is one series.
        if segment.role == SegmentRole::Salt && at == 0 {
            end = key.len() - reader.rest().len();
        }
        if segment.role == SegmentRole::Identifier {
            let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            series.extend_from_slice(&length.to_be_bytes());
            series.extend_from_slice(bytes);
            end = key.len() - reader.rest().len();
        }
    }
    reader.finish()?;
    let end = match key.get(..end) {
        Some(prefix) if prefix.len() < key.len() => {
            prefix_end(prefix).map_or(SeriesEnd::Rows, SeriesEnd::At)
        }
        _ => SeriesEnd::Row,
    };
    Ok((series, end))
}

/// Cuts rows at some of the keys into parts, none of which is empty by its bounds.
fn cut(rows: &RowSet, keys: &[Bytes]) -> Vec<RowSet> {
    let before = |rows: &RowSet, key: &Bytes| rows_from(rows, Bound::Excluded(key.clone()), true);
    let from = |rows: &RowSet, key: &Bytes| rows_from(rows, Bound::Included(key.clone()), false);
    let first = keys.partition_point(|key| before(rows, key).is_none());
    let last = keys.partition_point(|key| from(rows, key).is_some());
    let inside = keys.get(first..last).unwrap_or_default();
    let step = (inside.len() + 1).div_ceil(SERIES_A_PART);
    let mut rest = Some(rows.clone());
    let mut parts = Vec::new();
    for key in inside.iter().skip(step - 1).step_by(step) {
        let Some(rows) = rest else { break };
        parts.extend(before(&rows, key));
        rest = from(&rows, key);
    }
    parts.extend(rest);
    parts
}
