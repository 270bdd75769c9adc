use std::fmt;
use std::ops::{Bound, RangeBounds};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// A range of row keys in the order of their bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RowRange {
    /// Where the range begins.
    pub start: Bound<Bytes>,
    /// Where the range ends.
    pub end: Bound<Bytes>,
}

impl RowRange {
    /// Every row.
    #[must_use]
    pub fn all() -> Self {
        Self {
            start: Bound::Unbounded,
            end: Bound::Unbounded,
        }
    }

    /// The keys from `start` on that are before `end`.
    #[must_use]
    pub fn half_open(start: impl Into<Bytes>, end: impl Into<Bytes>) -> Self {
        Self {
            start: Bound::Included(start.into()),
            end: Bound::Excluded(end.into()),
        }
    }

    /// The keys that begin with `prefix`, up to and including those after bytes of `ff`.
    #[must_use]
    pub fn prefix(prefix: impl Into<Bytes>) -> Self {
        let start = prefix.into();
        let end = match prefix_end(&start) {
            Some(end) => Bound::Excluded(end.into()),
            None => Bound::Unbounded,
        };
        Self {
            start: Bound::Included(start),
            end,
        }
    }

    /// Whether `key` lies in the range.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        let start = self.start.as_ref().map(|bytes| bytes.as_ref());
        let end = self.end.as_ref().map(|bytes| bytes.as_ref());
        RangeBounds::<[u8]>::contains(&(start, end), key)
    }

    /// Whether no key can lie in the range.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match (&self.start, &self.end) {
            (_, Bound::Unbounded) | (Bound::Unbounded, Bound::Included(_)) => false,
            (Bound::Unbounded, Bound::Excluded(end)) => end.is_empty(),
            (Bound::Included(start), Bound::Included(end)) => start > end,
            (Bound::Included(start) | Bound::Excluded(start), Bound::Excluded(end))
            | (Bound::Excluded(start), Bound::Included(end)) => start >= end,
        }
    }
}

impl fmt::Display for RowRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            Bound::Included(key) => write!(f, "[\"{}\"", key.escape_ascii())?,
            Bound::Excluded(key) => write!(f, "(\"{}\"", key.escape_ascii())?,
            Bound::Unbounded => f.write_str("(first")?,
        }
        f.write_str(", ")?;
        match &self.end {
            Bound::Included(key) => write!(f, "\"{}\"]", key.escape_ascii()),
            Bound::Excluded(key) => write!(f, "\"{}\")", key.escape_ascii()),
            Bound::Unbounded => f.write_str("last)"),
        }
    }
}

/// The first key after every key that begins with `prefix`; none when the prefix is empty or all `ff`.
///
/// ```
/// use bigtable_model::data::prefix_end;
/// assert_eq!(prefix_end(b"NASDAQ#"), Some(b"NASDAQ$".to_vec()));
/// assert_eq!(prefix_end(b"a\xff\xff"), Some(b"b".to_vec()));
/// assert_eq!(prefix_end(b"\xff"), None);
/// ```
#[must_use]
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if let Some(next) = last.checked_add(1) {
            end.push(next);
            return Some(end);
        }
    }
    None
}

/// The rows of a read: single keys and ranges of keys, united.
///
/// As on the wire, a set without keys and ranges is the whole table. A [`Plan`](crate::query::Plan)
/// that holds no rows is therefore never turned into a request.
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

    /// Whether this is the whole table by having neither keys nor ranges.
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
}
