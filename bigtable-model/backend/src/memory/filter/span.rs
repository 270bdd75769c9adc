//! Ranges of qualifiers and values.

use std::ops::{Bound, RangeBounds};

use bytes::Bytes;

/// A range of bytes that may be empty or inverted, and then holds nothing.
#[derive(Debug, Clone)]
pub(in crate::memory) struct Span {
    pub(in crate::memory) start: Bound<Bytes>,
    pub(in crate::memory) end: Bound<Bytes>,
}

impl Span {
    /// The bytes of both ends: no comparison looks at more.
    pub(in crate::memory) fn len(&self) -> usize {
        [&self.start, &self.end]
            .into_iter()
            .filter_map(key)
            .map(Bytes::len)
            .sum()
    }

    pub(in crate::memory) fn contains(&self, bytes: &[u8]) -> bool {
        let start = self.start.as_ref().map(|start| start.as_ref());
        let end = self.end.as_ref().map(|end| end.as_ref());
        RangeBounds::<[u8]>::contains(&(start, end), bytes)
    }
}

fn key(bound: &Bound<Bytes>) -> Option<&Bytes> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
        Bound::Unbounded => None,
    }
}
