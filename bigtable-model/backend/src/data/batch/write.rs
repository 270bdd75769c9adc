//! How a batch is filled.

use bytes::Bytes;
use bytestring::ByteString;

use super::{CellAt, RowAt, RowBatch, Span, place};
use crate::data::{Cell, Row};

/// A table has at most 100 families, and most reads see one or two.
pub(super) const MAX_FAMILIES: usize = 100;

#[inline]
pub(super) fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// The rows of a batch can be added one by one.
impl RowBatch {
    /// Adds a row after the others. Its bytes are not copied.
    pub fn push(&mut self, row: Row) {
        let Row { key, cells } = row;
        let key = self.hold_all(key);
        for cell in cells {
            let Cell {
                family,
                qualifier,
                timestamp_micros,
                value,
                labels,
            } = cell;
            let family = self.family_like(&family);
            let mut at = CellAt::new(family, self.hold_all(qualifier), timestamp_micros);
            at.value = self.hold_all(value);
            self.add_cell(at, labels);
        }
        self.end_row(key);
    }

    /// Keeps only the first rows.
    pub fn truncate(&mut self, rows: usize) {
        self.rows.truncate(rows);
        self.drop_open();
    }

    /// Adds a buffer that is a single part.
    pub(crate) fn hold_all(&mut self, bytes: Bytes) -> Span {
        if bytes.is_empty() {
            return Span::default();
        }
        self.buffers.push(bytes);
        Span {
            buffer: number(self.buffers.len() - 1),
            start: 0,
            len: u32::MAX,
        }
    }

    /// The number of a family.
    #[inline]
    pub(crate) fn family_like(&mut self, name: &ByteString) -> u32 {
        let mut known = self.families.iter().take(MAX_FAMILIES);
        match known.position(|known| known == name) {
            Some(known) => number(known),
            None => self.add_family(name.clone()),
        }
    }

    pub(super) fn add_family(&mut self, name: ByteString) -> u32 {
        self.families.push(name);
        number(self.families.len() - 1)
    }

    /// Adds a cell to the row in progress.
    #[inline]
    pub(crate) fn add_cell(&mut self, mut cell: CellAt, labels: Vec<String>) {
        if !labels.is_empty() {
            cell.labels = number(self.labels.len());
            self.labels.push(labels);
        }
        self.cells.push(cell);
    }

    /// Completes the row.
    #[inline]
    pub(crate) fn end_row(&mut self, key: Span) {
        let cells = (number(self.complete()), number(self.cells.len()));
        self.rows.push(RowAt { key, cells });
    }

    /// Removes the cells of the row in progress.
    pub(crate) fn drop_open(&mut self) {
        self.cells.truncate(self.complete());
        if self.rows.is_empty() {
            self.buffers.clear();
            self.copied.clear();
            self.labels.clear();
        }
    }

    /// How many cells the complete rows have.
    #[inline]
    pub(crate) fn complete(&self) -> usize {
        self.rows.last().map_or(0, |row| place(row.cells.1))
    }
}

impl From<Row> for RowBatch {
    fn from(row: Row) -> Self {
        let mut batch = Self::default();
        batch.push(row);
        batch
    }
}
