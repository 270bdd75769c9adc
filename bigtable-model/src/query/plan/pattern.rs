//! Keys as a pattern, for selections that narrow no range.

use bytes::{BufMut, Bytes, BytesMut};

use super::asked::{Asked, Asks};
use crate::data::RowFilter;
use crate::key::Segment;
use crate::re2::{any_of, quote};

/// The maximum size of one segment's values; a longer list lets every value through.
const MAX_VALUES_BYTES: usize = 1 << 10;

/// The maximum size of the pattern; a filter has 20,480 bytes, which it shares with the columns.
const MAX_PATTERN_BYTES: usize = 3 << 10;

/// The maximum count in a repetition of a pattern.
const MAX_REPEAT: usize = 1_000;

/// A filter that lets through the keys whose segments are selected, and some others: it does not
/// compare ranges, nor where a segment of variable width ends. `None` if it would let everything
/// through.
pub(in crate::query) fn keys(asks: &Asks<'_>) -> Option<RowFilter> {
    let mut pattern = BytesMut::new();
    let separator = asks.key.separator.as_bytes();
    let around = if asks.key.enclosed { separator } else { &[] };
    quote(around, &mut pattern);
    quote(asks.key.prefix.as_bytes(), &mut pattern);
    let mut joined = !asks.key.prefix.is_empty();
    let last = asks
        .segments
        .iter()
        .rposition(|asked| matches!(asked, Asked::Points(_)))?;
    for (segment, asked) in asks.key.segments.iter().zip(&asks.segments).take(last + 1) {
        if matches!(asked, Asked::Endless) {
            continue;
        }
        if joined {
            quote(separator, &mut pattern);
        }
        joined = true;
        push_segment(segment, asked, &mut pattern);
    }
    let written = asks.segments.iter().skip(last + 1);
    if written
        .into_iter()
        .any(|asked| !matches!(asked, Asked::Endless))
    {
        quote(separator, &mut pattern);
        pattern.put_slice(b"\\C*");
    } else {
        quote(around, &mut pattern);
    }
    (pattern.len() <= MAX_PATTERN_BYTES).then(|| RowFilter::RowKeyRegex(Bytes::from(pattern)))
}

fn push_segment(segment: &Segment, asked: &Asked<'_>, pattern: &mut BytesMut) {
    match asked {
        Asked::Points(points) if bytes(points) <= MAX_VALUES_BYTES => {
            pattern.put_slice(b"(?:");
            any_of(points.iter().map(Vec::as_slice), "", pattern);
            pattern.put_u8(b')');
        }
        _ => match segment.format.fixed_len() {
            Some(len @ 1..=MAX_REPEAT) => {
                pattern.put_slice(format!("\\C{{{len}}}").as_bytes());
            }
            _ => pattern.put_slice(b"\\C*"),
        },
    }
}

fn bytes(points: &[Vec<u8>]) -> usize {
    points.iter().map(|point| point.len() + 1).sum()
}
