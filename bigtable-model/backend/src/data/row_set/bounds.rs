//! The ends of ranges of bytes, and their order.

use std::cmp::Ordering;
use std::ops::Bound;

use bytes::Bytes;

/// A range of bytes: of row keys, qualifiers or values.
pub type ByteRange = (Bound<Bytes>, Bound<Bytes>);

/// The start of a range, ordered by what the range contains.
#[cfg(feature = "memory")]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Start(pub(crate) Bound<Bytes>);

#[cfg(feature = "memory")]
impl Ord for Start {
    fn cmp(&self, other: &Self) -> Ordering {
        compare_starts(&self.0, &other.0)
    }
}

#[cfg(feature = "memory")]
impl PartialOrd for Start {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

pub(super) fn compare_starts(a: &Bound<Bytes>, b: &Bound<Bytes>) -> Ordering {
    let rank = |bound: &Bound<Bytes>| matches!(bound, Bound::Excluded(_));
    match (bytes(a), bytes(b)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(one), Some(other)) => one.cmp(other).then_with(|| rank(a).cmp(&rank(b))),
    }
}

pub(crate) fn compare_ends(a: &Bound<Bytes>, b: &Bound<Bytes>) -> Ordering {
    let rank = |bound: &Bound<Bytes>| matches!(bound, Bound::Included(_));
    match (bytes(a), bytes(b)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(one), Some(other)) => one.cmp(other).then_with(|| rank(a).cmp(&rank(b))),
    }
}

fn bytes(bound: &Bound<Bytes>) -> Option<&Bytes> {
    match bound {
        Bound::Included(bytes) | Bound::Excluded(bytes) => Some(bytes),
        Bound::Unbounded => None,
    }
}

/// Whether anything can lie between these ends.
pub(super) fn holds_any(start: Bound<&[u8]>, end: Bound<&[u8]>) -> bool {
    match (start, end) {
        // Nothing sorts before the empty bytes.
        (_, Bound::Excluded([])) => false,
        (_, Bound::Unbounded) | (Bound::Unbounded, _) => true,
        (Bound::Included(start), Bound::Included(end)) => start <= end,
        (Bound::Included(start), Bound::Excluded(end))
        | (Bound::Excluded(start), Bound::Included(end)) => start < end,
        // The next key after some bytes is the same bytes and a 0.
        (Bound::Excluded(start), Bound::Excluded(end)) => {
            start < end && end.strip_prefix(start) != Some(&[0])
        }
    }
}

fn is_empty((start, end): &ByteRange) -> bool {
    let slice = |bytes| Bytes::as_ref(bytes);
    !holds_any(start.as_ref().map(slice), end.as_ref().map(slice))
}

/// The overlap of both; `None` if nothing can be in it.
pub(super) fn intersection(one: ByteRange, other: ByteRange) -> Option<ByteRange> {
    let start = match compare_starts(&one.0, &other.0) {
        Ordering::Less => other.0,
        Ordering::Equal | Ordering::Greater => one.0,
    };
    let end = match compare_ends(&one.1, &other.1) {
        Ordering::Greater => other.1,
        Ordering::Equal | Ordering::Less => one.1,
    };
    let both = (start, end);
    (!is_empty(&both)).then_some(both)
}

/// Whether a range that begins with `start` continues one that ends with `end`, without a key
/// between them.
fn touches(end: &Bound<Bytes>, start: &Bound<Bytes>) -> bool {
    match (end, start) {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => true,
        (Bound::Excluded(end), Bound::Excluded(start)) => start < end,
        (Bound::Excluded(end), Bound::Included(start))
        | (Bound::Included(end), Bound::Excluded(start)) => start <= end,
        (Bound::Included(end), Bound::Included(start)) => {
            start <= end || start.strip_prefix(end.as_ref()) == Some(&[0])
        }
    }
}

/// Adds a range that begins no earlier than those before it, which are disjoint.
pub(crate) fn join(united: &mut Vec<ByteRange>, (start, end): ByteRange) {
    match united.last_mut() {
        Some((_, last)) if touches(last, &start) => {
            if compare_ends(last, &end).is_lt() {
                *last = end;
            }
        }
        _ => united.push((start, end)),
    }
}

/// The same bytes as disjoint ranges, ascending; ranges that touch become one.
///
/// ```
/// use std::ops::Bound;
/// use bigtable_backend::data::united;
///
/// let range = |start: &'static str, end: &'static str| {
///     (Bound::Included(start.into()), Bound::Excluded(end.into()))
/// };
/// let ranges = [range("b", "d"), range("x", "c"), range("a", "b"), range("c", "e")];
/// assert_eq!(united(ranges), [range("a", "e")]);
/// ```
#[must_use]
pub fn united(ranges: impl IntoIterator<Item = ByteRange>) -> Vec<ByteRange> {
    let ranges = ranges.into_iter().filter(|range| !is_empty(range));
    let mut ranges: Vec<_> = ranges.collect();
    ranges.sort_by(|a, b| compare_starts(&a.0, &b.0));
    let mut united = Vec::with_capacity(ranges.len());
    for range in ranges {
        join(&mut united, range);
    }
    united
}
