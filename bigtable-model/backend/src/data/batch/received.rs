//! Rows whose parts lie in received messages.

use bytes::Bytes;

use super::write::{MAX_FAMILIES, number};
use super::{CellAt, RowBatch, Span};

/// A buffer of a batch, which finds the places of its parts.
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

impl RowBatch {
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

    /// The number of a family; `None` for a name that is not UTF-8.
    #[inline]
    pub(crate) fn family(&mut self, name: &[u8]) -> Option<u32> {
        let mut known = self.families.iter().take(MAX_FAMILIES);
        match known.position(|known| known.as_bytes() == name) {
            Some(known) => Some(number(known)),
            None => Some(self.add_family(std::str::from_utf8(name).ok()?.into())),
        }
    }

    /// The last cell of the row in progress.
    #[inline]
    pub(crate) fn last_cell(&self) -> Option<&CellAt> {
        self.cells.get(self.complete()..)?.last()
    }

    /// How many buffers it holds.
    #[cfg(test)]
    pub(crate) fn buffers(&self) -> usize {
        self.buffers.len()
    }
}
