//! How large a write is: on the wire, and in memory.

use super::{Mutation, MutationRef, RowMutations};
use crate::fields::lengths::text;

impl RowMutations {
    /// The length of the entry as a protobuf message `google.bigtable.v2.MutateRowsRequest.Entry`.
    #[must_use]
    pub fn wire_bytes(&self) -> usize {
        let mutations = self.mutations.iter().map(MutationRef::from);
        let mutations = mutations.map(|one| one.wire_bytes_in_entry());
        text(self.key.len()) + mutations.sum::<usize>()
    }

    /// About how much memory it holds. A mutation of four bytes on the wire takes a hundred here.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        let mutations = self.mutations.iter().map(Mutation::held_bytes);
        size_of::<Self>() + self.key.len() + mutations.sum::<usize>()
    }
}

impl Mutation {
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
