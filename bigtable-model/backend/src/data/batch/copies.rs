//! A batch of copies, of rows that stay where they are.

use std::mem;

use bytes::Bytes;
use bytestring::ByteString;

use super::{CellAt, RowBatch, Span};

/// A batch is complete with so many cells or bytes: it should still be in the processor's caches
/// when its rows are used.
const FULL: (usize, usize) = (256, 32 << 10);

/// A batch to which rows are copied. Long values are not: they are shared.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    batch: RowBatch,
    /// The first buffer of the batch, once it is taken.
    bytes: Vec<u8>,
}

/// The place of a column's names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnAt {
    family: u32,
    qualifier: Span,
}

impl Copies {
    /// How many rows were ended.
    pub(crate) fn len(&self) -> usize {
        self.batch.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        let (cells, bytes) = FULL;
        self.batch.complete() >= cells || self.bytes.len() >= bytes
    }

    /// Copies the names of a column, for cells of the row that is being added.
    pub(crate) fn column(&mut self, family: &ByteString, qualifier: &Bytes) -> ColumnAt {
        ColumnAt {
            family: self.batch.family_like(family),
            qualifier: self.copy(qualifier),
        }
    }

    /// Adds a cell to the row.
    #[inline]
    pub(crate) fn add_cell(
        &mut self,
        column: ColumnAt,
        timestamp_micros: i64,
        value: &Bytes,
        labels: Vec<String>,
    ) {
        let mut cell = CellAt::new(column.family, column.qualifier, timestamp_micros);
        cell.value = self.copy(value);
        self.batch.add_cell(cell, labels);
    }

    /// Ends the row, whose cells were added.
    pub(crate) fn end_row(&mut self, key: &Bytes) {
        let key = self.copy(key);
        self.batch.end_row(key);
    }

    /// Takes off the cells of a row that was not ended.
    pub(crate) fn drop_open(&mut self) {
        self.batch.drop_open();
    }

    /// The rows that were ended; `None` for none.
    pub(crate) fn take(&mut self) -> Option<RowBatch> {
        if self.batch.is_empty() {
            return None;
        }
        let mut batch = self.batch.take_rows(false);
        let next = Vec::with_capacity(self.bytes.len());
        let bytes = mem::replace(&mut self.bytes, next);
        batch.set_first_buffer(bytes.into());
        Some(batch)
    }

    fn copy(&mut self, bytes: &Bytes) -> Span {
        let end = self.bytes.len() + bytes.len();
        if bytes.len() >= RowBatch::WORTH_SHARING || u32::try_from(end).is_err() {
            self.batch.leave_first_buffer();
            return self.batch.hold_all(bytes.clone());
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        Span::in_first_buffer(start, bytes.len())
    }
}
