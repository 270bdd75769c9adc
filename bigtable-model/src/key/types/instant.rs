//! Times in keys.

use std::cmp::Ordering;

use crate::Timestamp;
use crate::key::encoding::digits;
use crate::key::layout::refuse;
use crate::key::primitive::sealed::Sealed;
use crate::key::time::bucket::Bucket;
use crate::key::{
    CalendarFormat, Segment, SegmentError, SegmentFormat, SegmentKind, SegmentPrimitive,
    SegmentValue, TimeUnit,
};

/// The largest number of units that `width` digits hold: `i64::MAX` from 19 on.
#[inline(always)]
pub(in crate::key) fn max_ticks(width: u16) -> u64 {
    match digits::pow10(usize::from(width)) {
        Some(end) if width < 19 => end - 1,
        _ => i64::MAX.unsigned_abs(),
    }
}

/// The number of whole units in a time, rounded down, if a `Timestamp` holds that many.
#[inline(always)]
fn ticks(time: Timestamp, unit: TimeUnit, truncate: bool) -> Result<i64, SegmentError> {
    let micros = time.as_micros();
    let ticks = micros.div_euclid(unit.micros());
    if micros.rem_euclid(unit.micros()) == 0 {
        return Ok(ticks);
    }
    if !truncate {
        return Err(refuse::not_exact(time, unit.name()));
    }
    if ticks.checked_mul(unit.micros()).is_none() {
        return Err(refuse::out_of_range(
            time,
            "what its unit can count in 64 bits of microseconds",
        ));
    }
    Ok(ticks)
}

/// The first time on the grid of `format` that is not before `time`; none when the format ends before it.
///
/// A time before the format's first comes back as it is on the grid, which may be one the format refuses.
pub(in crate::key) fn ceil(time: Timestamp, format: &SegmentFormat) -> Option<Timestamp> {
    match format {
        SegmentFormat::Ticks { unit, width, .. } => {
            let ceil = ceil_unit(time, *unit)?;
            let ticks = u64::try_from(ceil.as_micros() / unit.micros()).unwrap_or_default();
            (ticks <= max_ticks(*width)).then_some(ceil)
        }
        SegmentFormat::BinaryTicks { unit, .. } => ceil_unit(time, *unit),
        SegmentFormat::Calendar { format, .. } => format.ceil(time),
        SegmentFormat::Bucket(bucket) => Some(bucket.ceil(time)),
        _ => Some(time),
    }
}

fn ceil_unit(time: Timestamp, unit: TimeUnit) -> Option<Timestamp> {
    let micros = time.as_micros();
    match micros.rem_euclid(unit.micros()) {
        0 => Some(time),
        above => micros
            .checked_add(unit.micros() - above)
            .map(Timestamp::from_micros),
    }
}

impl Segment {
    /// The time that stands in the key for `time`: with `truncate` rounded down to the unit or format, as it is otherwise.
    #[must_use]
    pub fn stored_time(&self, time: Timestamp) -> Timestamp {
        match &self.format {
            SegmentFormat::Ticks { unit, .. } | SegmentFormat::BinaryTicks { unit, .. } => {
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

    /// A time as the segment's text would read if it were not reversed: for columns that repeat the time of the key.
    ///
    /// A count has the segment's digits, reversed or in binary those of its unit.
    ///
    /// # Errors
    /// For a time before 1970, which text does not hold, and those of the segment's format.
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
            | SegmentFormat::BinaryTicks { unit, truncate, .. } => {
                let count = ticks(time, *unit, *truncate)?.unsigned_abs();
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
            } => {
                let Ok(count) =
                    u64::try_from(self.as_micros()).map(|_| ticks(self, *unit, *truncate))
                else {
                    return Err(refuse::before_epoch(self));
                };
                let max = max_ticks(*width);
                let count = count?.unsigned_abs();
                if count > max {
                    return Err(refuse::beyond_ticks(self, max, unit.name()));
                }
                let count = if *reverse { max - count } else { count };
                digits::push_u64(count, usize::from(*width), out)
                    .map_err(|_| refuse::beyond_ticks(self, max, unit.name()))
            }
            SegmentFormat::BinaryTicks {
                unit,
                reverse,
                truncate,
            } => {
                let count = ticks(self, *unit, *truncate)?;
                let ordered = if *reverse {
                    count ^ i64::MAX
                } else {
                    count ^ i64::MIN
                };
                out.extend_from_slice(&ordered.to_be_bytes());
                Ok(())
            }
            SegmentFormat::Calendar { format, truncate } => format.encode(self, *truncate, out),
            SegmentFormat::Bucket(bucket) => bucket.encode(self, out),
            other => Err(refuse::mismatch(Self::KIND, other)),
        }
    }

    #[inline(always)]
    fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError> {
        let time = match format {
            SegmentFormat::Ticks {
                unit,
                width,
                reverse,
                ..
            } if bytes.len() == usize::from(*width) => {
                let max = max_ticks(*width);
                digits::parse_u64(bytes)
                    .filter(|count| *count <= max)
                    .map(|count| if *reverse { max - count } else { count })
                    .and_then(|count| i64::try_from(count).ok())
                    .and_then(|count| count.checked_mul(unit.micros()))
            }
            SegmentFormat::BinaryTicks { unit, reverse, .. } => bytes
                .try_into()
                .ok()
                .map(i64::from_be_bytes)
                .map(|ordered| {
                    if *reverse {
                        ordered ^ i64::MAX
                    } else {
                        ordered ^ i64::MIN
                    }
                })
                .and_then(|count| count.checked_mul(unit.micros())),
            SegmentFormat::Calendar { format, .. } => return format.decode(bytes),
            SegmentFormat::Bucket(bucket) => return bucket.decode(bytes),
            SegmentFormat::Ticks { .. } => None,
            other => return Err(refuse::mismatch(Self::KIND, other)),
        };
        match time {
            Some(micros) => Ok(Self::from_micros(micros)),
            None => Err(not_a_time(bytes, format)),
        }
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

/// The order of labels; of times that buckets don't hold, that of the times.
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

/// The time that comes back after `truncate`.
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
