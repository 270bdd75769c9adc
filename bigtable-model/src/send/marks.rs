//! Marks of roll-up buckets that may no longer agree with their events.
//!
//! Before any write of an event, a cell is written to the row of each bucket that contains it. If
//! the write fails, the mark stays, and the bucket is recomputed unless some of its events are
//! gone.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use super::bulk::write_ready;
use super::call::at_table;
use crate::backend::{Backend, Code, Method, Status};
use crate::data::{Mutation, RowMutations};
use crate::key::{KeyError, SegmentRole, SegmentValue};
use crate::model::{Level, MARK, ModelSchema, RolledUp, Schema, described_event, stamp_of};
use crate::{Error, Timestamp};

/// The length of a mark's unique bytes; the time of the mark follows them.
pub(crate) const MARK_BYTES: usize = 16;

/// The rows of buckets with their ends, by the indexes of their roll-up and level.
type Buckets = BTreeMap<(usize, usize), BTreeMap<Vec<u8>, Timestamp>>;

/// Marks the buckets of all roll-ups that contain these events, each given by its row's key and, if
/// rows hold many, its time. The marks are stored when this returns.
pub(crate) async fn mark<'k>(
    backend: &dyn Backend,
    schema: &Schema,
    events: impl IntoIterator<Item = (&'k [u8], Option<Timestamp>)>,
) -> Result<(), Error> {
    if schema.rollups.iter().all(RolledUp::is_added) {
        return Ok(());
    }
    send(backend, schema, &buckets(schema, events)?).await
}

/// Marks the rows of buckets, each with its end, at the roll-up and level with these indexes.
pub(crate) async fn mark_buckets(
    backend: &dyn Backend,
    schema: &Schema,
    place: (usize, usize),
    rows: Vec<(Vec<u8>, Timestamp)>,
) -> Result<(), Error> {
    let rows = rows.into_iter().collect();
    send(backend, schema, &Buckets::from([(place, rows)])).await
}

async fn send(backend: &dyn Backend, schema: &Schema, buckets: &Buckets) -> Result<(), Error> {
    let now = Timestamp::now();
    // Rules delete cells by the backend's time.
    let kept = now.max(backend.expiry_time());
    let marks = marks(buckets, schema, (now, kept));
    let tables: Vec<_> = marks.iter().map(|(table, _)| *table).collect();
    let outcomes = write_ready(backend, marks).await;
    for (table, outcome) in tables.into_iter().zip(outcomes) {
        let failed = |source| at_table(table, Method::MutateRows, not_marked(table, source));
        outcome.map_err(failed)?;
    }
    Ok(())
}

/// Like [`mark`], with the status for writes of the events.
pub(super) async fn mark_or_status<'k>(
    backend: &dyn Backend,
    schema: &Schema,
    events: impl IntoIterator<Item = (&'k [u8], Option<Timestamp>)>,
) -> Result<(), Status> {
    mark(backend, schema, events).await.map_err(as_status)
}

/// The status that the writes of a request fail with.
pub(crate) fn as_status(error: Error) -> Status {
    match error {
        Error::Backend { source, .. } => source,
        error => Status::new(Code::Internal, error.to_string()),
    }
}

/// The buckets that hold some events.
fn buckets<'k>(
    schema: &Schema,
    events: impl IntoIterator<Item = (&'k [u8], Option<Timestamp>)>,
) -> Result<Buckets, Error> {
    let mut buckets = Buckets::new();
    for (key, time) in events {
        let values = schema.key.decode_either(key);
        let values = values.map_err(|source| Error::ForeignKey {
            table: schema.table.to_string(),
            key: Bytes::copy_from_slice(key),
            source,
        })?;
        let time = event_time(schema, key, &values, time)?;
        let rollups = schema.rollups.iter().enumerate();
        for (place, rolled) in rollups.filter(|(_, rolled)| !rolled.is_added()) {
            for (at, level) in rolled.levels.iter().enumerate() {
                let bucket = bucket_row(schema, rolled, level, &values, time);
                let (row, end) = bucket.map_err(|source| Error::Key {
                    table: rolled.table(level).to_owned(),
                    key: described_event(schema, key, Some(time)),
                    source,
                })?;
                buckets.entry((place, at)).or_default().insert(row, end);
            }
        }
    }
    Ok(buckets)
}

/// The stored time of an event.
fn event_time(
    schema: &ModelSchema,
    key: &[u8],
    values: &[SegmentValue],
    time: Option<Timestamp>,
) -> Result<Timestamp, Error> {
    let in_key = schema.key.valued().zip(values);
    let mut in_key = in_key.filter_map(|((_, segment), value)| match (segment.role, value) {
        (SegmentRole::Time, SegmentValue::Time(time)) => Some(*time),
        _ => None,
    });
    let time = in_key.next().or_else(|| schema.stored_time(time));
    time.ok_or_else(|| Error::Backend {
        table: schema.table.to_string(),
        method: Method::MutateRows.name(),
        key: Some(schema.key.describe(key).to_string()),
        source: Status::new(Code::Internal, "the time of a write is not known"),
    })
}

/// The key of the row of a level's bucket that holds an event, and the bucket's end.
fn bucket_row(
    schema: &ModelSchema,
    rolled: &RolledUp,
    level: &Level,
    values: &[SegmentValue],
    time: Timestamp,
) -> Result<(Vec<u8>, Timestamp), KeyError> {
    let value_of = |name: &str| {
        let mut known = schema.key.valued().zip(values);
        known.find_map(|((_, segment), value)| (segment.name == name).then_some(value))
    };
    let segments = rolled.schema.key.valued();
    let start = level.start(time).map_err(|source| KeyError::Segment {
        segment: match rolled.schema.key.time_segment() {
            Some((_, segment)) => segment.name.clone(),
            None => rolled.schema.model.clone(),
        },
        source,
    })?;
    let parts = segments.filter_map(|(_, segment)| match segment.role {
        SegmentRole::Identifier => value_of(&segment.name).cloned(),
        _ => Some(SegmentValue::Time(start)),
    });
    let parts: Vec<_> = parts.collect();
    let mut row = Vec::new();
    rolled.schema.key.encode(&parts, &mut row)?;
    Ok((row, level.end(start)))
}

/// The writes of the marks of buckets, with their tables.
fn marks<'s>(
    buckets: &Buckets,
    schema: &'s Schema,
    now: (Timestamp, Timestamp),
) -> Vec<(&'s str, RowMutations)> {
    let mut marks = Vec::new();
    for ((place, at), rows) in buckets {
        let rolled = schema.rollups.get(*place);
        let Some((rolled, level)) = rolled.and_then(|one| Some((one, one.levels.get(*at)?))) else {
            continue;
        };
        let table = rolled.table(level);
        let rows = rows.iter();
        marks.extend(rows.map(|(row, end)| (table, marked(rolled, row, *end, now))));
    }
    marks
}

/// Marks a bucket, replacing an earlier mark. A rule that deleted a mark before its bucket would
/// leave a wrong bucket, so the mark is at least as recent as the bucket's end.
fn marked(
    rolled: &RolledUp,
    row: &[u8],
    end: Timestamp,
    (now, kept): (Timestamp, Timestamp),
) -> RowMutations {
    let stamp = match rolled.schema.ages() {
        true => kept.max(end),
        false => now,
    };
    let mutations = vec![
        unmark(rolled.schema()),
        Mutation::SetCell {
            family: mark_family(rolled.schema()).to_owned().into(),
            qualifier: Bytes::from_static(MARK),
            timestamp_micros: stamp_of(stamp),
            value: next_mark(now),
        },
    ];
    RowMutations {
        key: Bytes::copy_from_slice(row),
        mutations,
    }
}

/// Removes the mark of a bucket.
pub(crate) fn unmark(rollup: &ModelSchema) -> Mutation {
    Mutation::DeleteFromColumn {
        family: mark_family(rollup).to_owned().into(),
        qualifier: Bytes::from_static(MARK),
        start_micros: 0,
        end_micros: 0,
    }
}

/// The family in which a roll-up's buckets are marked.
pub(crate) fn mark_family(rollup: &ModelSchema) -> &str {
    rollup.presence_column().map_or("", |(family, _)| family)
}

/// A unique value: 8 random bytes of this process, and a count of 8 bytes. The time in microseconds
/// follows.
fn next_mark(now: Timestamp) -> Bytes {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let process = PROCESS.get_or_init(|| RandomState::new().hash_one(std::process::id()));
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mark = (u128::from(*process) << 64) | u128::from(count);
    let unique: [u8; MARK_BYTES] = mark.to_be_bytes();
    let made = now.as_micros().to_be_bytes();
    [&unique[..], &made].concat().into()
}

/// Why an event was not written: its mark failed. A missing table of marks must not look like a
/// missing table of events.
fn not_marked(table: &str, source: Status) -> Status {
    let code = match source.code {
        Code::NotFound => Code::FailedPrecondition,
        code => code,
    };
    let remedy = match source.code {
        Code::NotFound => ": create the tables of roll-ups with `ensure_tables`",
        _ => "",
    };
    let message = source.message;
    Status::new(
        code,
        format!(
            "the roll-up in table {table} was not marked, and nothing was written: {message}{remedy}"
        ),
    )
}
