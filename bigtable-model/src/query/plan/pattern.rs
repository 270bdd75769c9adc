//! Keys as a pattern, for selections that narrow no range.

use bytes::{BufMut, Bytes, BytesMut};

use super::asked::{Asked, Asks};
use crate::data::RowFilter;
use crate::key::time::bucket::BucketLabel;
use crate::key::{Segment, SegmentFormat};
use crate::re2::{any_of, between, quote};

/// The maximum size of one segment's values; with a longer list every value passes.
const MAX_VALUES_BYTES: usize = 1 << 10;

/// The maximum size of the pattern, which shares a filter's 20,480 bytes with the columns.
const MAX_PATTERN_BYTES: usize = 3 << 10;

/// The maximum count in a repetition of a pattern.
const MAX_REPEAT: usize = 1_000;

/// A filter that lets through the keys whose segments are selected, and some others: it does not
/// check where a segment of variable width ends, nor the last bytes of a long bound. `None` if it
/// would let everything through.
pub(in crate::query) fn keys(mut asks: Asks<'_>) -> Option<RowFilter> {
    asks.list_unsorted();
    let mut pattern = BytesMut::new();
    let separator = asks.key.separator.as_bytes();
    let around = if asks.key.enclosed { separator } else { &[] };
    quote(around, &mut pattern);
    quote(asks.key.prefix.as_bytes(), &mut pattern);
    let mut joined = !asks.key.prefix.is_empty();
    let is_matched =
        |asked: &Asked<'_>| matches!(asked, Asked::Points(_)) || asked.range().is_some();
    let last = asks.segments.iter().rposition(is_matched)?;
    let segments = asks.key.segments.iter().zip(&asks.segments).enumerate();
    for (at, (segment, asked)) in segments.take(last + 1) {
        if matches!(asked, Asked::Endless) {
            continue;
        }
        if joined {
            quote(separator, &mut pattern);
        }
        joined = true;
        match asked.range().filter(|_| at == last) {
            // The bounds cover the rest of the key.
            Some(range) => between(range, text_len(segment), &mut pattern),
            None => push_segment(segment, asked, &mut pattern),
        }
    }
    let is_range = asks
        .segments
        .get(last)
        .is_some_and(|asked| asked.range().is_some());
    let mut after = asks.segments.iter().skip(last + 1);
    if is_range {
        // The range covers the key up to its end.
    } else if after.any(|asked| !matches!(asked, Asked::Endless)) {
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

/// How many leading bytes of a segment are ASCII for every value.
fn text_len(segment: &Segment) -> usize {
    let is_text = match &segment.format {
        SegmentFormat::Digits { .. }
        | SegmentFormat::SignedDigits { .. }
        | SegmentFormat::Hex { .. }
        | SegmentFormat::Uuid
        | SegmentFormat::Ticks { .. } => true,
        SegmentFormat::Calendar { format, .. } => format.to_string().is_ascii(),
        SegmentFormat::Bucket(bucket) => match &bucket.label {
            BucketLabel::Calendar(format) => format.to_string().is_ascii(),
            BucketLabel::Start { .. } | BucketLabel::Units { .. } => true,
            _ => false,
        },
        _ => false,
    };
    segment.format.fixed_len().filter(|_| is_text).unwrap_or(0)
}

fn bytes(points: &[Vec<u8>]) -> usize {
    points.iter().map(|point| point.len() + 1).sum()
}
