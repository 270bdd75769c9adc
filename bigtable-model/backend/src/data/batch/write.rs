//! How a batch is filled.

use std::mem;

use bytes::Bytes;
use bytestring::ByteString;

use super::{RowAt, RowBatch, Span, place};
use crate::data::{Cell, Row};

/// A table has at most 100 families, and most reads see one or two.
const MAX_FAMILIES: usize = 100;

/// The place of a cell's parts in its batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellAt {
    pub(crate) family: u32,
    /// The index of its labels; the highest number for none.
    pub(super) labels: u32,
    pub(crate) qualifier: Span,
    pub(crate) value: Span,
    pub(crate) timestamp_micros: i64,
}

/// A buffer of a batch, for the places of parts of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    buffer: u32,
    address: usize,
}

impl Held {
    /// The place of a part of the buffer. Buffers have less than 4 GiB, whose lengths gRPC writes
    /// in four bytes.
    #[inline]
    pub(crate) fn span(self, part: &[u8]) -> Span {
        if part.is_empty() {
            return Span::default();
        }
        Span {
            buffer: self.buffer,
            start: number(part.as_ptr().addr().wrapping_sub(self.address)),
            len: number(part.len()),
        }
    }
}

#[inline]
fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

#[cfg(feature = "memory")]
impl Span {
    #[inline]
    pub(super) fn in_first_buffer(start: usize, len: usize) -> Self {
        Self {
            buffer: 0,
            start: number(start),
            len: number(len),
        }
    }
}

impl CellAt {
    #[inline]
    pub(crate) fn new(family: u32, qualifier: Span, timestamp_micros: i64) -> Self {
        Self {
            family,
            labels: u32::MAX,
            qualifier,
            value: Span::default(),
            timestamp_micros,
        }
    }
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
    }

    /// Holds bytes; a part of them has a place.
    #[inline]
    pub(crate) fn hold(&mut self, bytes: &Bytes) -> Held {
        let address = bytes.as_ptr().addr();
        let is_last = |last: &Bytes| last.as_ptr().addr() == address && last.len() == bytes.len();
        if !self.buffers.last().is_some_and(is_last) {
            self.buffers.push(bytes.clone());
        }
        Held {
            buffer: number(self.buffers.len() - 1),
            address,
        }
    }

    /// Holds bytes as a whole.
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

    /// The number of a family; `None` for a name that is not UTF-8.
    #[inline]
    pub(crate) fn family(&mut self, name: &[u8]) -> Option<u32> {
        let is = |known: &ByteString| known.as_bytes() == name;
        match self.families.iter().position(is) {
            Some(known) => Some(number(known)),
            None => Some(self.family_like(&std::str::from_utf8(name).ok()?.into())),
        }
    }

    /// The number of a family.
    #[inline]
    pub(crate) fn family_like(&mut self, name: &ByteString) -> u32 {
        let known = self.families.iter().position(|known| known == name);
        let known = known.unwrap_or_else(|| {
            self.families.push(name.clone());
            self.families.len() - 1
        });
        number(known)
    }

    /// Leaves the place of the first buffer to one that is not complete yet.
    #[cfg(feature = "memory")]
    pub(super) fn leave_first_buffer(&mut self) {
        if self.buffers.is_empty() {
            self.buffers.push(Bytes::new());
        }
    }

    #[cfg(feature = "memory")]
    pub(super) fn set_first_buffer(&mut self, bytes: Bytes) {
        self.leave_first_buffer();
        if let Some(first) = self.buffers.first_mut() {
            *first = bytes;
        }
    }

    /// Adds a cell to the row that is not complete yet.
    #[inline]
    pub(crate) fn add_cell(&mut self, mut cell: CellAt, labels: Vec<String>) {
        if !labels.is_empty() {
            cell.labels = number(self.labels.len());
            self.labels.push(labels);
        }
        self.cells.push(cell);
    }

    /// The last cell of the row that is not complete yet.
    #[inline]
    pub(crate) fn last_cell(&self) -> Option<&CellAt> {
        self.cells.get(self.complete()..)?.last()
    }

    /// Completes the row.
    #[inline]
    pub(crate) fn end_row(&mut self, key: Span) {
        let cells = (number(self.complete()), number(self.cells.len()));
        self.rows.push(RowAt { key, cells });
    }

    /// Takes off the cells of the row that is not complete yet.
    pub(crate) fn drop_open(&mut self) {
        self.cells.truncate(self.complete());
    }

    /// The bytes at a place.
    pub(crate) fn at(&self, span: Span) -> &[u8] {
        self.bytes(span)
    }

    /// How many cells the complete rows have.
    #[inline]
    pub(crate) fn complete(&self) -> usize {
        self.rows.last().map_or(0, |row| place(row.cells.1))
    }

    /// Takes the complete rows. If a row `is_open`, what is left has its cells, and holds the bytes
    /// of their places.
    pub(crate) fn take_rows(&mut self, is_open: bool) -> Self {
        let complete = self.complete();
        let mut next = Self {
            rows: Vec::with_capacity(self.rows.len()),
            cells: Vec::with_capacity(self.cells.len()),
            ..Self::default()
        };
        next.cells.extend(self.cells.drain(complete..));
        if is_open {
            next.buffers.clone_from(&self.buffers);
            next.labels.clone_from(&self.labels);
        }
        if is_open || self.families.len() <= MAX_FAMILIES {
            next.families.clone_from(&self.families);
        }
        mem::replace(self, next)
    }
}

impl From<Row> for RowBatch {
    fn from(row: Row) -> Self {
        let mut batch = Self::default();
        batch.push(row);
        batch
    }
}
