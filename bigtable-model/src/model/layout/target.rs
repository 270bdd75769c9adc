//! Where the cells of one event go in its row.

use std::ops::Range;

use bytes::Bytes;

use crate::Timestamp;
use crate::data::RowFilter;
use crate::key::time::bucket::{Bucket, Offset};
use crate::key::{KeyError, Segment, SegmentError};
use crate::model::times::{GRANULE, stamp_after, stamp_of};
use crate::model::{CellTime, ModelSchema};

/// Where the cells of one event are in its row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EventPlace {
    /// The row is the event: the newest cell of each column.
    Row,
    /// At these timestamps, from the first to before the second.
    Stamps(i64, i64),
    /// In columns that end in this offset.
    Offset(Bytes),
}

/// Where the cells of one event go in its row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Target {
    /// The event's stored time, if rows hold many events.
    pub(crate) time_in_row: Option<Timestamp>,
    /// The timestamp of the event's cells.
    pub(crate) timestamp_micros: i64,
    /// The timestamp of its aggregates: always its time, not the clock's, so that all additions
    /// meet in one cell. 0 for an entity.
    pub(crate) aggregate_micros: i64,
    /// The timestamp of the columns that belong to the row: the start of its bucket.
    pub(crate) row_timestamp_micros: i64,
    /// In layout `columns` the event's offset: the range of its bytes in the buffer.
    pub(crate) offset: Range<usize>,
}

impl Target {
    /// The target of an event in its own row, which may be an entity.
    pub(super) fn of_row(schema: &ModelSchema, time: Option<Timestamp>, now: Timestamp) -> Self {
        let of_event = stamp_of(stored_time(schema, time).unwrap_or_default());
        let micros = match (schema.cell_time, time) {
            (CellTime::Event, Some(_)) => of_event,
            _ => stamp_of(now),
        };
        Self {
            aggregate_micros: of_event,
            ..Self::at(None, micros, micros)
        }
    }

    /// The target of an event in a bucket, whose cells have its time.
    pub(super) fn at_its_time(
        schema: &ModelSchema,
        time: Option<Timestamp>,
    ) -> Result<Self, KeyError> {
        let (segment, bucket, time) = in_bucket(schema, time)?;
        let target = || {
            let time = bucket.stored_time(time)?;
            let of_row = stamp_of(bucket.start_of(time)?);
            Ok(Self::at(Some(time), exact(time)?, of_row))
        };
        target().map_err(|source| in_segment(segment, source))
    }

    /// The target of an event in a bucket, whose offset is appended to `out`.
    pub(super) fn with_offset(
        schema: &ModelSchema,
        offset: &Offset,
        time: Option<Timestamp>,
        now: Timestamp,
        out: &mut Vec<u8>,
    ) -> Result<Self, KeyError> {
        let (segment, bucket, time) = in_bucket(schema, time)?;
        let mut target = || {
            // The stored time: events that become equal by rounding replace each other.
            let time = bucket.stored_time(time)?;
            let of_row = stamp_of(bucket.start_of(time)?);
            let timestamp = match schema.cell_time {
                CellTime::Event => time,
                CellTime::Write => now,
            };
            let start = out.len();
            offset.encode(bucket, time, out)?;
            Ok(Self {
                aggregate_micros: stamp_of(time),
                offset: start..out.len(),
                ..Self::at(Some(time), stamp_of(timestamp), of_row)
            })
        };
        target().map_err(|source| in_segment(segment, source))
    }

    fn at(
        time_in_row: Option<Timestamp>,
        timestamp_micros: i64,
        row_timestamp_micros: i64,
    ) -> Self {
        Self {
            time_in_row,
            timestamp_micros,
            aggregate_micros: timestamp_micros,
            row_timestamp_micros,
            offset: 0..0,
        }
    }

    /// The end of the range that contains only the event's timestamp; 0, which means no end, after
    /// the last timestamp.
    pub(crate) fn end_micros(&self) -> i64 {
        stamp_after(self.timestamp_micros)
    }

    /// Lets through the cells with the event's timestamp.
    pub(crate) fn stamp(&self) -> RowFilter {
        RowFilter::TimestampRange {
            start_micros: self.timestamp_micros,
            end_micros: self.end_micros(),
        }
    }
}

/// The segment, the bucket and the time of an event in a layout with buckets.
fn in_bucket(
    schema: &ModelSchema,
    time: Option<Timestamp>,
) -> Result<(&Segment, &Bucket, Timestamp), KeyError> {
    match (schema.key.time_segment(), schema.key.bucket(), time) {
        (Some((_, segment)), Some(bucket), Some(time)) => Ok((segment, bucket, time)),
        _ => Err(KeyError::Layout {
            reason: "a layout whose rows hold many events takes a bucket in the key",
        }),
    }
}

/// The time of an event in its own row, as stored in the key: events that become equal by rounding
/// replace each other.
fn stored_time(schema: &ModelSchema, event: Option<Timestamp>) -> Option<Timestamp> {
    match schema.key.time_segment() {
        Some((_, segment)) => event.map(|event| segment.stored_time(event)),
        None => event,
    }
}

/// The timestamp that equals the event's time.
fn exact(time: Timestamp) -> Result<i64, SegmentError> {
    let micros = time.as_micros();
    if micros < 0 {
        return Err(SegmentError::TimeOutOfRange {
            time,
            limits: "the timestamps of cells, which begin with 1970".into(),
        });
    }
    if micros % GRANULE != 0 {
        return Err(SegmentError::NotExact {
            time,
            unit: "millisecond",
        });
    }
    Ok(micros)
}

fn in_segment(segment: &Segment, source: SegmentError) -> KeyError {
    KeyError::Segment {
        segment: segment.name.clone(),
        source,
    }
}
