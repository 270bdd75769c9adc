//! Times in keys.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::NO_BINARY;
use super::integer::{parse_coded, push_coded};
use super::primitive::sealed::Sealed;
use crate::Timestamp;
use crate::key::refuse;
use crate::key::time::bucket::Bucket;
use crate::key::time::calendar;
use crate::key::time::ticks::{self, BinaryTicks, Ticks};
use crate::key::{
    CalendarFormat, SegmentError, SegmentFormat, SegmentKind, SegmentOptions, SegmentPrimitive,
    SegmentValue, TimeUnit,
};

pub(super) const fn refusal(
    _: SegmentKind,
    options: SegmentOptions,
    _: bool,
) -> Option<&'static str> {
    if options.code.is_some() {
        if options.binary {
            return Some(NO_BINARY);
        }
        if options.reverse && !options.is_text() {
            return Some(
                "ordered code has no descending order: remove `reverse` and read with `newest_first()`, or write `width = 19` as well, which makes it text",
            );
        }
    }
    if options.offset_seconds != 0 && options.format.is_none() {
        return Some("a count of time is the same in every zone: write `format`, or remove `zone`");
    }
    if !is_offset(options.offset_seconds) {
        return Some("a zone is less than a day ahead of UTC, or behind it");
    }
    if let Some(items) = options.format {
        if options.reverse {
            return Some("`reverse` does not go with `format`: write `unit`, or remove `reverse`");
        }
        if options.binary || options.unit.is_some() || options.width.is_some() {
            return Some(
                "`format` does not go with `binary`, `unit` and `width`: the format says it all",
            );
        }
        return CalendarFormat::refusal(items);
    }
    match options.width {
        Some(_) if options.binary => {
            Some("`width` does not go with `binary`: binary times have 8 bytes")
        }
        Some(20..) => Some("`width` of a time is 19 at most: more digits are always zeros"),
        _ => None,
    }
}

/// Whether clocks may be so many seconds ahead of UTC.
const fn is_offset(seconds: i32) -> bool {
    seconds.unsigned_abs() < 86_400
}

pub(super) const fn format(_: SegmentKind, options: SegmentOptions) -> SegmentFormat {
    let SegmentOptions {
        reverse, truncate, ..
    } = options;
    if let Some(items) = options.format {
        let format = CalendarFormat {
            items: Cow::Borrowed(items),
        };
        return SegmentFormat::Calendar {
            format,
            truncate,
            offset_seconds: options.offset_seconds,
        };
    }
    let unit = match options.unit {
        Some(unit) => unit,
        None => TimeUnit::Micros,
    };
    if options.code.is_some() && options.width.is_none() {
        return SegmentFormat::CodedTicks { unit, truncate };
    }
    if options.binary {
        return SegmentFormat::BinaryTicks {
            unit,
            reverse,
            truncate,
        };
    }
    let digits = if reverse { 19 } else { unit.digits() };
    SegmentFormat::Ticks {
        unit,
        width: options.width_or(digits),
        reverse,
        truncate,
    }
}

pub(super) const fn takes(_: SegmentKind, format: &SegmentFormat) -> bool {
    match format {
        SegmentFormat::BinaryTicks { .. } | SegmentFormat::CodedTicks { .. } => true,
        SegmentFormat::Ticks { width, .. } => *width > 0 && *width < 20,
        SegmentFormat::Calendar {
            format,
            offset_seconds,
            ..
        } => CalendarFormat::refusal(format.items()).is_none() && is_offset(*offset_seconds),
        SegmentFormat::Bucket(bucket) => bucket.refusal().is_none(),
        _ => false,
    }
}

pub(super) const fn is_like(_: SegmentKind, other: SegmentKind) -> bool {
    matches!(other, SegmentKind::Time)
}

pub(super) fn encode(
    _: SegmentKind,
    value: &SegmentValue,
    format: &SegmentFormat,
    separator: u8,
    out: &mut Vec<u8>,
) -> Option<Result<(), SegmentError>> {
    match value {
        SegmentValue::Time(time) => Some(time.encode(format, separator, out)),
        _ => None,
    }
}

pub(super) fn decode(
    _: SegmentKind,
    format: &SegmentFormat,
    _: u8,
    bytes: &[u8],
) -> Result<SegmentValue, SegmentError> {
    Timestamp::decode(format, bytes).map(SegmentValue::Time)
}

/// From the finest to the first day of a year; the last ones are for buckets counted from a later
/// time.
const SAMPLES: [i64; 9] = [
    1_426_535_612_156_789, // 2015-03-16T19:53:32.156789Z
    1_426_535_612_156_000,
    1_426_535_612_000_000,
    1_426_535_580_000_000,
    1_426_532_400_000_000,
    1_426_464_000_000_000, // 2015-03-16T00:00:00Z
    1_420_070_400_000_000, // 2015-01-01T00:00:00Z
    1_893_456_000_000_000, // 2030-01-01T00:00:00Z
    4_070_908_800_000_000, // 2099-01-01T00:00:00Z
];

pub(super) fn samples(_: SegmentKind) -> Vec<SegmentValue> {
    SAMPLES
        .map(|time| SegmentValue::Time(Timestamp::from_micros(time)))
        .into()
}

/// The laws draw times from the bucket, not here.
#[cfg(feature = "testing")]
pub(super) fn random(
    _: SegmentKind,
    _: &SegmentFormat,
    _: u8,
    _: &mut fastrand::Rng,
) -> SegmentValue {
    SegmentValue::Time(Timestamp::UNIX_EPOCH)
}

/// Whether a time is before all that the text of `format` can hold.
pub(in crate::key) fn is_below(time: Timestamp, format: &SegmentFormat) -> bool {
    match format {
        SegmentFormat::Ticks { .. } => time < Timestamp::UNIX_EPOCH,
        SegmentFormat::Calendar { offset_seconds, .. } => {
            calendar::local(time, *offset_seconds) < 0
        }
        _ => false,
    }
}

/// The first time on the grid of `format` that is not before `time`; `None` if the format ends
/// before `time`.
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
        SegmentFormat::Calendar {
            format,
            offset_seconds,
            ..
        } => format.ceil(time, *offset_seconds),
        SegmentFormat::Bucket(bucket) => Some(bucket.ceil(time)),
        _ => Some(time),
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
            SegmentFormat::Calendar {
                format,
                truncate,
                offset_seconds,
            } => format.encode(self, (*offset_seconds, *truncate), out),
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
            SegmentFormat::Calendar {
                format,
                offset_seconds,
                ..
            } => return format.decode(bytes, *offset_seconds),
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
            offset_seconds,
        } => format.floor(time, *offset_seconds).unwrap_or(time),
        _ => time,
    }
}

#[cold]
#[inline(never)]
fn not_a_time(bytes: &[u8], format: &SegmentFormat) -> SegmentError {
    refuse::malformed(bytes, format!("a time written as {{:{format}}}"))
}
