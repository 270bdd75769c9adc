//! A row in a batch of rows that were read together.

use crate::data::{RowBatch, RowRef};

/// A place in a batch: before its first row, or at one of its rows.
#[derive(Debug, Default)]
pub(crate) struct RowInBatch {
    batch: RowBatch,
    /// The index of the row that follows.
    next: usize,
    /// The row that is read instead, if this one is stored in another form.
    instead: Option<Box<RowBatch>>,
}

impl RowInBatch {
    pub(super) fn before(batch: RowBatch) -> Self {
        Self {
            batch,
            ..Self::default()
        }
    }

    /// The row, which has no key or cells before the first.
    #[inline]
    pub(super) fn get(&self) -> RowRef<'_> {
        if let Some(instead) = &self.instead {
            return instead.row(0).unwrap_or_default();
        }
        let row = self.next.checked_sub(1).and_then(|at| self.batch.row(at));
        row.unwrap_or_default()
    }

    /// Moves to the next row; false if there is none.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        let is_there = self.next < self.batch.len();
        self.next += usize::from(is_there);
        self.instead = None;
        is_there
    }

    /// Replaces this row.
    pub(super) fn replace(&mut self, row: RowBatch) {
        self.instead = Some(Box::new(row));
    }
}
