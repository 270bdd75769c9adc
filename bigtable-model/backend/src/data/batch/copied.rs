//! Rows whose short parts are copied.

use bytes::Bytes;

use super::taken::{CELLS, COPIED};
use super::write::number;
use super::{RowBatch, Span};

impl RowBatch {
    /// A batch without rows, with memory for a row with this many cells and bytes.
    pub(crate) fn with_memory(cells: usize, bytes: usize) -> Self {
        Self {
            copied: Vec::with_capacity(bytes.min(COPIED)),
            families: Vec::with_capacity(1),
            rows: Vec::with_capacity(1),
            cells: Vec::with_capacity(cells.min(CELLS)),
            ..Self::default()
        }
    }

    /// Copies short bytes, and adds long ones as a buffer.
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
    pub(crate) fn copied(&self) -> usize {
        self.copied.len()
    }
}
