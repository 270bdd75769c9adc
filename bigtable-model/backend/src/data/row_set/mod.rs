//! Ranges and sets of row keys, and their intersections.
//!
//! All code that unites, cuts or compares ranges is here, for row keys, qualifiers and values.

mod bounds;
mod range;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

pub use bounds::{ByteRange, united};
#[cfg(feature = "memory")]
pub(crate) use bounds::{Start, compare_ends, join};
pub use range::{RowRange, prefix_end};

/// The rows of a read: single keys and ranges of keys, united.
///
/// As on the wire, a set without keys and ranges is the whole table. So a `Plan` of bigtable-model
/// that selects no rows never becomes a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct RowSet {
    /// Single row keys, in any order.
    pub keys: Vec<Bytes>,
    /// Ranges, in any order; they may overlap.
    pub ranges: Vec<RowRange>,
}

impl RowSet {
    /// The whole table.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// One row.
    #[must_use]
    pub fn key(key: impl Into<Bytes>) -> Self {
        Self {
            keys: vec![key.into()],
            ranges: Vec::new(),
        }
    }

    /// One range.
    #[must_use]
    pub fn range(range: RowRange) -> Self {
        Self {
            keys: Vec::new(),
            ranges: vec![range],
        }
    }

    /// Whether this is the whole table: a set without keys and ranges.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.keys.is_empty() && self.ranges.is_empty()
    }

    /// Whether `key` is in the set.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        self.is_all()
            || self.keys.iter().any(|one| one == key)
            || self.ranges.iter().any(|range| range.contains(key))
    }

    /// The rows of the set that are in a range; `None` if no key can be.
    ///
    /// ```
    /// use bigtable_backend::data::{RowRange, RowSet};
    ///
    /// let rows = RowSet { keys: vec!["x".into()], ranges: vec![RowRange::prefix("a")] };
    /// let until_b = RowRange::half_open("", "b");
    /// assert_eq!(rows.within(&until_b), Some(RowSet::range(RowRange::prefix("a"))));
    /// assert_eq!(rows.within(&RowRange::prefix("y")), None);
    /// ```
    #[must_use]
    pub fn within(&self, range: &RowRange) -> Option<Self> {
        if self.is_all() {
            return (!range.is_empty()).then(|| Self::range(range.clone()));
        }
        let keys = self.keys.iter().filter(|key| range.contains(key));
        let ranges = self.ranges.iter().filter_map(|one| one.within(range));
        let rows = Self {
            keys: keys.cloned().collect(),
            ranges: ranges.collect(),
        };
        (!rows.is_all()).then_some(rows)
    }

    /// The same rows as disjoint ranges, ascending.
    ///
    /// ```
    /// use bigtable_backend::data::{RowRange, RowSet};
    ///
    /// let rows = RowSet {
    ///     keys: vec!["b".into()],
    ///     ranges: vec![RowRange::half_open("b", "d"), RowRange::half_open("a", "b")],
    /// };
    /// assert_eq!(rows.into_disjoint(), [RowRange::half_open("a", "d")]);
    /// ```
    #[must_use]
    pub fn into_disjoint(self) -> Vec<RowRange> {
        disjoint(&self).into_iter().map(RowRange::from).collect()
    }
}

/// The rows of a set as disjoint ranges, ascending.
pub(crate) fn disjoint(rows: &RowSet) -> Vec<ByteRange> {
    let keys = rows.keys.iter().cloned().map(RowRange::key);
    let ranges = rows.ranges.iter().cloned().chain(keys);
    match (rows.keys.len(), rows.ranges.len()) {
        (0, 0) => vec![RowRange::all().into_ends()],
        _ => united(ranges.map(RowRange::into_ends)),
    }
}
