use bytes::Bytes;
use bytestring::ByteString;

use super::{Mutation, RowFilter, RowSet};

/// A read of rows in the order of their keys.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadRows {
    /// The table's ID, without project and instance.
    pub table: String,
    /// Which rows; an empty set is the whole table.
    pub rows: RowSet,
    /// Which cells of them.
    pub filter: Option<RowFilter>,
    /// At most this many rows; 0 is no limit. Rows without a cell that passes the filter do not
    /// count.
    pub rows_limit: i64,
    /// Whether to deliver the last key first.
    pub reversed: bool,
}

/// A write that depends on the row's cells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CheckAndMutateRow {
    /// The table's ID.
    pub table: String,
    /// The row.
    pub key: Bytes,
    /// True if it lets any cell through; `None` asks whether the row has a cell.
    pub predicate: Option<RowFilter>,
    /// Applied if the predicate is true.
    pub if_true: Vec<Mutation>,
    /// Applied if it is not.
    pub if_false: Vec<Mutation>,
}

/// Appends to and increments cells, atomically; the new values are returned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadModifyWriteRow {
    /// The table's ID.
    pub table: String,
    /// The row.
    pub key: Bytes,
    /// Applied in order, each to what the one before it left.
    pub rules: Vec<ReadModifyWriteRule>,
}

/// What one rule of a [`ReadModifyWriteRow`] does to one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadModifyWriteRule {
    /// An existing family.
    pub family: ByteString,
    /// The column.
    pub qualifier: Bytes,
    /// The change.
    pub action: RuleAction,
}

/// The change that a rule makes to the newest cell of its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleAction {
    /// Puts bytes after the value.
    Append(Bytes),
    /// Adds to the value, an 8-byte big-endian integer; an absent one is 0.
    Increment(i64),
}

/// A row key that divides a table into parts of about equal size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowKeySample {
    /// Every row before it belongs to this part or an earlier one; empty for the table's end.
    pub key: Bytes,
    /// About how many bytes the rows before it take.
    pub offset_bytes: i64,
}
