//! Computes windows from buckets without a mark, and from the events of marked buckets.

use std::marker::PhantomData;
use std::ops::Bound;

use bytes::Bytes;
use futures::TryStreamExt as _;

use super::Rollup;
use super::cover::{Needed, Piece, is_edge};
use super::kept::Kept;
use super::parts::{Filled, Parts};
use super::row::{is_marked, marks, sources_of};
use super::tier::{Span, Tier};
use crate::Timestamp;
use crate::backend::{Backend, Method};
use crate::condition::fits;
use crate::data::{ReadRows, Row, RowFilter, RowSet};
use crate::error::{Error, QueryError};
use crate::key::{SegmentRole, SegmentValue};
use crate::model::{EventReader, EventTimes, Model, ModelSchema, RolledUp, RowEvents, Schema};
use crate::query::{
    BadRows, ByTime, DEFAULT_MAX_SEEKS, EventStream, KeyCheck, Order, SegmentSelection, Selection,
    plan, planned,
};
use crate::send::{at_table, unexpired_now};
use crate::series::Grid;

/// The selections of the identifiers, and of tie-breakers, by name.
pub(super) type Names = Vec<(String, SegmentSelection)>;

/// Computes windows of series.
pub(super) struct Fill<'a, R> {
    pub(super) backend: &'a dyn Backend,
    pub(super) rolled: &'static RolledUp,
    /// All levels.
    pub(super) tiers: &'a [Tier],
    /// The levels that may answer: their buckets lie within a window.
    pub(super) levels: &'a [Tier],
    /// The windows.
    pub(super) window: &'a Grid,
    /// The selection of the events, without identifiers and time.
    pub(super) base: &'a Selection,
    pub(super) bad_rows: &'a BadRows,
    /// Tells what is still stored.
    pub(super) kept: &'a Kept<'a>,
    /// How many parts of windows may be in memory, unless one window has more: then events are read
    /// only in time order. `None` for any number.
    pub(super) most: Option<usize>,
    pub(super) rollup: PhantomData<fn() -> R>,
}

/// A read still to do for some series: from the level with this index, or of events.
struct Task {
    level: Option<usize>,
    span: Span,
    names: Names,
}

impl<R: Rollup> Fill<'_, R> {
    /// The windows of a span with events, ordered by time and then by the roll-up's keys. Events
    /// that expire meanwhile may be missing.
    ///
    /// [`Filled::Expired`] if buckets expired while they were read, although their events are kept
    /// longer, or something that a marked bucket is computed from: then ask [again](Kept::again).
    pub(super) async fn windows(&self, names: &Names, span: Span) -> Result<Filled<R>, Error> {
        let mut needed = Needed::default();
        let pieces = self.kept.edges().cover(self.levels, span);
        needed.add_replaceable(self.kept.edges(), self.levels, &pieces);
        self.read(names, span, needed).await
    }

    /// Like [`windows`](Self::windows), for windows that are stored as buckets: `None` if any of
    /// their events expired while they were read. What had expired before may be missing.
    pub(super) async fn buckets(&self, names: &Names, span: Span) -> Result<Option<Vec<R>>, Error> {
        let mut needed = Needed::default();
        let pieces = self.kept.edges().cover(self.levels, span);
        needed.add(self.kept.edges(), self.levels, &pieces);
        match self.read(names, span, needed).await? {
            Filled::Windows(windows, _) => Ok(Some(windows)),
            Filled::Expired | Filled::Full(_) => Ok(None),
        }
    }

    async fn read(&self, names: &Names, span: Span, needed: Needed) -> Result<Filled<R>, Error> {
        let mut parts = Parts::new(needed, self.window, self.most);
        let mut tasks = self.tasks(self.levels, span, names);
        while let Some(Task { level, span, names }) = tasks.pop() {
            match level {
                None => self.add_events(&names, span, &mut parts).await?,
                Some(level) => {
                    let marked = self.add_buckets(level, &names, span, &mut parts).await?;
                    // Shorter buckets within a bucket that fits the windows fit them too.
                    for (names, span) in marked {
                        tasks.extend(self.tasks(self.shorter(level), span, &names));
                    }
                }
            }
            if let Some(end) = parts.full() {
                return Ok(Filled::Full(end));
            }
        }
        // Checked after the reads, so that nothing that they needed expired unnoticed.
        match self.kept.has(&parts.needed) {
            true => parts.merged(),
            false => Ok(Filled::Expired),
        }
    }

    /// The reads for a span of some series, to be done from the last to the first.
    fn tasks(&self, levels: &[Tier], span: Span, names: &Names) -> Vec<Task> {
        let index = |piece: &Piece| {
            let level = &levels.get(piece.level?)?.level;
            self.tiers.iter().position(|tier| tier.level == *level)
        };
        let pieces = self.kept.edges().cover(levels, span).into_iter().rev();
        let task = |piece: Piece| Task {
            level: index(&piece),
            span: piece.span,
            names: names.clone(),
        };
        pieces.map(task).collect()
    }

    /// The levels shorter than the one with an index.
    fn shorter(&self, level: usize) -> &[Tier] {
        self.tiers.get(..level).unwrap_or_default()
    }

    /// Adds the buckets of a level that are not marked, and marked ones that cannot be recomputed.
    /// Returns the spans of the other buckets.
    async fn add_buckets(
        &self,
        level: usize,
        names: &Names,
        span: Span,
        parts: &mut Parts<'_, R>,
    ) -> Result<Vec<(Names, Span)>, Error> {
        let shorter = self.shorter(level);
        let Some(Tier { level, grid }) = self.tiers.get(level) else {
            return Ok(Vec::new());
        };
        let scans = scans(R::SCHEMA, names, times(span), self.base.max_scans)?;
        let reader = EventReader::new(R::SCHEMA);
        let mut events = RowEvents::default();
        let mut marked: Vec<(Names, Span)> = Vec::new();
        let mut run = Run::new(R::SCHEMA);
        let table = self.rolled.table(level);
        let filter = self.newest_and_marks(scans.keys.clone())?;
        for rows in &scans.rows {
            let mut rows = self
                .backend
                .read_rows(ReadRows {
                    table: table.to_owned(),
                    rows: rows.clone(),
                    filter: filter.clone(),
                    ..ReadRows::default()
                })
                .rows();
            let read = |source| at_table(table, Method::ReadRows, source);
            while let Some(row) = rows.try_next().await.map_err(read)? {
                if parts.full().is_some() {
                    return Ok(marked);
                }
                let (found, start) = bucket(R::SCHEMA, table, &row)?;
                let bucket = grid.cell(start)?;
                if !scans.hold(&row.key) || bucket.start != start || !is_in(span, start) {
                    continue;
                }
                let span = (bucket.start.as_micros(), bucket.end.as_micros());
                let is_marked = is_marked(&row);
                if is_marked && self.kept.is_everything() {
                    parts.note(start)?;
                    run.end();
                    note(&mut marked, found, span, shorter);
                    continue;
                }
                let had = sources_of(&row);
                let loaded = reader.load(row, &EventTimes::All, &mut events);
                loaded.map_err(|error| error.in_table(table))?;
                if is_marked {
                    let had = had.as_deref();
                    let is_computed =
                        events.is_empty() || self.kept.lost(shorter, span, had).await?.is_none();
                    if is_computed {
                        let pieces = self.kept.edges().cover(shorter, span);
                        parts.needed.add(self.kept.edges(), shorter, &pieces);
                        parts.note(start)?;
                        run.end();
                        note(&mut marked, found, span, shorter);
                        continue;
                    }
                }
                if !events.is_empty() {
                    let rollup: R = events.read(0).map_err(|error| error.in_table(table))?;
                    parts.add(run.from(found, start), start, rollup)?;
                }
            }
        }
        Ok(marked)
    }

    /// A filter for marks and for the newest cells of unexpired buckets, with these keys.
    fn newest_and_marks(&self, keys: Option<RowFilter>) -> Result<Option<RowFilter>, Error> {
        let of_keys = |cells| RowFilter::chain(keys.clone().into_iter().chain([cells]));
        let newest = of_keys(RowFilter::CellsPerColumnLimit(1));
        if !R::SCHEMA.expires() {
            return Ok(newest);
        }
        let buckets = unexpired_now(self.backend, R::SCHEMA, newest)?;
        let marks = of_keys(marks(R::SCHEMA));
        let both = RowFilter::interleave(buckets.into_iter().chain(marks));
        match &both {
            // Keys are compared in any case.
            Some(filter) if keys.is_some() && fits(filter).is_err() => self.newest_and_marks(None),
            _ => Ok(both),
        }
    }

    /// Whether the row of a bucket has values, and the tables from which they come, if it names
    /// them.
    pub(super) async fn stored(
        &self,
        table: &str,
        key: &Bytes,
    ) -> Result<(bool, Option<Bytes>), Error> {
        let mut rows = self
            .backend
            .read_rows(ReadRows {
                table: table.to_owned(),
                rows: RowSet {
                    keys: vec![key.clone()],
                    ..RowSet::default()
                },
                filter: self.newest_and_marks(None)?,
                ..ReadRows::default()
            })
            .rows();
        let row = rows.try_next().await;
        let row = row.map_err(|source| at_table(table, Method::ReadRows, source))?;
        let Some(row) = row else {
            return Ok((false, None));
        };
        let had = sources_of(&row);
        let mut events = RowEvents::default();
        let loaded = EventReader::new(R::SCHEMA).load(row, &EventTimes::All, &mut events);
        loaded.map_err(|error| error.in_table(table))?;
        Ok((!events.is_empty(), had))
    }

    /// Adds the events of a span in time order.
    async fn add_events(
        &self,
        names: &Names,
        span: Span,
        parts: &mut Parts<'_, R>,
    ) -> Result<(), Error> {
        let schema = R::Source::SCHEMA;
        let mut selection = in_time_order(schema, self.base, names, span);
        let in_order =
            self.most.is_some() || has_time_order(self.backend, schema, &selection).await?;
        if !in_order {
            selection.order = Order::Any;
            selection.full_scan = true;
        }
        let mut events =
            EventStream::<R::Source, ByTime>::of(self.backend, &selection, self.bad_rows);
        let mut mixed = Vec::new();
        while let Some(event) = events.try_next().await? {
            let time = schema.stored_time(event.time()).unwrap_or_default();
            match in_order {
                true => self.add_event(&event, time, span, parts)?,
                false => mixed.push((time, event)),
            }
            if parts.full().is_some() {
                return Ok(());
            }
        }
        // Events at one time are in the order of their identifiers, as in order of time.
        let key = |event: &R::Source| {
            let mut key = Vec::new();
            let encoded = event.encode_key(&mut key);
            encoded.map_or_else(|_| Vec::new(), |()| key)
        };
        mixed.sort_by(|(time, one), (other, next)| {
            let ties = || schema.key.compare_ties(&key(one), &key(next));
            time.cmp(other).then_with(ties)
        });
        let mut mixed = mixed.iter();
        mixed.try_for_each(|(time, event)| self.add_event(event, *time, span, parts))
    }

    fn add_event(
        &self,
        event: &R::Source,
        time: Timestamp,
        (from, _): Span,
        parts: &mut Parts<'_, R>,
    ) -> Result<(), Error> {
        let rollup = R::of(event, time);
        parts.add(Timestamp::from_micros(from), time, rollup)
    }
}

/// Buckets of one series that are read one after the other, without a marked one between them:
/// those of a window are one part of it.
struct Run {
    /// Whether a series' rows are in time order.
    in_order: bool,
    /// The series, and the beginnings of the first and of the last bucket.
    known: Option<(Names, Timestamp, Timestamp)>,
}

impl Run {
    fn new(schema: &ModelSchema) -> Self {
        Self {
            // A salt may put the buckets of a series into several places.
            in_order: schema.key.salt().is_none(),
            known: None,
        }
    }

    /// The beginning of the run that a bucket continues; its own if it begins one.
    fn from(&mut self, names: Names, start: Timestamp) -> Timestamp {
        match &mut self.known {
            Some((known, from, last)) if self.in_order && *known == names && *last < start => {
                *last = start;
                *from
            }
            known => {
                *known = Some((names, start, start));
                start
            }
        }
    }

    fn end(&mut self) {
        self.known = None;
    }
}

/// The selection of the events of a span, in time order. Identifiers and time of `base` are
/// replaced.
pub(super) fn in_time_order(
    schema: &ModelSchema,
    base: &Selection,
    names: &Names,
    span: Span,
) -> Selection {
    Selection {
        segments: segments(schema, names, times(span)),
        order: Order::Time,
        descending: false,
        limit: None,
        columns: None,
        keys_only: false,
        ..base.clone()
    }
}

/// The selections of a model's segments: of named segments, and of the time.
pub(super) fn segments(
    schema: &ModelSchema,
    names: &Names,
    time: SegmentSelection,
) -> Vec<SegmentSelection> {
    let segments = schema.key.valued();
    let asked = segments.map(|(_, segment)| match segment.role {
        role if role.is_named() => {
            let mut named = names.iter().filter(|(name, _)| *name == segment.name);
            let asked = named.next().map(|(_, asked)| asked.clone());
            asked.unwrap_or(SegmentSelection::ALL)
        }
        role if role.is_time() => time.clone(),
        _ => SegmentSelection::ALL,
    });
    asked.collect()
}

/// How the buckets of some series are read.
pub(super) struct Scans {
    /// The rows in which they may be.
    pub(super) rows: Vec<RowSet>,
    /// A filter for their keys, if these rows have others too.
    pub(super) keys: Option<RowFilter>,
    check: Option<KeyCheck>,
}

impl Scans {
    /// Whether a key is that of one of them: rows and filter may let through others.
    pub(super) fn hold(&self, key: &[u8]) -> bool {
        self.check.as_ref().is_none_or(|one| one.lets_through(key))
    }
}

/// The scans of a roll-up's table for the buckets of some series.
pub(super) fn scans(
    rollup: &Schema,
    names: &Names,
    time: SegmentSelection,
    max_scans: usize,
) -> Result<Scans, Error> {
    let selection = Selection {
        segments: segments(rollup, names, time),
        order: Order::Any,
        max_scans,
        full_scan: true,
        ..Selection::default()
    };
    let plan = plan(rollup, &selection)?;
    let parts = plan.scans.into_iter().flat_map(|scan| scan.parts);
    Ok(Scans {
        rows: parts.map(|part| part.rows).collect(),
        keys: match plan.segments.is_empty() {
            true => None,
            false => KeyCheck::pattern(rollup, &plan.segments)?,
        },
        check: KeyCheck::new(rollup, &selection.segments)?,
    })
}

/// The selection of the events of computed buckets, without identifiers and time.
pub(super) fn of_buckets() -> Selection {
    Selection {
        max_scans: usize::MAX,
        // A series that begins meanwhile marks the bucket again; nobody writes during a recount.
        max_seeks: DEFAULT_MAX_SEEKS,
        ..Selection::default()
    }
}

/// The times of a span.
pub(super) fn times((from, to): Span) -> SegmentSelection {
    let time = |micros| SegmentValue::Time(Timestamp::from_micros(micros));
    SegmentSelection::Range(Bound::Included(time(from)), Bound::Excluded(time(to)))
}

/// The identifiers of a bucket's row, and the start of the bucket.
pub(super) fn bucket(
    schema: &ModelSchema,
    table: &str,
    row: &Row,
) -> Result<(Names, Timestamp), Error> {
    let values = schema.key.decode(&row.key);
    let values = values.map_err(|source| Error::ForeignKey {
        table: table.to_owned(),
        key: row.key.clone(),
        source,
    })?;
    let mut start = Timestamp::default();
    let mut names = Names::new();
    for ((_, segment), value) in schema.key.valued().zip(values) {
        match (segment.role, value) {
            (SegmentRole::Identifier, value) => {
                let only = SegmentSelection::Values(vec![value]);
                names.push((segment.name.to_string(), only));
            }
            (_, SegmentValue::Time(time)) => start = time,
            _ => {}
        }
    }
    Ok((names, start))
}

/// Whether a bucket begins in the span.
fn is_in((from, to): Span, start: Timestamp) -> bool {
    (from..to).contains(&start.as_micros())
}

/// Adds a marked span of a series. It extends the last span if it continues it, unless a shorter
/// bucket lies in both, which would be read as a part of the first.
fn note(marked: &mut Vec<(Names, Span)>, names: Names, (from, to): Span, shorter: &[Tier]) {
    match marked.last_mut() {
        Some((known, span)) if *known == names && span.1 == from && is_edge(shorter, from) => {
            span.1 = to;
        }
        _ => marked.push((names, (from, to))),
    }
}

/// Whether the events can be read in time order.
async fn has_time_order(
    backend: &dyn Backend,
    schema: &ModelSchema,
    selection: &Selection,
) -> Result<bool, Error> {
    match planned(backend, schema, selection).await {
        Ok(_) => Ok(true),
        // There are many series.
        Err(Error::Query {
            source: QueryError::NoTimeOrder { .. } | QueryError::TooManyScans { .. },
            ..
        }) => Ok(false),
        Err(Error::Query { source, .. }) if source.is_refused_by_keys() => Ok(false),
        Err(error) => Err(error),
    }
}
