//! Constructors of segment errors, off the fast path.

use std::borrow::Cow;
use std::fmt::Display;

use crate::Timestamp;
use crate::key::SegmentError;

/// How many characters of a value an error keeps.
const KEPT: usize = 64;

/// A value as errors show it.
fn cut(value: &str) -> String {
    match value.char_indices().nth(KEPT) {
        Some((end, _)) => format!("{}...", value.get(..end).unwrap_or_default()),
        None => value.to_owned(),
    }
}

#[cold]
#[inline(never)]
pub(crate) fn too_wide(value: &dyn Display, bytes: usize, width: usize) -> SegmentError {
    SegmentError::TooWide {
        value: cut(&value.to_string()),
        bytes,
        width,
    }
}

#[cold]
#[inline(never)]
pub(crate) fn separator_byte(value: &str, separator: u8) -> SegmentError {
    let byte = value.bytes().find(|byte| *byte <= separator);
    SegmentError::SeparatorByte {
        value: cut(value),
        byte: byte.unwrap_or(separator),
    }
}

#[cold]
#[inline(never)]
pub(crate) fn below_pad(value: &str, pad: u8) -> SegmentError {
    let byte = value.bytes().find(|byte| *byte < pad);
    SegmentError::BelowPad {
        value: cut(value),
        byte: byte.unwrap_or(pad),
    }
}

#[cold]
#[inline(never)]
pub(crate) fn ends_in_pad(value: &str) -> SegmentError {
    SegmentError::EndsInPad { value: cut(value) }
}

#[cold]
#[inline(never)]
pub(crate) fn before_epoch(time: Timestamp) -> SegmentError {
    SegmentError::BeforeEpoch { time }
}

#[cold]
#[inline(never)]
pub(crate) fn shown_twice(time: Timestamp) -> SegmentError {
    SegmentError::Refused(format!(
        "the clocks of the zone showed {time} and another time alike: they were turned back"
    ))
}

#[cold]
#[inline(never)]
pub(crate) fn not_exact(time: Timestamp, unit: &'static str) -> SegmentError {
    SegmentError::NotExact { time, unit }
}

#[cold]
#[inline(never)]
pub(crate) fn beyond_ticks(time: Timestamp, max: u64, unit: &'static str) -> SegmentError {
    SegmentError::TimeOutOfRange {
        time,
        limits: format!("0 to {max} {unit}s since 1970").into(),
    }
}

#[cold]
#[inline(never)]
pub(crate) fn out_of_range(time: Timestamp, limits: &'static str) -> SegmentError {
    SegmentError::TimeOutOfRange {
        time,
        limits: limits.into(),
    }
}

#[cold]
#[inline(never)]
pub(crate) fn split_day(time: Timestamp, zone: &str) -> SegmentError {
    SegmentError::SplitDay {
        time,
        zone: zone.to_owned(),
    }
}

#[cold]
#[inline(never)]
pub(crate) fn malformed(bytes: &[u8], expected: impl Into<Cow<'static, str>>) -> SegmentError {
    SegmentError::Malformed {
        bytes: bytes.to_vec(),
        expected: expected.into(),
    }
}

#[cold]
#[inline(never)]
pub(crate) fn mismatch(kind: &dyn Display, format: &dyn Display) -> SegmentError {
    SegmentError::Mismatch {
        kind: kind.to_string(),
        format: format!("{{:{format}}}"),
    }
}
