use bytes::Bytes;
use bytestring::ByteString;

mod borrowed;
#[cfg(test)]
mod generated;
mod size;

pub(crate) use borrowed::fields;
pub use borrowed::{MutationRef, ValueRef};
#[cfg(test)]
pub(crate) use generated::mutation;

/// The cell timestamp that asks the server to stamp its own time, to the millisecond.
///
/// A write with it is not idempotent: sent twice it leaves two cells. Models never use it.
pub const SERVER_TIME: i64 = -1;

/// One change to a row. The mutations of a row are applied in order and atomically.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mutation {
    /// Writes one cell; a cell with the same timestamp is replaced.
    SetCell {
        /// An existing family.
        family: ByteString,
        /// At most 16 KiB.
        qualifier: Bytes,
        /// Microseconds since 1970 in whole milliseconds, or [`SERVER_TIME`].
        timestamp_micros: i64,
        /// At most 100 MiB.
        value: Bytes,
    },
    /// Adds to a cell of an aggregate family (its input type is a 64-bit integer).
    AddToCell {
        /// An existing aggregate family.
        family: ByteString,
        /// At most 16 KiB.
        qualifier: Bytes,
        /// Microseconds since 1970 in whole milliseconds.
        timestamp_micros: i64,
        /// The number to add, or to compare with a minimum or maximum.
        input: i64,
    },
    /// Merges an aggregate's state, as a read returned it, into a cell of an aggregate family.
    MergeToCell {
        /// An existing aggregate family.
        family: ByteString,
        /// At most 16 KiB.
        qualifier: Bytes,
        /// Microseconds since 1970 in whole milliseconds.
        timestamp_micros: i64,
        /// The state: for sum, minimum and maximum 8 bytes, big-endian.
        input: Bytes,
    },
    /// Deletes the cells of one column whose timestamps lie in `start..end`.
    DeleteFromColumn {
        /// An existing family.
        family: ByteString,
        /// The column.
        qualifier: Bytes,
        /// First timestamp deleted, in microseconds.
        start_micros: i64,
        /// First timestamp kept again, in microseconds; 0 is no end. With a start of 0: every cell.
        end_micros: i64,
    },
    /// Deletes every cell of one family.
    DeleteFromFamily {
        /// An existing family.
        family: ByteString,
    },
    /// Deletes the whole row.
    DeleteFromRow,
}

impl Mutation {
    /// The family that it writes to or deletes from; `None` if it deletes the row.
    #[must_use]
    pub const fn family(&self) -> Option<&ByteString> {
        match self {
            Self::SetCell { family, .. }
            | Self::AddToCell { family, .. }
            | Self::MergeToCell { family, .. }
            | Self::DeleteFromColumn { family, .. }
            | Self::DeleteFromFamily { family } => Some(family),
            Self::DeleteFromRow => None,
        }
    }
}

/// The mutations of one row: one entry of a bulk write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowMutations {
    /// The row key, 1 byte to 4 KiB.
    pub key: Bytes,
    /// At least one, at most 100,000.
    pub mutations: Vec<Mutation>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delete(qualifier: &'static str, start_micros: i64, end_micros: i64) -> Mutation {
        Mutation::DeleteFromColumn {
            family: "f".into(),
            qualifier: qualifier.into(),
            start_micros,
            end_micros,
        }
    }

    fn add(qualifier: &'static str, timestamp_micros: i64) -> Mutation {
        Mutation::AddToCell {
            family: "f".into(),
            qualifier: qualifier.into(),
            timestamp_micros,
            input: 1,
        }
    }

    fn repeats(mutations: &[Mutation]) -> bool {
        let row = RowMutations {
            key: Bytes::new(),
            mutations: mutations.to_vec(),
        };
        row.is_idempotent()
    }

    #[test]
    fn an_addition_repeats_only_after_a_delete_of_its_cell() {
        assert!(!repeats(&[add("a", 1_000)]));
        assert!(repeats(&[delete("a", 0, 0), add("a", 1_000)]));
        assert!(repeats(&[
            delete("a", 0, 0),
            add("a", 0),
            add("a", 1_000),
            delete("b", 1_000, 2_000),
            add("b", 1_000)
        ]));
        assert!(!repeats(&[add("a", 1_000), delete("a", 0, 0)]));
        assert!(!repeats(&[delete("b", 0, 0), add("a", 1_000)]));
        assert!(!repeats(&[delete("a", 0, 1_000), add("a", 1_000)]));
        assert!(!repeats(&[delete("a", 2_000, 0), add("a", 1_000)]));
        assert!(!repeats(&[
            delete("a", 0, 0),
            delete("b", 0, 0),
            add("a", 0)
        ]));
    }
}
