//! Sets of rows in their simplest form.

use std::ops::Bound;

use bytes::Bytes;

use crate::data::{RowRange, RowSet};

/// The keys from `start` on that are before `end`; without an end there is none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HalfOpen {
    pub(super) start: Vec<u8>,
    pub(super) end: Option<Vec<u8>>,
}

/// The rows of one scan while they are gathered, in any order: keys where every segment has a value, otherwise ranges.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) keys: Vec<Vec<u8>>,
    pub(super) ranges: Vec<HalfOpen>,
}

impl HalfOpen {
    fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    /// Whether no key lies between this range and the later one.
    fn touches(&self, later: &Self) -> bool {
        self.end.as_ref().is_none_or(|end| later.start <= *end)
    }

    fn into_range(self) -> RowRange {
        RowRange {
            start: match self.start.is_empty() {
                true => Bound::Unbounded,
                false => Bound::Included(self.start.into()),
            },
            end: self
                .end
                .map_or(Bound::Unbounded, |end| Bound::Excluded(end.into())),
        }
    }
}

impl Gathered {
    /// Keys and ranges in ascending order, none of them twice, ranges that touch as one. No rows at all are none: an
    /// empty set would be the whole table.
    pub(super) fn into_set(self) -> Option<RowSet> {
        let ranges = unite(self.ranges);
        let mut keys = self.keys;
        keys.sort_unstable();
        keys.dedup();
        if keys.is_empty() && ranges.is_empty() {
            return None;
        }
        if ranges
            .iter()
            .any(|range| range.start.is_empty() && range.end.is_none())
        {
            return Some(RowSet::all());
        }
        Some(RowSet {
            keys: keys.into_iter().map(Bytes::from).collect(),
            ranges: ranges.into_iter().map(HalfOpen::into_range).collect(),
        })
    }
}

fn unite(mut ranges: Vec<HalfOpen>) -> Vec<HalfOpen> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable();
    let mut united: Vec<HalfOpen> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match united.last_mut() {
            Some(last) if last.touches(&range) => {
                if range.end.is_none() || last.end.is_some() && range.end > last.end {
                    last.end = range.end;
                }
            }
            _ => united.push(range),
        }
    }
    united
}
