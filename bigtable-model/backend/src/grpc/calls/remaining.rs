//! What of a read's rows is still to be read.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ops::Bound;

use bytes::Bytes;

use crate::data::{RowRange, RowSet};
use crate::grpc::protocol::wire;

#[cfg(test)]
mod tests;

/// The row sets of the requests to come. A set too large for one request is several, which follow
/// one another in the order of the read.
#[derive(Debug)]
pub(crate) struct Remaining {
    parts: VecDeque<Part>,
    reversed: bool,
}

#[derive(Debug, PartialEq)]
enum Part {
    /// The whole table, which on the wire is no set at all.
    All,
    /// Never empty: an empty set would read the whole table.
    Rows(RowSet),
}

impl Remaining {
    /// All of `rows`, at most `limit` bytes in one request. A set that fits goes out exactly as it
    /// is.
    pub(crate) fn new(rows: RowSet, limit: usize, reversed: bool) -> Self {
        let mut parts: VecDeque<_> = match rows.is_all() {
            true => [Part::All].into(),
            false if size(&rows) <= limit => [Part::Rows(rows)].into(),
            false => split(rows, limit).map(Part::Rows).collect(),
        };
        if reversed {
            parts.make_contiguous().reverse();
        }
        Self { parts, reversed }
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether it is a single key.
    pub(crate) fn is_one_row(&self) -> bool {
        match (self.parts.len(), self.parts.front()) {
            (1, Some(Part::Rows(rows))) => rows.keys.len() == 1 && rows.ranges.is_empty(),
            _ => false,
        }
    }

    /// The row set of the next request.
    pub(crate) fn request(&self) -> Option<wire::RowSet> {
        match self.parts.front() {
            Some(Part::Rows(rows)) => Some(rows.clone().into()),
            Some(Part::All) | None => None,
        }
    }

    /// The request at hand was answered in full.
    pub(crate) fn finish_request(&mut self) {
        self.parts.pop_front();
    }

    /// Everything up to this key was read.
    pub(crate) fn read_to(&mut self, position: &Bytes) {
        let unread = match self.reversed {
            false => RowRange {
                start: Bound::Excluded(position.clone()),
                end: Bound::Unbounded,
            },
            true => RowRange {
                start: Bound::Unbounded,
                end: Bound::Excluded(position.clone()),
            },
        };
        self.narrow(|rows| RowSet {
            keys: (rows.keys.into_iter())
                .filter(|key| unread.contains(key))
                .collect(),
            ranges: (rows.ranges.into_iter())
                .filter_map(|range| intersection(range, &unread))
                .collect(),
        });
    }

    /// This row is not to be read; tells whether it was going to be.
    pub(crate) fn leave_out(&mut self, key: &Bytes) -> bool {
        let there = match self.parts.front() {
            None => false,
            Some(Part::All) => true,
            Some(Part::Rows(rows)) => rows.contains(key),
        };
        self.narrow(|mut rows| {
            rows.keys.retain(|one| one != key);
            rows.ranges = (rows.ranges.into_iter())
                .flat_map(|range| without(range, key))
                .collect();
            rows
        });
        there
    }

    /// Changes the row set of the request at hand; one that has nothing left is done.
    fn narrow(&mut self, change: impl FnOnce(RowSet) -> RowSet) {
        let rows = match self.parts.pop_front() {
            None => return,
            Some(Part::All) => RowSet::range(RowRange::all()),
            Some(Part::Rows(rows)) => rows,
        };
        let rows = change(rows);
        if !rows.is_all() {
            self.parts.push_front(Part::Rows(rows));
        }
    }
}

/// On the wire a bound of no bytes is none.
fn unbounded_if_empty(bound: Bound<Bytes>) -> Bound<Bytes> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) if key.is_empty() => Bound::Unbounded,
        bound => bound,
    }
}

/// None when no key can lie in both.
fn intersection(range: RowRange, other: &RowRange) -> Option<RowRange> {
    let start = unbounded_if_empty(range.start);
    let end = unbounded_if_empty(range.end);
    let later = compare_starts(&start, &other.start).is_ge();
    let earlier = compare_ends(&end, &other.end).is_le();
    let both = RowRange {
        start: if later { start } else { other.start.clone() },
        end: if earlier { end } else { other.end.clone() },
    };
    (!is_empty(&both)).then_some(both)
}

/// The parts of a range before and after a key.
fn without(range: RowRange, key: &Bytes) -> impl Iterator<Item = RowRange> + use<> {
    let before = RowRange {
        start: Bound::Unbounded,
        end: Bound::Excluded(key.clone()),
    };
    let behind = RowRange {
        start: Bound::Excluded(key.clone()),
        end: Bound::Unbounded,
    };
    let parts = match range.contains(key) {
        true => [
            intersection(range.clone(), &before),
            intersection(range, &behind),
        ],
        false => [Some(range), None],
    };
    parts.into_iter().flatten()
}

/// As [`RowRange::is_empty`], and for what lies between a key and the very next one.
fn is_empty(range: &RowRange) -> bool {
    let nothing_between = match (&range.start, &range.end) {
        (Bound::Excluded(start), Bound::Excluded(end)) => {
            end.strip_prefix(start.as_ref()) == Some(&[0])
        }
        _ => false,
    };
    nothing_between || range.is_empty()
}

fn compare_starts(a: &Bound<Bytes>, b: &Bound<Bytes>) -> Ordering {
    let rank = |bound: &Bound<Bytes>| matches!(bound, Bound::Excluded(_));
    match (a, b) {
        (Bound::Unbounded, Bound::Unbounded) => Ordering::Equal,
        (Bound::Unbounded, _) => Ordering::Less,
        (_, Bound::Unbounded) => Ordering::Greater,
        (
            Bound::Included(one) | Bound::Excluded(one),
            Bound::Included(other) | Bound::Excluded(other),
        ) => one.cmp(other).then(rank(a).cmp(&rank(b))),
    }
}

fn compare_ends(a: &Bound<Bytes>, b: &Bound<Bytes>) -> Ordering {
    let rank = |bound: &Bound<Bytes>| matches!(bound, Bound::Included(_));
    match (a, b) {
        (Bound::Unbounded, Bound::Unbounded) => Ordering::Equal,
        (Bound::Unbounded, _) => Ordering::Greater,
        (_, Bound::Unbounded) => Ordering::Less,
        (
            Bound::Included(one) | Bound::Excluded(one),
            Bound::Included(other) | Bound::Excluded(other),
        ) => one.cmp(other).then(rank(a).cmp(&rank(b))),
    }
}

/// Whether a range that begins with `start` continues one that ends with `end`, without a key
/// between them.
fn touches(end: &Bound<Bytes>, start: &Bound<Bytes>) -> bool {
    match (end, start) {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => true,
        (Bound::Excluded(end), Bound::Excluded(start)) => start < end,
        (Bound::Included(end) | Bound::Excluded(end), Bound::Included(start))
        | (Bound::Included(end), Bound::Excluded(start)) => start <= end,
    }
}

/// The same rows as ranges that share no key, in order.
fn disjoint(rows: RowSet) -> Vec<RowRange> {
    let keys = rows.keys.into_iter().map(|key| RowRange {
        start: Bound::Included(key.clone()),
        end: Bound::Included(key),
    });
    let all = RowRange::all();
    let ranges = rows.ranges.into_iter();
    let mut ranges: Vec<_> = ranges
        .filter_map(|range| intersection(range, &all))
        .chain(keys)
        .collect();
    ranges.sort_by(|a, b| compare_starts(&a.start, &b.start));
    let mut united: Vec<RowRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match united.last_mut() {
            Some(last) if touches(&last.end, &range.start) => {
                if compare_ends(&last.end, &range.end).is_lt() {
                    last.end = range.end;
                }
            }
            _ => united.push(range),
        }
    }
    united
}

/// Sets of at most `limit` bytes, each one's keys before those of the next; a single range may be
/// larger.
fn split(rows: RowSet, limit: usize) -> impl Iterator<Item = RowSet> {
    let mut ranges = disjoint(rows).into_iter().peekable();
    std::iter::from_fn(move || {
        let mut part = RowSet::all();
        let mut bytes = 0;
        while let Some(range) =
            ranges.next_if(|range| bytes == 0 || bytes + range_size(range) <= limit)
        {
            bytes += range_size(&range);
            match single_key(&range) {
                Some(key) => part.keys.push(key.clone()),
                None => part.ranges.push(range),
            }
        }
        (!part.is_all()).then_some(part)
    })
}

/// No less than what it takes on the wire.
fn size(rows: &RowSet) -> usize {
    let keys = rows.keys.iter().map(|key| field_size(key.len()));
    keys.chain(rows.ranges.iter().map(range_size)).sum()
}

/// The only key that the range can hold.
fn single_key(range: &RowRange) -> Option<&Bytes> {
    match (&range.start, &range.end) {
        (Bound::Included(start), Bound::Included(end)) if start == end => Some(end),
        _ => None,
    }
}

fn range_size(range: &RowRange) -> usize {
    if let Some(key) = single_key(range) {
        return field_size(key.len());
    }
    let bound = |bound: &Bound<Bytes>| match bound {
        Bound::Included(key) | Bound::Excluded(key) => field_size(key.len()),
        Bound::Unbounded => 0,
    };
    field_size(bound(&range.start) + bound(&range.end))
}

/// A tag of one byte, and a length of up to five.
fn field_size(bytes: usize) -> usize {
    bytes + if bytes < 128 { 2 } else { 6 }
}
