//! Sets of rows in their simplest form.

use std::ops::Bound;

use bytes::Bytes;

use crate::data::{RowRange, RowSet};

/// The maximum size of keys in one request. 512 KiB are allowed; the rest is room for tags and
/// lengths.
const MAX_BYTES: usize = 256 << 10;

/// The maximum overhead of a key or a range on the wire.
const OVERHEAD: usize = 16;

/// The rows of one scan while they are collected: keys if every segment has a value, else ranges.
#[derive(Debug, Default)]
pub(in crate::query) struct Gathered {
    pub(in crate::query) keys: Vec<Vec<u8>>,
    pub(in crate::query) ranges: Vec<RowRange>,
}

impl Gathered {
    /// The rows in ascending order without duplicates, with adjacent ranges merged, in sets that
    /// fit into a request. Without rows there is no set: an empty set would be the whole table.
    pub(in crate::query) fn in_order(self) -> Vec<RowSet> {
        self.sorted().into_sets()
    }

    /// The rows in the order in which they were collected, in as few ascending sets as possible.
    pub(in crate::query) fn in_runs(self) -> Vec<RowSet> {
        let mut runs = Vec::new();
        for keys in self.keys.chunk_by(|one, next| one < next) {
            let keys = keys.to_vec();
            runs.push(Self {
                keys,
                ..Self::default()
            });
        }
        for ranges in self.ranges.chunk_by(RowRange::starts_before) {
            let ranges = ranges.to_vec();
            runs.push(Self {
                ranges,
                ..Self::default()
            });
        }
        runs.into_iter().flat_map(Self::in_order).collect()
    }

    /// The rows in at most `most` groups with about the same number of keys and ranges.
    pub(in crate::query) fn dealt(self, most: usize) -> Vec<Vec<RowSet>> {
        let sorted = self.sorted();
        let all = sorted.keys.len() + sorted.ranges.len();
        let lot = all.div_ceil(most.max(1)).max(1);
        let keys = sorted.keys.chunks(lot).map(|keys| Self {
            keys: keys.to_vec(),
            ..Self::default()
        });
        let ranges = sorted.ranges.chunks(lot).map(|ranges| Self {
            ranges: ranges.to_vec(),
            ..Self::default()
        });
        keys.chain(ranges).map(Self::into_sets).collect()
    }

    fn sorted(mut self) -> Self {
        self.keys.sort_unstable();
        self.keys.dedup();
        let ranges = RowSet {
            keys: Vec::new(),
            ranges: self.ranges,
        };
        self.ranges = match ranges.is_all() {
            true => Vec::new(),
            false => ranges.into_disjoint(),
        };
        self
    }

    /// Sorted rows as sets that fit into a request.
    fn into_sets(self) -> Vec<RowSet> {
        if self.ranges.iter().any(is_all) {
            return vec![RowSet::all()];
        }
        let mut sets = Vec::new();
        let mut set = RowSet::default();
        let mut left = MAX_BYTES;
        for key in self.keys {
            make_room(key.len() + OVERHEAD, &mut left, &mut set, &mut sets);
            set.keys.push(Bytes::from(key));
        }
        for range in self.ranges {
            make_room(size(&range), &mut left, &mut set, &mut sets);
            set.ranges.push(range);
        }
        sets.extend((!set.is_all()).then_some(set));
        sets
    }
}

/// The rows of a set from a key on, in the order of the read (in reverse, up to it); `None` if
/// there are none.
pub(crate) fn rows_from(rows: &RowSet, from: Bound<Bytes>, reversed: bool) -> Option<RowSet> {
    // No key sorts before the empty key, and a range that ended there would have no end.
    if reversed && matches!(&from, Bound::Excluded(key) if key.is_empty()) {
        return None;
    }
    let open = match reversed {
        true => (Bound::Unbounded, from),
        false => (from, Bound::Unbounded),
    };
    rows.within(&open.into())
}

/// Begins a new set if the current one is full.
fn make_room(bytes: usize, left: &mut usize, set: &mut RowSet, sets: &mut Vec<RowSet>) {
    if *left < bytes && !set.is_all() {
        sets.push(std::mem::take(set));
        *left = MAX_BYTES;
    }
    *left = left.saturating_sub(bytes);
}

fn is_all(range: &RowRange) -> bool {
    range.bounds() == (Bound::Unbounded, Bound::Unbounded)
}

/// The maximum size of a range on the wire.
fn size(range: &RowRange) -> usize {
    let (start, end) = range.bounds();
    let bytes = |bound| match bound {
        Bound::Included(key) | Bound::Excluded(key) => <[u8]>::len(key),
        Bound::Unbounded => 0,
    };
    bytes(start) + bytes(end) + OVERHEAD
}
