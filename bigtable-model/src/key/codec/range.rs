//! Ranges of a segment's values as ranges of bytes.
//!
//! After the preceding segments a key continues with the segment's value, followed by the separator
//! unless the segment is the last. A value's bytes with the separator are no prefix of another
//! value's, and bytes sort like values (in reverse if the segment is reversed). So the keys from a
//! value start at its bytes, the keys before it end there, and the keys after all of its own start
//! at the end of its prefix.

use std::ops::Bound;

use crate::Timestamp;
use crate::data::prefix_end;
use crate::key::encoding::first_byte;
use crate::key::refuse;
use crate::key::time::bucket::{Bucket, Edge};
use crate::key::types::{date, instant, integer};
use crate::key::{Segment, SegmentError, SegmentFormat, SegmentKind, SegmentValue};

/// A range of bytes after the preceding part of a key; an unbounded end is the end of that part's
/// keys.
pub type ByteRange = (Bound<Vec<u8>>, Bound<Vec<u8>>);

/// The position of a range's end among the values that a segment can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SegmentBound {
    /// Before every value.
    BelowAll,
    /// At the bytes of a value.
    At(Vec<u8>),
    /// After every value.
    AboveAll,
}

/// Like [`SegmentBound`], and whether the segment can hold the value itself.
enum Place {
    BelowAll,
    /// At this value.
    On(Vec<u8>),
    /// Between two values; this is the greater.
    Before(Vec<u8>),
    AboveAll,
}

impl Segment {
    /// The bytes of the smallest value, not before `value`, that the segment can hold.
    ///
    /// Times are rounded up to the unit or format: for the times that a segment can hold,
    /// `[start, end)` is `[bound(start), bound(end))`. Times before 1970 in text (on the clock of a
    /// format), and numbers and times beyond the width, are outside. This is in terms of values,
    /// not bytes, even if the segment is reversed.
    ///
    /// # Errors
    /// For a string or byte string that the segment cannot hold, and for a value of another kind.
    pub fn encode_bound(
        &self,
        value: &SegmentValue,
        separator: u8,
    ) -> Result<SegmentBound, SegmentError> {
        Ok(match self.place(value, separator)? {
            Place::BelowAll => SegmentBound::BelowAll,
            Place::On(bytes) | Place::Before(bytes) => SegmentBound::At(bytes),
            Place::AboveAll => SegmentBound::AboveAll,
        })
    }

    /// The bytes of the keys whose value is in a range, after the preceding segments; `None` if the
    /// range contains no value.
    ///
    /// Start and end are in terms of values, even if the segment is reversed. `last` is whether
    /// nothing follows the segment in the key.
    ///
    /// # Errors
    /// Those of [`encode_bound`](Segment::encode_bound).
    pub fn encode_range(
        &self,
        start: Bound<&SegmentValue>,
        end: Bound<&SegmentValue>,
        separator: &str,
        last: bool,
    ) -> Result<Option<ByteRange>, SegmentError> {
        if let SegmentFormat::Bucket(bucket) = &self.format {
            return bucket_range(bucket, start, end, separator, last);
        }
        let start = self.locate(start, first_byte(separator))?;
        let end = self.locate(end, first_byte(separator))?;
        let lower = match start {
            Bound::Unbounded
            | Bound::Included(Place::BelowAll)
            | Bound::Excluded(Place::BelowAll) => Bound::Unbounded,
            Bound::Included(Place::AboveAll) | Bound::Excluded(Place::AboveAll) => return Ok(None),
            Bound::Excluded(Place::On(bytes)) => Bound::Excluded(bytes),
            Bound::Included(Place::On(bytes) | Place::Before(bytes))
            | Bound::Excluded(Place::Before(bytes)) => Bound::Included(bytes),
        };
        let upper = match end {
            Bound::Unbounded
            | Bound::Included(Place::AboveAll)
            | Bound::Excluded(Place::AboveAll) => Bound::Unbounded,
            Bound::Included(Place::BelowAll) | Bound::Excluded(Place::BelowAll) => return Ok(None),
            Bound::Included(Place::On(bytes)) => Bound::Included(bytes),
            Bound::Excluded(Place::On(bytes) | Place::Before(bytes))
            | Bound::Included(Place::Before(bytes)) => Bound::Excluded(bytes),
        };
        let (lower, upper) = if self.format.is_reversed() {
            (upper, lower)
        } else {
            (lower, upper)
        };
        Ok(of_bytes(lower, upper, separator, last))
    }

    /// The bytes of the keys whose text begins with `prefix`, after the preceding segments.
    ///
    /// # Errors
    /// For a prefix that no text of the segment has, and if the segment does not hold text.
    pub fn encode_text_prefix(
        &self,
        prefix: &str,
        separator: &str,
        last: bool,
    ) -> Result<ByteRange, SegmentError> {
        if prefix.is_empty() && self.kind == SegmentKind::String {
            return Ok((Bound::Unbounded, Bound::Unbounded));
        }
        let mut bytes = Vec::new();
        let start = match &self.format {
            SegmentFormat::Padded { width, pad } => {
                let (width, pad) = (usize::from(*width), *pad);
                if prefix.len() > width {
                    return Err(refuse::too_wide(&prefix, prefix.len(), width));
                }
                if prefix.bytes().any(|byte| byte < pad) {
                    return Err(refuse::below_pad(prefix, pad));
                }
                bytes.extend_from_slice(prefix.as_bytes());
                let mut shorter = bytes.clone();
                shorter.resize(width, pad);
                if bytes.last() == Some(&pad) {
                    // A shorter text whose pads look like the prefix does not begin with the
                    // prefix.
                    after_value(shorter, separator, last)
                } else {
                    Bound::Included(bytes.clone())
                }
            }
            _ => {
                let text = SegmentValue::String(prefix.to_owned());
                self.encode(&text, first_byte(separator), &mut bytes)?;
                Bound::Included(bytes.clone())
            }
        };
        Ok((start, end_of(&bytes)))
    }

    fn locate(
        &self,
        bound: Bound<&SegmentValue>,
        separator: u8,
    ) -> Result<Bound<Place>, SegmentError> {
        try_map(bound, |value| self.place(value, separator))
    }

    fn place(&self, value: &SegmentValue, separator: u8) -> Result<Place, SegmentError> {
        let mut exact = true;
        let ceil;
        let value = match (value, &self.format) {
            (SegmentValue::Time(time), format) if instant::is_below(*time, format) => {
                return Ok(Place::BelowAll);
            }
            (SegmentValue::Time(time), format) => {
                let stored = match self.kind {
                    SegmentKind::Date => date::ceil(*time),
                    _ => Some(*time),
                };
                let above = stored.and_then(|stored| instant::ceil(stored, format));
                let Some(time_above) = above else {
                    return Ok(Place::AboveAll);
                };
                exact = time_above == *time;
                ceil = SegmentValue::Time(time_above);
                &ceil
            }
            (SegmentValue::Unsigned(number), format)
                if *number > integer::max_magnitude(self.kind, format) =>
            {
                return Ok(Place::AboveAll);
            }
            (SegmentValue::Signed(number), format) => {
                let max = integer::max_magnitude(self.kind, format);
                // The least is -max - 1: `!number` is |number| - 1.
                match u128::try_from(*number) {
                    Ok(number) if number > max => return Ok(Place::AboveAll),
                    Err(_) if (!number).unsigned_abs() > max => return Ok(Place::BelowAll),
                    _ => value,
                }
            }
            (SegmentValue::String(text), SegmentFormat::CodedText { last: true, .. })
                if text.is_empty() =>
            {
                return Ok(Place::BelowAll);
            }
            (SegmentValue::Char(one), SegmentFormat::Char)
                if u32::from(*one) <= u32::from(separator) =>
            {
                return Ok(Place::BelowAll);
            }
            (value, _) => value,
        };
        let mut bytes = Vec::new();
        self.encode(value, separator, &mut bytes)?;
        Ok(if exact {
            Place::On(bytes)
        } else {
            Place::Before(bytes)
        })
    }
}

/// The bytes of the buckets that hold times of a range. Labels must sort.
fn bucket_range(
    bucket: &Bucket,
    start: Bound<&SegmentValue>,
    end: Bound<&SegmentValue>,
    separator: &str,
    last: bool,
) -> Result<Option<ByteRange>, SegmentError> {
    let time = |value: &SegmentValue| match value {
        SegmentValue::Time(time) => Ok(*time),
        other => Err(SegmentError::Mismatch {
            kind: format!("{other:?}"),
            format: format!("{{:{bucket}}}"),
        }),
    };
    let after = |time: Timestamp| Timestamp::from_micros(time.as_micros().saturating_add(1));
    let before = |time: Timestamp| Timestamp::from_micros(time.as_micros().saturating_sub(1));
    let first = match start {
        Bound::Unbounded => None,
        Bound::Included(value) => Some(time(value)?),
        Bound::Excluded(value) => Some(after(time(value)?)),
    };
    let last_time = match end {
        Bound::Unbounded => None,
        Bound::Included(value) => Some(time(value)?),
        Bound::Excluded(value) => Some(before(time(value)?)),
    };
    if let (Some(first), Some(last)) = (first, last_time)
        && first > last
    {
        return Ok(None);
    }
    let lower = match first.map(|time| bucket.edge(time)) {
        None | Some(Edge::Before) => Bound::Unbounded,
        Some(Edge::At(label)) => Bound::Included(label),
        Some(Edge::After) => return Ok(None),
    };
    let upper = match last_time.map(|time| bucket.edge(time)) {
        None | Some(Edge::After) => Bound::Unbounded,
        Some(Edge::At(label)) => Bound::Included(label),
        Some(Edge::Before) => return Ok(None),
    };
    let (lower, upper) = match bucket.is_reversed() {
        true => (upper, lower),
        false => (lower, upper),
    };
    Ok(of_bytes(lower, upper, separator, last))
}

/// Converts ends among values, in byte order, to ends among keys.
fn of_bytes(
    lower: Bound<Vec<u8>>,
    upper: Bound<Vec<u8>>,
    separator: &str,
    last: bool,
) -> Option<ByteRange> {
    let start = match lower {
        Bound::Excluded(bytes) => after_value(bytes, separator, last),
        start => start,
    };
    let end = match upper {
        Bound::Included(bytes) if last => Bound::Included(bytes),
        Bound::Included(bytes) => end_of(&with(bytes, separator)),
        end => end,
    };
    let empty = match (&start, &end) {
        (Bound::Included(start), Bound::Included(end)) => start > end,
        (
            Bound::Included(start) | Bound::Excluded(start),
            Bound::Included(end) | Bound::Excluded(end),
        ) => start >= end,
        (_, Bound::Excluded(end)) => end.is_empty(),
        _ => false,
    };
    (!empty).then_some((start, end))
}

/// The start after all keys of one value.
fn after_value(bytes: Vec<u8>, separator: &str, last: bool) -> Bound<Vec<u8>> {
    if last {
        return Bound::Excluded(bytes);
    }
    match end_of(&with(bytes, separator)) {
        Bound::Excluded(end) => Bound::Included(end),
        // A separator has a byte that can be incremented; an empty separator leaves no better
        // bound.
        end => end,
    }
}

/// The bound with its value converted.
pub(crate) fn try_map<T, U, E>(
    bound: Bound<T>,
    convert: impl FnOnce(T) -> Result<U, E>,
) -> Result<Bound<U>, E> {
    Ok(match bound {
        Bound::Included(value) => Bound::Included(convert(value)?),
        Bound::Excluded(value) => Bound::Excluded(convert(value)?),
        Bound::Unbounded => Bound::Unbounded,
    })
}

fn with(mut bytes: Vec<u8>, separator: &str) -> Vec<u8> {
    bytes.extend_from_slice(separator.as_bytes());
    bytes
}

/// The end of the keys that begin with `prefix`.
fn end_of(prefix: &[u8]) -> Bound<Vec<u8>> {
    match prefix_end(prefix) {
        Some(end) => Bound::Excluded(end),
        None => Bound::Unbounded,
    }
}
