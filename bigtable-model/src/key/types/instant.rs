//! Times in keys.

use std::cmp::Ordering;

use crate::Timestamp;
use crate::key::encoding::digits;
use crate::key::primitive::sealed::Sealed;
use crate::key::refuse;
use crate::key::time::bucket::Bucket;
use crate::key::time::ticks::{self, BinaryTicks, Ticks};
use crate::key::types::integer::{parse_coded, push_coded};
use crate::key::{
    CalendarFormat, Segment, SegmentError, SegmentFormat, SegmentKind, SegmentPrimitive,
    SegmentValue, TimeUnit,
};

/// The first time on the grid of `format` that is not before `time`; `None` if the format ends
/// before it.
///
/// A time before the format's range is rounded up to the grid too; the format may refuse the
/// result.
pub(in crate::key) fn ceil(time: Timestamp, format: &SegmentFormat) -> Option<Timestamp> {
    match format {
        SegmentFormat::Ticks { unit, width, .. } => {
            let ceil = ticks::ceil(time, *unit)?;
            let count = u64::try_from(ceil.as_micros() / unit.micros()).unwrap_or_default();
            (count <= ticks::max_ticks(*width)).then_some(ceil)
        }
        SegmentFormat::BinaryTicks { unit, .. } | SegmentFormat::CodedTicks { unit, .. } => {
            ticks::ceil(time, *unit)
        }
        SegmentFormat::Calendar { format, .. } => format.ceil(time),
        SegmentFormat::Bucket(bucket) => Some(bucket.ceil(time)),
        _ => Some(time),
    }
}

impl Segment {
    /// The time that the key stores for `time`: rounded down to the unit or format with `truncate`,
    /// otherwise unchanged.
    #[must_use]
    pub fn stored_time(&self, time: Timestamp) -> Timestamp {
        match &self.format {
            SegmentFormat::Ticks { unit, .. }
            | SegmentFormat::BinaryTicks { unit, .. }
            | SegmentFormat::CodedTicks { unit, .. } => {
                let above = time.as_micros().rem_euclid(unit.micros());
                Timestamp::from_micros(time.as_micros().saturating_sub(above))
            }
            SegmentFormat::Calendar { format, .. } => format.floor(time).unwrap_or(time),
            SegmentFormat::Bucket(bucket) => {
                let above = time.as_micros().rem_euclid(bucket.grid_micros.max(1));
                Timestamp::from_micros(time.as_micros().saturating_sub(above))
            }
            _ => time,
        }
    }

    /// A time as the segment's text if it were not reversed: for columns that repeat the time of
    /// the key.
    ///
    /// A count has the segment's digits; if it is reversed or binary, those of its unit.
    ///
    /// # Errors
    /// For a time before 1970, which text cannot express, and those of the segment's format.
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

#[inline(always)]
const fn digit_ticks(unit: TimeUnit, width: u16, reverse: bool, truncate: bool) -> Ticks {
    Ticks {
        unit,
        width,
        reverse,
        truncate,
    }
}

#[inline(always)]
const fn binary_ticks(unit: TimeUnit, reverse: bool, truncate: bool) -> BinaryTicks {
    BinaryTicks {
        unit,
        reverse,
        truncate,
    }
}

impl Sealed for Timestamp {}

impl<'a> SegmentPrimitive<'a> for Timestamp {
    const KIND: SegmentKind = SegmentKind::Time;

    #[inline(always)]
    fn encode(self, format: &SegmentFormat, _: u8, out: &mut Vec<u8>) -> Result<(), SegmentError> {
        match format {
            SegmentFormat::Ticks {
                unit,
                width,
                reverse,
                truncate,
            } => digit_ticks(*unit, *width, *reverse, *truncate).encode(self, out),
            SegmentFormat::BinaryTicks {
                unit,
                reverse,
                truncate,
            } => binary_ticks(*unit, *reverse, *truncate).encode(self, out),
            SegmentFormat::CodedTicks { unit, truncate } => {
                let count = ticks::count(self, *unit, *truncate)?;
                push_coded(count.saturating_mul(unit.micros()), out);
                Ok(())
            }
            SegmentFormat::Calendar { format, truncate } => format.encode(self, *truncate, out),
            SegmentFormat::Bucket(bucket) => bucket.encode(self, out),
            other => Err(refuse::mismatch(&Self::KIND, other)),
        }
    }

    #[inline(always)]
    fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError> {
        let time = match format {
            SegmentFormat::Ticks {
                unit,
                width,
                reverse,
                truncate,
            } => digit_ticks(*unit, *width, *reverse, *truncate).decode(bytes),
            SegmentFormat::BinaryTicks {
                unit,
                reverse,
                truncate,
            } => binary_ticks(*unit, *reverse, *truncate).decode(bytes),
            SegmentFormat::CodedTicks { unit, .. } => {
                let whole = |micros: &i64| micros % unit.micros() == 0;
                let micros = parse_coded(bytes).filter(whole);
                micros.map(Timestamp::from_micros)
            }
            SegmentFormat::Calendar { format, .. } => return format.decode(bytes),
            SegmentFormat::Bucket(bucket) => return bucket.decode(bytes),
            other => return Err(refuse::mismatch(&Self::KIND, other)),
        };
        time.ok_or_else(|| not_a_time(bytes, format))
    }

    #[inline]
    fn compare(self, other: Self, format: &SegmentFormat) -> Ordering {
        if let SegmentFormat::Bucket(bucket) = format {
            return compare_buckets(self, other, bucket);
        }
        let order = stored(self, format).cmp(&stored(other, format));
        if format.is_reversed() {
            order.reverse()
        } else {
            order
        }
    }

    fn into_value(self) -> SegmentValue {
        SegmentValue::Time(self)
    }

    #[inline]
    fn as_time(self) -> Option<Timestamp> {
        Some(self)
    }

    #[inline]
    fn from_time(time: Timestamp) -> Option<Self> {
        Some(time)
    }
}

/// The order of labels; for times outside the range of buckets, the order of times.
fn compare_buckets(a: Timestamp, b: Timestamp, bucket: &Bucket) -> Ordering {
    let label = |time| {
        let mut label = Vec::new();
        bucket.encode(time, &mut label).map(|()| label)
    };
    match (label(a), label(b)) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        _ => a.cmp(&b),
    }
}

/// The time that is read back after `truncate`.
fn stored(time: Timestamp, format: &SegmentFormat) -> Timestamp {
    let unit = |unit: &TimeUnit| time.as_micros().div_euclid(unit.micros());
    let calendar = |format: &CalendarFormat| format.floor(time).unwrap_or(time);
    match format {
        SegmentFormat::Ticks {
            unit: one,
            truncate: true,
            ..
        }
        | SegmentFormat::BinaryTicks {
            unit: one,
            truncate: true,
            ..
        }
        | SegmentFormat::CodedTicks {
            unit: one,
            truncate: true,
        } => Timestamp::from_micros(unit(one)),
        SegmentFormat::Calendar {
            format,
            truncate: true,
        } => calendar(format),
        _ => time,
    }
}

#[cold]
#[inline(never)]
fn not_a_time(bytes: &[u8], format: &SegmentFormat) -> SegmentError {
    refuse::malformed(bytes, format!("a time written as {{:{format}}}"))
}
