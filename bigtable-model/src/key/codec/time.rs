//! Times as a segment stores them.

use crate::Timestamp;
use crate::key::encoding::digits;
use crate::key::time::ticks;
use crate::key::{Segment, SegmentError, SegmentFormat, SegmentPrimitive, TimeUnit};

impl Segment {
    /// The time that the key stores for `time`: rounded down to the unit or format with `truncate`,
    /// else unchanged.
    #[must_use]
    pub fn stored_time(&self, time: Timestamp) -> Timestamp {
        match &self.format {
            SegmentFormat::Ticks { unit, .. }
            | SegmentFormat::BinaryTicks { unit, .. }
            | SegmentFormat::CodedTicks { unit, .. } => {
                let above = time.as_micros().rem_euclid(unit.micros());
                Timestamp::from_micros(time.as_micros().saturating_sub(above))
            }
            SegmentFormat::Calendar {
                format,
                offset_seconds,
                ..
            } => format.floor(time, *offset_seconds).unwrap_or(time),
            SegmentFormat::Bucket(bucket) => {
                let above = time.as_micros().rem_euclid(bucket.grid_micros.max(1));
                Timestamp::from_micros(time.as_micros().saturating_sub(above))
            }
            _ => time,
        }
    }

    /// A time as the segment's text without reversal, for columns that repeat the time of the key.
    ///
    /// A count has as many digits as the segment, or as its unit if the segment is reversed or
    /// binary.
    ///
    /// # Errors
    /// For a time before 1970, which text cannot express, and the errors of the segment's format.
    pub(crate) fn encode_time_text(
        &self,
        time: Timestamp,
        out: &mut Vec<u8>,
    ) -> Result<(), SegmentError> {
        let (unit, width, truncate) = match &self.format {
            SegmentFormat::Ticks {
                unit,
                width,
                reverse: false,
                truncate,
            } => (*unit, *width, *truncate),
            SegmentFormat::Ticks { unit, truncate, .. }
            | SegmentFormat::BinaryTicks { unit, truncate, .. }
            | SegmentFormat::CodedTicks { unit, truncate } => {
                let count = ticks::count(time, *unit, *truncate)?.unsigned_abs();
                let digits = u16::try_from(digits::count(count.into())).unwrap_or(u16::MAX);
                (*unit, unit.digits().max(digits), *truncate)
            }
            SegmentFormat::Bucket(bucket) => {
                let unit = match bucket.grid_micros {
                    grid if grid % 1_000_000 == 0 => TimeUnit::Seconds,
                    grid if grid % 1_000 == 0 => TimeUnit::Millis,
                    _ => TimeUnit::Micros,
                };
                (unit, unit.digits(), bucket.truncate)
            }
            other => return time.encode(other, 0, out),
        };
        let format = SegmentFormat::Ticks {
            unit,
            width,
            reverse: false,
            truncate,
        };
        time.encode(&format, 0, out)
    }
}
