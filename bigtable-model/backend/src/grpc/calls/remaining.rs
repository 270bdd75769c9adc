//! The rows that a read still has to read.

use std::collections::VecDeque;
use std::ops::Bound;

use bytes::Bytes;

use crate::data::{RowRange, RowSet};
use crate::grpc::protocol::assemble::Asked;
use crate::grpc::protocol::wire;

#[cfg(test)]
mod tests;

/// The row sets of the remaining requests. A set that is too large for one request becomes several,
/// in the order of the read.
#[derive(Debug)]
pub(crate) struct Remaining {
    parts: VecDeque<Part>,
    reversed: bool,
}

#[derive(Debug, PartialEq)]
enum Part {
    /// The whole table, which has no set on the wire.
    All,
    /// Never empty: an empty set would read the whole table.
    Rows(RowSet),
}

impl Remaining {
    /// All of `rows`, at most `limit` bytes in one request. A set that fits is sent unchanged.
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

    /// The rows of the next request, to check the rows of its answer.
    pub(crate) fn asked(&self) -> Asked {
        match self.parts.front() {
            Some(Part::Rows(rows)) => Asked::rows(rows, self.reversed),
            Some(Part::All) | None => Asked::all(self.reversed),
        }
    }

    /// The current request was answered in full.
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
        self.narrow(|rows| rows.within(&unread));
    }

    /// Leaves out this row; returns whether it would have been read.
    pub(crate) fn leave_out(&mut self, key: &Bytes) -> bool {
        let there = match self.parts.front() {
            None => false,
            Some(Part::All) => true,
            Some(Part::Rows(rows)) => rows.contains(key),
        };
        self.narrow(|mut rows| {
            rows.keys.retain(|one| one != key);
            let ranges = rows.ranges.iter();
            rows.ranges = ranges.flat_map(|range| range.without(key)).collect();
            (!rows.is_all()).then_some(rows)
        });
        there
    }

    /// Changes the row set of the current request; a request without rows is done.
    fn narrow(&mut self, change: impl FnOnce(RowSet) -> Option<RowSet>) {
        let rows = match self.parts.pop_front() {
            None => return,
            Some(Part::All) => RowSet::range(RowRange::all()),
            Some(Part::Rows(rows)) => rows,
        };
        if let Some(rows) = change(rows) {
            self.parts.push_front(Part::Rows(rows));
        }
    }
}

/// Sets of at most `limit` bytes, each with keys before those of the next; a single range may be
/// larger.
fn split(rows: RowSet, limit: usize) -> impl Iterator<Item = RowSet> {
    let mut ranges = rows.into_disjoint().into_iter().peekable();
    std::iter::from_fn(move || {
        let mut part = RowSet::all();
        let mut bytes = 0;
        while let Some(range) =
            ranges.next_if(|range| bytes == 0 || bytes + range_size(range) <= limit)
        {
            bytes += range_size(&range);
            match range.only_key() {
                Some(key) => part.keys.push(key.clone()),
                None => part.ranges.push(range),
            }
        }
        (!part.is_all()).then_some(part)
    })
}

/// At least its size on the wire.
fn size(rows: &RowSet) -> usize {
    let keys = rows.keys.iter().map(|key| field_size(key.len()));
    keys.chain(rows.ranges.iter().map(range_size)).sum()
}

fn range_size(range: &RowRange) -> usize {
    if let Some(key) = range.only_key() {
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
