//! A range of row keys.

use std::fmt;
use std::ops::{Bound, RangeBounds};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::bounds::{ByteRange, compare_starts, holds_any, intersection};

/// A range of row keys in the order of their bytes.
///
/// As on the wire, an end that excludes the empty key is no end: `start..""` is everything from
/// `start` on. Every method treats it so, and [`bounds`](Self::bounds) returns it as
/// [`Bound::Unbounded`]; only `==` distinguishes the two.
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

    /// The keys from `start` to before `end`; an empty `end` is no end.
    #[must_use]
    pub fn half_open(start: impl Into<Bytes>, end: impl Into<Bytes>) -> Self {
        Self {
            start: Bound::Included(start.into()),
            end: Bound::Excluded(end.into()),
        }
    }

    /// The keys that begin with `prefix`, including a prefix that ends in bytes `ff`.
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

    /// The bounds for ordered maps; an end that excludes the empty key is [`Bound::Unbounded`].
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
        let (start, end) = self.bounds();
        !holds_any(start, end)
    }

    /// The range of one key.
    #[must_use]
    pub fn key(key: impl Into<Bytes>) -> Self {
        let key = key.into();
        Self {
            start: Bound::Included(key.clone()),
            end: Bound::Included(key),
        }
    }

    /// The only key that can be in the range, if its ends leave only one.
    #[must_use]
    pub fn only_key(&self) -> Option<&Bytes> {
        match (&self.start, &self.end) {
            (Bound::Included(start), Bound::Included(end)) if start == end => Some(start),
            _ => None,
        }
    }

    /// The overlap of both ranges; `None` if no key can be in it.
    #[must_use]
    pub fn within(&self, other: &Self) -> Option<Self> {
        let both = intersection(self.clone().into_ends(), other.clone().into_ends());
        both.map(Self::from)
    }

    /// The parts of the range before and after a key.
    pub fn without(&self, key: &Bytes) -> impl Iterator<Item = Self> + use<> {
        let before = Self {
            start: Bound::Unbounded,
            end: Bound::Excluded(key.clone()),
        };
        let after = Self {
            start: Bound::Excluded(key.clone()),
            end: Bound::Unbounded,
        };
        // An empty key, which no row has, would mean no end.
        let parts = match self.contains(key) && !key.is_empty() {
            true => [self.within(&before), self.within(&after)],
            false => [Some(self.clone()), None],
        };
        parts.into_iter().flatten()
    }

    /// Whether the range has keys before all keys of another.
    #[must_use]
    pub fn starts_before(&self, other: &Self) -> bool {
        compare_starts(&self.start, &other.start).is_lt()
    }

    /// Both ends, [`Bound::Unbounded`] where there is none.
    pub(crate) fn into_ends(self) -> ByteRange {
        let range = self.normal();
        let start = match range.start {
            // No key sorts before the empty key, and no row has it.
            Bound::Included(key) | Bound::Excluded(key) if key.is_empty() => Bound::Unbounded,
            start => start,
        };
        (start, range.end)
    }
}

impl From<ByteRange> for RowRange {
    fn from((start, end): ByteRange) -> Self {
        Self { start, end }
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

/// The first key after every key that begins with `prefix`; `None` if the prefix is empty or all
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
