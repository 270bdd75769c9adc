//! How a batch is filled.

use std::mem;

use bytes::Bytes;
use bytestring::ByteString;

use super::{RowAt, RowBatch, Span, place};
use crate::data::{Cell, Row};

/// A table has at most 100 families, and most reads see one or two.
const MAX_FAMILIES: usize = 100;

/// A batch is full with so many cells, or bytes that were copied: it should still be in the
/// processor's caches when its rows are used.
pub(crate) const CELLS: usize = 256;
pub(crate) const COPIED: usize = 32 << 10;

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

/// A buffer of a batch, which tells the places of its parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    buffer: u32,
    address: usize,
    len: usize,
}

impl Held {
    /// The place of a part of the buffer. A buffer is shorter than 4 GiB: gRPC writes a message's
    /// length in four bytes.
    #[inline]
    pub(crate) fn span(self, part: &[u8]) -> Span {
        if part.is_empty() {
            return Span::default();
        }
        debug_assert!(
            (self.address..=self.address + self.len - part.len()).contains(&part.as_ptr().addr()),
            "a part of another buffer"
        );
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

impl Span {
    /// The same place after so many buffers were taken off before it.
    fn shift(&mut self, buffers: u32) {
        self.buffer = self.buffer.saturating_sub(buffers);
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
        self.drop_open();
    }

    /// Adds a buffer, unless it is the last one already.
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
            len: bytes.len(),
        }
    }

    /// Adds a buffer that is one part.
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
        let mut known = self.families.iter().take(MAX_FAMILIES);
        match known.position(|known| known.as_bytes() == name) {
            Some(known) => Some(number(known)),
            None => Some(self.add_family(std::str::from_utf8(name).ok()?.into())),
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

    fn add_family(&mut self, name: ByteString) -> u32 {
        self.families.push(name);
        number(self.families.len() - 1)
    }

    /// Copies short bytes, and adds long ones as a buffer.
    #[cfg(feature = "memory")]
    #[inline]
    pub(crate) fn copy(&mut self, bytes: &Bytes) -> Span {
        let end = self.copied.len() + bytes.len();
        if bytes.len() >= Self::WORTH_SHARING || u32::try_from(end).is_err() {
            return self.hold_all(bytes.clone());
        }
        let start = number(self.copied.len());
        self.copied.extend_from_slice(bytes);
        Span {
            buffer: u32::MAX,
            start,
            len: number(bytes.len()),
        }
    }

    /// How many bytes were copied.
    #[cfg(feature = "memory")]
    pub(crate) fn copied(&self) -> usize {
        self.copied.len()
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

    /// How many buffers it holds.
    #[cfg(test)]
    pub(crate) fn buffers(&self) -> usize {
        self.buffers.len()
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

    /// Takes the complete rows. What is left holds the bytes of a row that is not complete: of its
    /// cells, and of other places of it, the first of which is that of its key.
    pub(crate) fn take_rows(&mut self, mut open: Vec<&mut Span>) -> Self {
        let complete = self.complete();
        let capacity = |len: usize| len.min(2 * CELLS);
        let mut next = Self {
            copied: Vec::with_capacity(self.copied.len().min(2 * COPIED)),
            rows: Vec::with_capacity(capacity(self.rows.len())),
            cells: Vec::with_capacity(capacity(self.cells.len())),
            ..Self::default()
        };
        if !open.is_empty() || self.families.len() <= MAX_FAMILIES {
            next.families.clone_from(&self.families);
        }
        next.cells.extend(self.cells.drain(complete..));
        // Each part of a row came after its key, in the same buffer or a later one.
        let first = open.first().map(|key| key.buffer);
        if let Some(first) = first {
            let buffers = self.buffers.get(place(first)..).unwrap_or_default();
            next.buffers.extend_from_slice(buffers);
            open.iter_mut().for_each(|span| span.shift(first));
            for cell in &mut next.cells {
                cell.qualifier.shift(first);
                cell.value.shift(first);
                if let Some(labels) = self.labels.get_mut(place(cell.labels)) {
                    cell.labels = number(next.labels.len());
                    next.labels.push(mem::take(labels));
                }
            }
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
