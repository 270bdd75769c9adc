//! A row among others that were read with it.

use crate::data::{RowBatch, RowRef};

/// A row of a batch.
#[derive(Debug, Default)]
pub(crate) struct RowInBatch {
    batch: RowBatch,
    index: usize,
}

impl RowInBatch {
    /// The first row.
    pub(super) fn first_of(batch: RowBatch) -> Self {
        Self { batch, index: 0 }
    }

    #[inline]
    pub(super) fn get(&self) -> RowRef<'_> {
        self.batch.row(self.index).unwrap_or_default()
    }

    /// Goes to the next row; false if there is none.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        let is_there = self.index + 1 < self.batch.len();
        self.index += usize::from(is_there);
        is_there
    }
}
