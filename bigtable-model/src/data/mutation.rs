use bytes::Bytes;
use bytestring::ByteString;

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
    /// Whether applying the mutation twice leaves what applying it once leaves, so that a retry is safe.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        match self {
            Self::SetCell {
                timestamp_micros, ..
            } => *timestamp_micros != SERVER_TIME,
            Self::AddToCell { .. } | Self::MergeToCell { .. } => false,
            Self::DeleteFromColumn { .. } | Self::DeleteFromFamily { .. } | Self::DeleteFromRow => {
                true
            }
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

impl RowMutations {
    /// About the bytes that it takes on the wire.
    pub(crate) fn wire_bytes(&self) -> usize {
        let mutations = self.mutations.iter().map(|mutation| match mutation {
            Mutation::SetCell {
                family,
                qualifier,
                value,
                ..
            } => family.len() + qualifier.len() + value.len() + 32,
            _ => 64,
        });
        self.key.len() + mutations.sum::<usize>()
    }
}
