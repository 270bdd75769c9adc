//! How entries are sent.

use std::collections::VecDeque;
use std::ops::Range;

use bytes::Bytes;

use super::{ENTRIES, EntryBatch, KEY, Part};
use crate::fields::{lengths, write};

/// Bytes that are written and not yet sent.
#[derive(Debug, Default)]
pub(crate) struct Unsent {
    /// Complete frames.
    pub(crate) frames: VecDeque<Bytes>,
    /// The bytes after them.
    pub(crate) buffer: Vec<u8>,
}

impl Unsent {
    /// Ends the frame that is being written.
    pub(crate) fn end_frame(&mut self) {
        if !self.buffer.is_empty() {
            let frame = std::mem::take(&mut self.buffer);
            self.frames.push_back(frame.into());
        }
    }
}

impl EntryBatch {
    /// The bytes in which [whole](Self::whole) entries lie.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The families of rows that were added: those of [`push_entry`](Self::push_entry) are known
    /// to the caller.
    pub(crate) fn families(&self) -> impl Iterator<Item = &str> {
        self.families.iter().map(|family| &**family)
    }

    /// Whether each entry is known to have a row of its own, without a search.
    pub(crate) fn is_apart(&self) -> bool {
        !self.mixed
    }

    /// Whether the entry at an index is safe to send twice.
    pub(crate) fn repeats(&self, index: usize) -> bool {
        self.entries.get(index).is_some_and(|entry| entry.repeats)
    }

    /// Whether it is safe to send twice with a token.
    pub(crate) fn repeats_by_token(&self, index: usize) -> bool {
        let entry = self.entries.get(index);
        entry.is_some_and(|entry| entry.repeats_by_token)
    }

    /// How many bytes the entry at an index takes in a request, with a token of this many bytes.
    pub(crate) fn bytes_in_request(&self, index: usize, token: usize) -> usize {
        let entry = self.entries.get(index);
        entry.map_or(0, |entry| lengths::message(1, entry.len + token))
    }

    /// Where the entry at an index lies, if all of it lies together.
    pub(crate) fn whole(&self, index: usize) -> Option<Range<usize>> {
        let entry = self.entries.get(index)?;
        let is_whole = entry.more.is_empty();
        is_whole.then_some(entry.start..entry.first.end)
    }

    /// Writes the entry at an index, with the field of its token.
    pub(crate) fn write_entry(&self, index: usize, token: &[u8], out: &mut Unsent) {
        let Some(entry) = self.entries.get(index) else {
            return;
        };
        let own = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        write::begin(ENTRIES, entry.len + token.len(), &mut out.buffer);
        write::bytes(KEY, own(&entry.key), &mut out.buffer);
        out.buffer.extend_from_slice(own(&entry.first));
        for part in &entry.more {
            match part {
                Part::Own(range) => out.buffer.extend_from_slice(own(range)),
                Part::Value(value) => {
                    out.end_frame();
                    out.frames.push_back(value.clone());
                }
            }
        }
        out.buffer.extend_from_slice(token);
    }
}
