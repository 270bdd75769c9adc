//! The sizes of an entry that limits compare.

use crate::data::{MutationRef, limits};
use crate::fields::lengths;

/// The sizes that [limits](crate::data::EntryLimits::take) compare, of one entry or of all entries
/// of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct EntrySize {
    /// Bytes of the row key; in a batch, of the longest.
    pub key_bytes: usize,
    /// Bytes of the longest qualifier.
    pub qualifier_bytes: usize,
    /// Bytes of the longest value.
    pub value_bytes: usize,
    /// Bytes of all qualifiers and values.
    pub cell_bytes: usize,
    /// How many mutations there are.
    pub mutations: usize,
    /// How many of them need a closer check: those with a timestamp that no cell can have or that
    /// the server sets, deletes of an empty range of timestamps, and merges of aggregates' states.
    pub special_mutations: usize,
    /// Bytes on the wire: of messages `google.bigtable.v2.MutateRowsRequest.Entry`.
    pub wire_bytes: usize,
    /// Whether it is surely safe to send it twice.
    pub(crate) repeats: bool,
    /// Whether it is safe to send twice with a token.
    pub(crate) repeats_by_token: bool,
}

impl EntrySize {
    /// The size of an entry without mutations.
    #[inline]
    pub(super) fn of_key(key: &[u8]) -> Self {
        Self {
            key_bytes: key.len(),
            wire_bytes: lengths::text(key.len()),
            repeats: true,
            repeats_by_token: true,
            ..Self::default()
        }
    }

    /// Counts a mutation that takes this many bytes of the entry.
    #[inline]
    pub(super) fn take(&mut self, mutation: &MutationRef<'_>, wire_bytes: usize) {
        self.mutations += 1;
        self.wire_bytes = self.wire_bytes.saturating_add(wire_bytes);
        match *mutation {
            MutationRef::SetCell {
                qualifier,
                timestamp_micros,
                ref value,
                ..
            } => {
                self.take_cell(qualifier.len(), value.len());
                self.special_mutations += usize::from(!is_regular(timestamp_micros));
            }
            MutationRef::DeleteFromColumn {
                qualifier,
                start_micros,
                end_micros,
                ..
            } => {
                self.take_cell(qualifier.len(), 0);
                let is_range = end_micros == 0 || start_micros < end_micros;
                let is_regular = is_regular(start_micros) && is_regular(end_micros) && is_range;
                self.special_mutations += usize::from(!is_regular);
            }
            MutationRef::AddToCell {
                qualifier,
                timestamp_micros,
                ..
            } => {
                self.take_cell(qualifier.len(), 0);
                self.special_mutations += usize::from(!is_regular(timestamp_micros));
            }
            MutationRef::MergeToCell {
                qualifier, input, ..
            } => {
                self.take_cell(qualifier.len(), input.len());
                self.special_mutations += 1;
            }
            MutationRef::DeleteFromFamily { .. } | MutationRef::DeleteFromRow => {}
        }
    }

    #[inline]
    fn take_cell(&mut self, qualifier: usize, value: usize) {
        self.qualifier_bytes = self.qualifier_bytes.max(qualifier);
        self.value_bytes = self.value_bytes.max(value);
        self.cell_bytes = self.cell_bytes.saturating_add(qualifier + value);
    }

    /// Adds the size of an entry to that of its batch.
    #[inline]
    pub(super) fn add(&mut self, entry: &Self) {
        self.key_bytes = self.key_bytes.max(entry.key_bytes);
        self.qualifier_bytes = self.qualifier_bytes.max(entry.qualifier_bytes);
        self.value_bytes = self.value_bytes.max(entry.value_bytes);
        self.cell_bytes = self.cell_bytes.saturating_add(entry.cell_bytes);
        self.mutations += entry.mutations;
        self.special_mutations += entry.special_mutations;
        self.wire_bytes = self.wire_bytes.saturating_add(entry.wire_bytes);
    }
}

/// Whether a cell can have the timestamp.
#[inline]
fn is_regular(micros: i64) -> bool {
    (0..=limits::TIMESTAMP).contains(&micros) && micros % 1_000 == 0
}
