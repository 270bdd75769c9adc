//! A row that is built cell by cell, from parts that are copied once.

use bytestring::ByteString;

use super::write::number;
use super::{CellAt, RowBatch, Span};

/// Builds a batch of one row, for code that stores a row's cells in another form.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct RowBuilder {
    batch: RowBatch,
}

/// Bytes of a [`RowBuilder`], which several cells may share.
#[derive(Debug, Clone, Copy, Default)]
#[doc(hidden)]
pub struct BuiltPart(Span);

#[doc(hidden)]
impl RowBuilder {
    /// Reserves memory for this many more cells, with values of eight bytes.
    pub fn reserve(&mut self, cells: usize) {
        self.batch.cells.reserve(cells);
        self.batch.copied.reserve(8 * cells);
    }

    /// The number of a family.
    pub fn family(&mut self, name: &str) -> u32 {
        let known = self.batch.families.iter().position(|one| *one == *name);
        match known {
            Some(known) => number(known),
            None => self.batch.add_family(ByteString::from(name)),
        }
    }

    /// Copies bytes that are a qualifier or a value.
    #[inline]
    pub fn part(&mut self, bytes: &[u8]) -> BuiltPart {
        let start = number(self.batch.copied.len());
        self.batch.copied.extend_from_slice(bytes);
        BuiltPart(Span {
            buffer: u32::MAX,
            start,
            len: number(bytes.len()),
        })
    }

    /// Adds a cell after the others.
    #[inline]
    pub fn cell(
        &mut self,
        family: u32,
        qualifier: BuiltPart,
        timestamp_micros: i64,
        value: BuiltPart,
    ) {
        let mut cell = CellAt::new(family, qualifier.0, timestamp_micros);
        cell.value = value.0;
        self.batch.add_cell(cell, Vec::new());
    }

    /// The batch of the row with this key.
    #[must_use]
    pub fn row(mut self, key: &[u8]) -> RowBatch {
        let key = self.part(key);
        self.batch.end_row(key.0);
        self.batch
    }
}
