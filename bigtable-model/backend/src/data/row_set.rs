use std::fmt;
use std::ops::{Bound, RangeBounds};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// A range of row keys in the order of their bytes.
///
/// As on the wire, an end that excludes the empty key is no end: `start..""` is everything from
/// `start` on. Every use of a range sees it so, and [`bounds`](Self::bounds) gives the range with
/// it taken into account; only `==` tells it from [`Bound::Unbounded`].
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

    /// The keys from `start` on that are before `end`; an empty `end` is none.
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

    /// The range as ordered maps take it; an end that excludes the empty key is
    /// [`Bound::Unbounded`].
    ///
    /// ```
    /// use std::ops::Bound;
    /// use bigtable_backend::data::RowRange;
    ///
    /// let range = RowRange { start: Bound::Excluded("a".into()), end: Bound::Excluded("".into()) };
    /// assert_eq!(range.bounds(), (Bound::Excluded(b"a".as_slice()), Bound::Unbounded));
    /// assert!(range.contains(b"b"));
    /// ```
    #[must_use]
    pub fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        let end = match &self.end {
            Bound::Excluded(end) if end.is_empty() => Bound::Unbounded,
            end => end.as_ref().map(|key| key.as_ref()),
        };
        (self.start.as_ref().map(|key| key.as_ref()), end)
    }

    /// The same range with [`Bound::Unbounded`] for an end that excludes the empty key.
    #[must_use]
    pub fn normal(mut self) -> Self {
        if matches!(&self.end, Bound::Excluded(end) if end.is_empty()) {
            self.end = Bound::Unbounded;
        }
        self
    }

    /// Whether `key` lies in the range.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        RangeBounds::<[u8]>::contains(&self.bounds(), key)
    }

    /// Whether no key can lie in the range.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self.bounds() {
            (_, Bound::Unbounded) | (Bound::Unbounded, _) => false,
            (Bound::Included(start), Bound::Included(end)) => start > end,
            (Bound::Included(start), Bound::Excluded(end))
            | (Bound::Excluded(start), Bound::Included(end)) => start >= end,
            // The first key after one is that key and a byte of 0.
            (Bound::Excluded(start), Bound::Excluded(end)) => {
                start >= end || end.strip_prefix(start) == Some(&[0])
            }
        }
    }
}

impl fmt::Display for RowRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = self.bounds();
        match start {
            Bound::Included(key) => write!(f, "[\"{}\"", key.escape_ascii())?,
            Bound::Excluded(key) => write!(f, "(\"{}\"", key.escape_ascii())?,
            Bound::Unbounded => f.write_str("(first")?,
        }
        f.write_str(", ")?;
        match end {
            Bound::Included(key) => write!(f, "\"{}\"]", key.escape_ascii()),
            Bound::Excluded(key) => write!(f, "\"{}\")", key.escape_ascii()),
            Bound::Unbounded => f.write_str("last)"),
        }
    }
}

/// The first key after every key that begins with `prefix`; none when the prefix is empty or all
/// `ff`.
///
/// ```
/// use bigtable_backend::data::prefix_end;
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
/// As on the wire, a set without keys and ranges is the whole table. A `Plan` of bigtable-model
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

#[cfg(test)]
mod tests {
    use super::*;

    fn until(end: Bound<&'static str>) -> RowRange {
        RowRange {
            start: Bound::Included("b".into()),
            end: end.map(Bytes::from),
        }
    }

    #[test]
    fn an_end_before_the_empty_key_is_none() {
        for range in [
            until(Bound::Excluded("")),
            until(Bound::Unbounded),
            RowRange::half_open("b", ""),
        ] {
            assert!(!range.is_empty());
            assert!(range.contains(b"b") && range.contains(b"\xff\xff"));
            assert!(!range.contains(b"a"));
            assert_eq!(range.to_string(), "[\"b\", last)");
            assert_eq!(range.bounds(), until(Bound::Unbounded).bounds());
            assert_eq!(range.normal(), until(Bound::Unbounded));
        }
        let all = RowRange {
            start: Bound::Unbounded,
            end: Bound::Excluded(Bytes::new()),
        };
        assert!(!all.is_empty() && all.contains(b"") && all.contains(b"a"));
    }

    #[test]
    fn other_ends_are_what_they_say() {
        assert!(until(Bound::Included("")).is_empty());
        assert!(until(Bound::Excluded("b")).is_empty());
        assert!(!until(Bound::Included("b")).is_empty());
        assert!(RowRange::half_open("b", "a").is_empty());
        let after = |end: &'static str| RowRange {
            start: Bound::Excluded("b".into()),
            end: Bound::Excluded(end.into()),
        };
        // `b` and a byte of 0 is the first key after `b`.
        assert!(after("b").is_empty() && after("b\0").is_empty());
        assert!(!after("b\0\0").is_empty() && !after("b\x01").is_empty());
        let only_empty = RowRange {
            start: Bound::Unbounded,
            end: Bound::Included(Bytes::new()),
        };
        assert!(!only_empty.is_empty() && only_empty.contains(b"") && !only_empty.contains(b"a"));
    }
}
