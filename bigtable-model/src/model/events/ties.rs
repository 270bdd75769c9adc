//! The tie-breakers in the qualifiers of a row, and the keys of its events.

use bytes::Bytes;

/// The tie-breakers of a row's cells, and the keys of its events.
#[derive(Debug, Default)]
pub(super) struct Ties {
    /// For each cell of an event, the length of the tie-breakers that end its qualifier.
    pub(super) lens: Vec<usize>,
    /// The key of each event, by the index of the cell that marks it; ascending.
    pub(super) keys: Vec<(u32, Bytes)>,
}

impl Ties {
    pub(super) fn clear(&mut self) {
        self.lens.clear();
        self.keys.clear();
    }

    /// Notes the tie-breakers of a cell.
    pub(super) fn note(&mut self, cell: u32, len: usize) {
        let cell = usize::try_from(cell).unwrap_or(usize::MAX);
        if self.lens.len() <= cell {
            self.lens.resize(cell + 1, 0);
        }
        if let Some(noted) = self.lens.get_mut(cell) {
            *noted = len;
        }
    }

    /// Whether the row's events have keys of their own.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The key of the event that a cell marks.
    pub(super) fn key(&self, cell: u32) -> Option<&Bytes> {
        let at = self.keys.binary_search_by_key(&cell, |(cell, _)| *cell);
        self.keys.get(at.ok()?).map(|(_, key)| key)
    }
}
