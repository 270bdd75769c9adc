//! Tie-breakers, the last segments of a key, which the qualifiers of a row may have in its place.

use std::borrow::Cow;
use std::ops::Range;

use crate::key::{KeyError, KeyLayout, SegmentRole, SegmentValue, borrow};

/// An event's key in two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyParts {
    /// The length of the key of the event's row.
    pub(crate) row_len: usize,
    /// The bytes of the tie-breakers.
    pub(crate) ties: Range<usize>,
}

impl KeyLayout {
    /// The index of the first tie-breaker; only others follow it.
    pub(crate) fn first_tie_breaker(&self) -> Option<usize> {
        let mut segments = self.segments.iter();
        segments.position(|segment| segment.role == SegmentRole::TieBreaker)
    }

    /// Whether tie-breakers follow a bucket: its row has them in qualifiers, not in its key.
    pub(crate) const fn has_ties_in_cells(&self) -> bool {
        let (mut has_bucket, mut has_ties) = (false, false);
        let mut rest = borrow::list(&self.segments);
        while let [segment, tail @ ..] = rest {
            has_bucket |= matches!(segment.role, SegmentRole::Bucket);
            has_ties |= matches!(segment.role, SegmentRole::TieBreaker);
            rest = tail;
        }
        has_bucket && has_ties
    }

    /// The layout of the keys of rows: without tie-breakers that are in qualifiers.
    pub(crate) fn of_rows(&self) -> Cow<'_, Self> {
        let ties = self.first_tie_breaker();
        match ties.filter(|_| self.has_ties_in_cells()) {
            None => Cow::Borrowed(self),
            Some(ties) => Cow::Owned(Self {
                segments: self.segments.iter().take(ties).cloned().collect(),
                ..self.clone()
            }),
        }
    }

    /// The parts of an event's key; `None` if its row has it as a whole.
    pub(crate) fn parts(&self, key: &[u8]) -> Option<KeyParts> {
        let ties = self
            .first_tie_breaker()
            .filter(|_| self.has_ties_in_cells())?;
        let (before, _) = self.split_at(ties, key)?;
        let start = before.len();
        // An enclosed key ends with the separator, and so does that of its row.
        let (row_len, end) = match self.enclosed {
            true => (start, key.len().checked_sub(self.separator.len())?),
            false => (start.checked_sub(self.separator.len())?, key.len()),
        };
        (start <= end).then_some(KeyParts {
            row_len,
            ties: start..end,
        })
    }

    /// The values of the key of a row: without tie-breakers that are in qualifiers.
    ///
    /// # Errors
    /// Those of [`decode`](KeyLayout::decode).
    pub(crate) fn decode_row(&self, key: &[u8]) -> Result<Vec<SegmentValue>, KeyError> {
        self.of_rows().decode(key)
    }

    /// The values of the key of an event or of a row.
    ///
    /// # Errors
    /// Those of [`decode`](KeyLayout::decode), if it is neither.
    pub(crate) fn decode_either(&self, key: &[u8]) -> Result<Vec<SegmentValue>, KeyError> {
        match self.decode(key) {
            Err(error) if self.has_ties_in_cells() => self.decode_row(key).map_err(|_| error),
            decoded => decoded,
        }
    }

    /// The key of the row of an event.
    pub(crate) fn row_of<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        let row = self.parts(key).and_then(|parts| key.get(..parts.row_len));
        row.unwrap_or(key)
    }

    /// The tie-breakers in qualifiers, as the template of a key shows them.
    pub(crate) fn ties_in_words(&self) -> Option<String> {
        let first = self.first_tie_breaker();
        let ties = self.segments.iter();
        let ties = ties.skip(first.filter(|_| self.has_ties_in_cells())?);
        let ties: Vec<_> = ties.map(ToString::to_string).collect();
        Some(ties.join(&self.separator))
    }

    /// The key of the event with these tie-breakers in a row.
    pub(crate) fn with_ties(&self, row: &[u8], ties: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(row);
        if !self.enclosed {
            out.extend_from_slice(self.separator.as_bytes());
        }
        out.extend_from_slice(ties);
        if self.enclosed {
            out.extend_from_slice(self.separator.as_bytes());
        }
    }
}
