//! The rows of a request, to check the rows of its answer.

use std::ops::Bound;

use bytes::Bytes;

use crate::data::{ByteRange, RowSet, disjoint};

/// The rows that were asked for. Keys are looked up in the order of the read, so that each costs
/// one comparison and no search.
#[derive(Debug)]
pub(crate) struct Asked {
    reversed: bool,
    /// Disjoint, in the order of the read.
    ranges: Vec<ByteRange>,
    here: Place,
    /// The place of the last complete row. After a row that was not completed, an earlier one may
    /// follow.
    kept: Place,
}

/// How far the answer has come.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// The index of a range.
    range: usize,
    /// Whether a key was in it, so that no later key lies before it.
    entered: bool,
}

impl Asked {
    /// The whole table.
    pub(crate) fn all(reversed: bool) -> Self {
        Self::new(vec![(Bound::Unbounded, Bound::Unbounded)], reversed)
    }

    /// These rows.
    pub(crate) fn rows(rows: &RowSet, reversed: bool) -> Self {
        let mut ranges = disjoint(rows);
        if reversed {
            ranges.reverse();
        }
        Self::new(ranges, reversed)
    }

    fn new(ranges: Vec<ByteRange>, reversed: bool) -> Self {
        Self {
            reversed,
            ranges,
            here: Place::default(),
            kept: Place::default(),
        }
    }

    /// Whether this key is in the set. Each key must come after the previous ones.
    #[inline]
    pub(super) fn has(&mut self, key: &[u8]) -> bool {
        while let Some((start, end)) = self.ranges.get(self.here.range) {
            let (entered, left) = match self.reversed {
                false => (
                    self.here.entered || !is_before(key, start),
                    is_after(key, end),
                ),
                true => (
                    self.here.entered || !is_after(key, end),
                    is_before(key, start),
                ),
            };
            if !left {
                self.here.entered = entered;
                return entered;
            }
            self.here = Place {
                range: self.here.range + 1,
                entered: false,
            };
        }
        false
    }

    /// The last row is complete.
    #[inline]
    pub(super) fn stay(&mut self) {
        self.kept = self.here;
    }

    /// The last row was not completed.
    pub(super) fn go_back(&mut self) {
        self.here = self.kept;
    }
}

#[inline]
fn is_before(key: &[u8], start: &Bound<Bytes>) -> bool {
    match start {
        Bound::Included(start) => key < start,
        Bound::Excluded(start) => key <= start,
        Bound::Unbounded => false,
    }
}

#[inline]
fn is_after(key: &[u8], end: &Bound<Bytes>) -> bool {
    match end {
        Bound::Included(end) => key > end,
        Bound::Excluded(end) => key >= end,
        Bound::Unbounded => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::data::RowRange;

    fn key() -> impl Strategy<Value = Bytes> {
        prop::collection::vec(0..3_u8, 1..4).prop_map(Bytes::from)
    }

    fn bound() -> impl Strategy<Value = Bound<Bytes>> {
        prop_oneof![
            key().prop_map(Bound::Included),
            key().prop_map(Bound::Excluded),
            Just(Bound::Unbounded),
            Just(Bound::Excluded(Bytes::new())),
        ]
    }

    prop_compose! {
        fn rows()(
            keys in prop::collection::vec(key(), 0..5),
            ranges in prop::collection::vec((bound(), bound()), 0..4),
        ) -> RowSet {
            let ranges = ranges.into_iter().map(|(start, end)| RowRange { start, end });
            RowSet { keys, ranges: ranges.collect() }
        }
    }

    proptest! {
        /// Each key gets the same answer as from the set, whatever was given up before it.
        #[test]
        fn a_key_is_judged_as_the_set_does(
            rows in rows(),
            keys in prop::collection::btree_map(key(), any::<bool>(), 0..20),
            reversed: bool,
        ) {
            let mut asked = Asked::rows(&rows, reversed);
            let mut keys: Vec<_> = keys.into_iter().collect();
            if reversed {
                keys.reverse();
            }
            let all: BTreeSet<_> = keys.iter().map(|(key, _)| key.clone()).collect();
            for (key, completed) in keys {
                // A later row is begun, and not completed.
                let later = if reversed { all.first() } else { all.last() };
                if let Some(later) = later {
                    prop_assert_eq!(asked.has(later), rows.contains(later));
                    asked.go_back();
                }
                prop_assert_eq!(asked.has(&key), rows.contains(&key), "{:?}", key);
                match completed {
                    true => asked.stay(),
                    false => asked.go_back(),
                }
            }
        }
    }
}
