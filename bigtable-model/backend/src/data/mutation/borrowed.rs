//! Mutations whose bytes lie elsewhere, and how they are encoded: `google.bigtable.v2.Mutation`.

use std::ops::Deref;

use bytes::Bytes;

use super::{Mutation, RowMutations, SERVER_TIME};
use crate::fields::lengths;
use crate::fields::write;

/// A [`Mutation`] that borrows its bytes.
#[allow(missing_docs, reason = "kinds and fields are those of `Mutation`")]
#[derive(Debug, Clone, Copy)]
pub enum MutationRef<'a> {
    SetCell {
        family: &'a str,
        qualifier: &'a [u8],
        timestamp_micros: i64,
        value: ValueRef<'a>,
    },
    AddToCell {
        family: &'a str,
        qualifier: &'a [u8],
        timestamp_micros: i64,
        input: i64,
    },
    MergeToCell {
        family: &'a str,
        qualifier: &'a [u8],
        timestamp_micros: i64,
        input: &'a [u8],
    },
    DeleteFromColumn {
        family: &'a str,
        qualifier: &'a [u8],
        start_micros: i64,
        end_micros: i64,
    },
    DeleteFromFamily {
        family: &'a str,
    },
    DeleteFromRow,
}

/// The value of a cell that is written.
#[derive(Debug, Clone, Copy)]
pub enum ValueRef<'a> {
    /// To be copied.
    Copied(&'a [u8]),
    /// To be shared, if it is long.
    Shared(&'a Bytes),
}

impl Deref for ValueRef<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Copied(value) => value,
            Self::Shared(value) => value,
        }
    }
}

impl<'a> From<&'a Mutation> for MutationRef<'a> {
    #[inline]
    fn from(mutation: &'a Mutation) -> Self {
        match mutation {
            Mutation::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value,
            } => Self::SetCell {
                family,
                qualifier,
                timestamp_micros: *timestamp_micros,
                value: ValueRef::Shared(value),
            },
            Mutation::AddToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            } => Self::AddToCell {
                family,
                qualifier,
                timestamp_micros: *timestamp_micros,
                input: *input,
            },
            Mutation::MergeToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            } => Self::MergeToCell {
                family,
                qualifier,
                timestamp_micros: *timestamp_micros,
                input,
            },
            Mutation::DeleteFromColumn {
                family,
                qualifier,
                start_micros,
                end_micros,
            } => Self::DeleteFromColumn {
                family,
                qualifier,
                start_micros: *start_micros,
                end_micros: *end_micros,
            },
            Mutation::DeleteFromFamily { family } => Self::DeleteFromFamily { family },
            Mutation::DeleteFromRow => Self::DeleteFromRow,
        }
    }
}

/// The fields of a mutation, and of its kinds.
pub(crate) mod fields {
    pub(crate) const SET_CELL: u8 = 1;
    pub(crate) const DELETE_FROM_COLUMN: u8 = 2;
    pub(crate) const DELETE_FROM_FAMILY: u8 = 3;
    pub(crate) const DELETE_FROM_ROW: u8 = 4;
    pub(crate) const ADD_TO_CELL: u8 = 5;
    pub(crate) const MERGE_TO_CELL: u8 = 6;

    pub(crate) const FAMILY: u8 = 1;
    pub(crate) const QUALIFIER: u8 = 2;
    /// A timestamp, or for deletes a range of them.
    pub(crate) const TIME: u8 = 3;
    /// The value of a cell, or what is added to it.
    pub(crate) const VALUE: u8 = 4;

    /// The kinds of `google.bigtable.v2.Value` that mutations of aggregates use.
    pub(crate) const INT_VALUE: u8 = 6;
    pub(crate) const RAW_VALUE: u8 = 8;
    pub(crate) const RAW_TIMESTAMP: u8 = 9;
}

impl<'a> MutationRef<'a> {
    /// The family that it writes to or deletes from.
    #[must_use]
    #[inline]
    pub const fn family(&self) -> Option<&'a str> {
        match *self {
            Self::SetCell { family, .. }
            | Self::AddToCell { family, .. }
            | Self::MergeToCell { family, .. }
            | Self::DeleteFromColumn { family, .. }
            | Self::DeleteFromFamily { family } => Some(family),
            Self::DeleteFromRow => None,
        }
    }

    /// See [`Mutation::is_idempotent`].
    #[inline]
    pub(crate) const fn is_idempotent(&self) -> bool {
        match *self {
            Self::SetCell {
                timestamp_micros, ..
            } => timestamp_micros != SERVER_TIME,
            Self::AddToCell { .. } | Self::MergeToCell { .. } => false,
            Self::DeleteFromColumn { .. } | Self::DeleteFromFamily { .. } | Self::DeleteFromRow => {
                true
            }
        }
    }

    /// Whether it adds to an aggregate; a server that keeps tokens does so once.
    #[inline]
    pub(crate) const fn is_addition(&self) -> bool {
        matches!(self, Self::AddToCell { .. } | Self::MergeToCell { .. })
    }

    /// Whether applying mutations of one row twice has the same result as once; see
    /// [`RowMutations::is_idempotent`](super::RowMutations::is_idempotent).
    #[inline]
    pub(crate) fn repeat(mutations: impl Iterator<Item = Self>) -> bool {
        let mut emptied = None;
        for mutation in mutations {
            if let Self::DeleteFromColumn { .. } = mutation {
                emptied = Some(mutation);
            }
            if !mutation.is_idempotent()
                && !emptied.is_some_and(|delete| mutation.begins_anew(&delete))
            {
                return false;
            }
        }
        true
    }

    /// Whether it adds to a cell that `delete` deletes.
    pub(crate) fn begins_anew(&self, delete: &Self) -> bool {
        let (
            Self::DeleteFromColumn {
                family,
                qualifier,
                start_micros,
                end_micros,
            },
            Self::AddToCell {
                family: added_family,
                qualifier: added_qualifier,
                timestamp_micros,
                ..
            },
        ) = (delete, self)
        else {
            return false;
        };
        let in_range =
            start_micros <= timestamp_micros && (*end_micros == 0 || timestamp_micros < end_micros);
        in_range && family == added_family && qualifier == added_qualifier
    }

    /// Which kind it is on the wire, and its length as a message of its own.
    #[inline]
    pub(crate) fn kind(&self) -> (u8, usize) {
        match *self {
            // Apart from the others, so that it is inlined: most mutations are of this kind.
            Self::SetCell {
                family,
                qualifier,
                timestamp_micros,
                ref value,
            } => {
                let column = lengths::text(family.len()) + lengths::text(qualifier.len());
                let time = lengths::integer(1, timestamp_micros);
                (fields::SET_CELL, column + time + lengths::text(value.len()))
            }
            _ => self.other_kind(),
        }
    }

    fn other_kind(&self) -> (u8, usize) {
        match *self {
            Self::SetCell { .. } => self.kind(),
            Self::AddToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            } => {
                let len = aggregate(family, qualifier, timestamp_micros, number(input));
                (fields::ADD_TO_CELL, len)
            }
            Self::MergeToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            } => {
                let input = lengths::message(1, input.len());
                let len = aggregate(family, qualifier, timestamp_micros, input);
                (fields::MERGE_TO_CELL, len)
            }
            Self::DeleteFromColumn {
                family,
                qualifier,
                start_micros,
                end_micros,
            } => {
                let range = match time_range(start_micros, end_micros) {
                    Some(len) => lengths::message(1, len),
                    None => 0,
                };
                let column = lengths::text(family.len()) + lengths::text(qualifier.len());
                (fields::DELETE_FROM_COLUMN, column + range)
            }
            Self::DeleteFromFamily { family } => {
                (fields::DELETE_FROM_FAMILY, lengths::text(family.len()))
            }
            Self::DeleteFromRow => (fields::DELETE_FROM_ROW, 0),
        }
    }

    /// How many bytes it takes in an entry.
    #[inline]
    pub(crate) fn wire_bytes_in_entry(&self) -> usize {
        lengths::message(1, lengths::message(1, self.kind().1))
    }

    /// Appends the fields of its kind, except a cell's value, which is returned.
    #[inline]
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Option<ValueRef<'a>> {
        match *self {
            Self::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value,
            } => {
                write::bytes(fields::FAMILY, family.as_bytes(), out);
                write::bytes(fields::QUALIFIER, qualifier, out);
                write::integer(fields::TIME, timestamp_micros, out);
                Some(value)
            }
            _ => {
                self.write_other(out);
                None
            }
        }
    }

    fn write_other(&self, out: &mut Vec<u8>) {
        if let Some(family) = self.family() {
            write::bytes(fields::FAMILY, family.as_bytes(), out);
        }
        match *self {
            Self::AddToCell {
                qualifier,
                timestamp_micros,
                input,
                ..
            } => {
                write_cell(qualifier, timestamp_micros, out);
                write::begin(fields::VALUE, number(input), out);
                write::number(fields::INT_VALUE, input, out);
            }
            Self::MergeToCell {
                qualifier,
                timestamp_micros,
                input,
                ..
            } => {
                write_cell(qualifier, timestamp_micros, out);
                write_raw(fields::VALUE, input, out);
            }
            Self::DeleteFromColumn {
                qualifier,
                start_micros,
                end_micros,
                ..
            } => {
                write::bytes(fields::QUALIFIER, qualifier, out);
                if let Some(len) = time_range(start_micros, end_micros) {
                    write::begin(fields::TIME, len, out);
                    write::integer(1, start_micros, out);
                    write::integer(2, end_micros, out);
                }
            }
            Self::SetCell { .. } | Self::DeleteFromFamily { .. } | Self::DeleteFromRow => {}
        }
    }
}

impl Mutation {
    /// Whether applying the mutation twice has the same result as once, so a retry is safe.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        MutationRef::from(self).is_idempotent()
    }
}

impl RowMutations {
    /// Whether applying the entry twice has the same result as once, so a retry is safe: each of
    /// its mutations is [idempotent](Mutation::is_idempotent), or adds to a cell that the entry
    /// itself deletes first.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        MutationRef::repeat(self.mutations.iter().map(MutationRef::from))
    }
}

/// The length of a range of timestamps; `None` for the whole column.
fn time_range(start_micros: i64, end_micros: i64) -> Option<usize> {
    match (start_micros, end_micros) {
        (0, 0) => None,
        (start, end) => Some(lengths::integer(1, start) + lengths::integer(1, end)),
    }
}

/// A mutation of an aggregate's cell, whose fields are messages `google.bigtable.v2.Value`.
fn aggregate(family: &str, qualifier: &[u8], timestamp_micros: i64, input: usize) -> usize {
    lengths::text(family.len())
        + lengths::message(1, lengths::message(1, qualifier.len()))
        + lengths::message(1, number(timestamp_micros))
        + lengths::message(1, input)
}

/// An integer as a kind of `google.bigtable.v2.Value`, where 0 is written too.
fn number(value: i64) -> usize {
    1 + lengths::varint(value.cast_unsigned())
}

/// Qualifier and timestamp of an aggregate's cell.
fn write_cell(qualifier: &[u8], timestamp_micros: i64, out: &mut Vec<u8>) {
    write_raw(fields::QUALIFIER, qualifier, out);
    write::begin(fields::TIME, number(timestamp_micros), out);
    write::number(fields::RAW_TIMESTAMP, timestamp_micros, out);
}

/// Bytes as a kind of `google.bigtable.v2.Value`, where empty ones are written too.
fn write_raw(field: u8, bytes: &[u8], out: &mut Vec<u8>) {
    write::begin(field, lengths::message(1, bytes.len()), out);
    write::begin(fields::RAW_VALUE, bytes.len(), out);
    out.extend_from_slice(bytes);
}
