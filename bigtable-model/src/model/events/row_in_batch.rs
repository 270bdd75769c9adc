//! A row among others that were read with it.

use crate::data::{RowBatch, RowRef};

/// A place in a batch: before its first row, or at one of its rows.
#[derive(Debug, Default)]
pub(crate) struct RowInBatch {
    batch: RowBatch,
    /// The index of the row that follows.
    next: usize,
}

impl RowInBatch {
    pub(super) fn before(batch: RowBatch) -> Self {
        Self { batch, next: 0 }
    }

    /// The row; without key and cells before the first.
    #[inline]
    pub(super) fn get(&self) -> RowRef<'_> {
        let row = self.next.checked_sub(1).and_then(|at| self.batch.row(at));
        row.unwrap_or_default()
    }

    /// Goes to the next row; false if there is none.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        let is_there = self.next < self.batch.len();
        self.next += usize::from(is_there);
        is_there
    }
}
