//! Where the cells of one event go inside its row.

use std::ops::Range;

use crate::Timestamp;
use crate::data::RowFilter;
use crate::key::time::bucket::{Bucket, Offset};
use crate::key::{KeyError, Segment, SegmentError};
use crate::model::times::{GRANULE, stamp_after};
use crate::model::{CellTime, Layout, ModelSchema};

/// Where the cells of one event go inside its row.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// The event's time as it is stored, where rows hold many.
    pub(super) time_in_row: Option<Timestamp>,
    /// The timestamp of the event's cells.
    pub(super) timestamp_micros: i64,
    /// The timestamp of its aggregates: its time whatever the clock, so that all that is added meets in one cell. 0 for an entity.
    pub(super) aggregate_micros: i64,
    /// The timestamp of the columns that belong to the row: the beginning of its bucket.
    pub(super) row_timestamp_micros: i64,
    /// In layout `columns` the event's offset: its bytes in the buffer it was written to.
    pub(super) offset: Range<usize>,
}

impl Target {
    /// The target of an event with this time, whose offset is appended to `out`. `now` becomes the timestamp with
    /// [`CellTime::Write`].
    ///
    /// # Errors
    /// [`KeyError::Segment`] for a time that the buckets, the offset or cell timestamps can't hold.
    pub(super) fn new(
        schema: &ModelSchema,
        time: Option<Timestamp>,
        now: Timestamp,
        out: &mut Vec<u8>,
    ) -> Result<Self, KeyError> {
        if schema.layout == Layout::Row {
            let of_event = floor(stored_time(schema, time).unwrap_or_default());
            let micros = match (schema.cell_time, time) {
                (CellTime::Event, Some(_)) => of_event,
                _ => floor(now),
            };
            return Ok(Self {
                aggregate_micros: of_event,
                ..Self::at(None, micros, micros)
            });
        }
        let (Some((_, segment)), Some(bucket), Some(time)) =
            (schema.key.time_segment(), schema.key.bucket(), time)
        else {
            return Err(KeyError::Layout {
                reason: "a layout whose rows hold many events takes a bucket in the key",
            });
        };
        Self::in_bucket(schema, bucket, time, now, out)
            .map_err(|source| in_segment(segment, source))
    }

    fn in_bucket(
        schema: &ModelSchema,
        bucket: &Bucket,
        time: Timestamp,
        now: Timestamp,
        out: &mut Vec<u8>,
    ) -> Result<Self, SegmentError> {
        // The time as it is stored: events that are one after rounding replace each other.
        let time = bucket.stored_time(time)?;
        let of_row = floor(bucket.start_of(time)?);
        match &schema.layout {
            Layout::Columns { offset, .. } => {
                let timestamp = match schema.cell_time {
                    CellTime::Event => time,
                    CellTime::Write => now,
                };
                let target = Self {
                    aggregate_micros: floor(time),
                    ..Self::at(Some(time), floor(timestamp), of_row)
                };
                target.with_offset(offset, bucket, time, out)
            }
            _ => Ok(Self::at(Some(time), exact(time)?, of_row)),
        }
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

    fn with_offset(
        mut self,
        offset: &Offset,
        bucket: &Bucket,
        time: Timestamp,
        out: &mut Vec<u8>,
    ) -> Result<Self, SegmentError> {
        let start = out.len();
        offset.encode(bucket, time, out)?;
        self.offset = start..out.len();
        Ok(self)
    }

    /// The end of the range of timestamps that holds the event's alone; 0, which is no end, behind the last timestamp.
    pub(super) fn end_micros(&self) -> i64 {
        stamp_after(self.timestamp_micros)
    }
}

/// Lets through the cells with timestamps from the first on, before the second.
pub(super) fn stamp((start_micros, end_micros): (i64, i64)) -> RowFilter {
    RowFilter::TimestampRange {
        start_micros,
        end_micros,
    }
}

/// The time of an event that is a row, as it stands in the key: events that are one after rounding replace each other.
fn stored_time(schema: &ModelSchema, event: Option<Timestamp>) -> Option<Timestamp> {
    match schema.key.time_segment() {
        Some((_, segment)) => event.map(|event| segment.stored_time(event)),
        None => event,
    }
}

/// Bigtable's granularity is the millisecond, and it has no cell before 1970.
fn floor(time: Timestamp) -> i64 {
    time.as_millis().max(0).saturating_mul(GRANULE)
}

/// The timestamp that is the event's time.
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
