//! Complete rows, taken while another one is in progress.

use std::mem;

use super::write::{MAX_FAMILIES, number};
use super::{RowBatch, Span, place};

/// A batch is full with this many cells or copied bytes: it should still be in the processor's
/// caches when its rows are used.
pub(crate) const CELLS: usize = 256;
pub(crate) const COPIED: usize = 32 << 10;

impl Span {
    /// The same place after this many buffers before it were removed.
    fn shift(&mut self, buffers: u32) {
        self.buffer = self.buffer.saturating_sub(buffers);
    }
}

impl RowBatch {
    /// Takes the complete rows. What is left holds the bytes of the row in progress: its cells, and
    /// the places in `open`, the first of which is its key.
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
