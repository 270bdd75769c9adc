//! How large a write is: on the wire, and in memory.

use super::{Mutation, RowMutations};
use crate::data::lengths::{integer, message, text, varint};

impl RowMutations {
    /// The length of the entry as a protobuf message `google.bigtable.v2.MutateRowsRequest.Entry`.
    #[must_use]
    pub fn wire_bytes(&self) -> usize {
        let mutations = self.mutations.iter().map(Mutation::wire_bytes_in_entry);
        self.wire_bytes_of_key() + mutations.sum::<usize>()
    }

    /// What of it the key takes.
    pub(crate) fn wire_bytes_of_key(&self) -> usize {
        text(self.key.len())
    }

    /// About how much memory it holds. A mutation of four bytes on the wire takes a hundred here.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        let mutations = self.mutations.iter().map(Mutation::held_bytes);
        size_of::<Self>() + self.key.len() + mutations.sum::<usize>()
    }
}

impl Mutation {
    /// What it takes in an entry.
    #[inline]
    pub(crate) fn wire_bytes_in_entry(&self) -> usize {
        let kind = match self {
            // Apart from the others, so that it is inlined: most mutations are such.
            Self::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value,
            } => set_cell(family, qualifier, *timestamp_micros, value),
            other => other.wire_bytes_of_kind(),
        };
        // A `google.bigtable.v2.Mutation`, as a field.
        message(1, message(1, kind))
    }

    /// The length of the kind of mutation as a message of its own.
    fn wire_bytes_of_kind(&self) -> usize {
        match self {
            Self::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value,
            } => set_cell(family, qualifier, *timestamp_micros, value),
            Self::AddToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            } => aggregate(family, qualifier, *timestamp_micros, number(*input)),
            Self::MergeToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            } => aggregate(
                family,
                qualifier,
                *timestamp_micros,
                message(1, input.len()),
            ),
            Self::DeleteFromColumn {
                family,
                qualifier,
                start_micros,
                end_micros,
            } => {
                let range = match (start_micros, end_micros) {
                    (0, 0) => 0,
                    (start, end) => message(1, integer(1, *start) + integer(1, *end)),
                };
                text(family.len()) + text(qualifier.len()) + range
            }
            Self::DeleteFromFamily { family } => text(family.len()),
            Self::DeleteFromRow => 0,
        }
    }

    fn held_bytes(&self) -> usize {
        let held = match self {
            Self::SetCell {
                family,
                qualifier,
                value,
                ..
            } => family.len() + qualifier.len() + value.len(),
            Self::MergeToCell {
                family,
                qualifier,
                input,
                ..
            } => family.len() + qualifier.len() + input.len(),
            Self::AddToCell {
                family, qualifier, ..
            }
            | Self::DeleteFromColumn {
                family, qualifier, ..
            } => family.len() + qualifier.len(),
            Self::DeleteFromFamily { family } => family.len(),
            Self::DeleteFromRow => 0,
        };
        size_of::<Self>() + held
    }
}

#[inline]
fn set_cell(family: &str, qualifier: &[u8], timestamp_micros: i64, value: &[u8]) -> usize {
    text(family.len()) + text(qualifier.len()) + integer(1, timestamp_micros) + text(value.len())
}

/// A mutation of an aggregate's cell, whose fields are messages `google.bigtable.v2.Value`.
fn aggregate(family: &str, qualifier: &[u8], timestamp_micros: i64, input: usize) -> usize {
    text(family.len())
        + message(1, message(1, qualifier.len()))
        + message(1, number(timestamp_micros))
        + message(1, input)
}

/// An integer as a kind of `google.bigtable.v2.Value`, where 0 is written too.
fn number(value: i64) -> usize {
    1 + varint(value.cast_unsigned())
}
