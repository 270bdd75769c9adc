mod size;

use std::ops::Bound;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// The cells that a read lets through: Bigtable's `RowFilter`.
///
/// At most 20,480 bytes on the wire and 20 levels deep. Regexes are RE2; they match in full, byte
/// by byte.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum RowFilter {
    /// Each filter works on what the one before it let through; two or more.
    Chain(Vec<RowFilter>),
    /// Each filter works on the input; the outputs are merged, duplicates kept; two or more.
    Interleave(Vec<RowFilter>),
    /// One of two filters for the whole row, chosen by whether the predicate lets any cell through.
    Condition {
        /// Its output is not part of the result.
        predicate: Box<RowFilter>,
        /// Applied if the predicate lets a cell through; `None` lets nothing through.
        if_true: Option<Box<RowFilter>>,
        /// Applied if it does not; `None` lets nothing through.
        if_false: Option<Box<RowFilter>>,
    },
    /// Copies the cells to the final output and passes nothing on.
    Sink,
    /// Everything.
    PassAll,
    /// Nothing.
    BlockAll,
    /// Rows whose key matches.
    RowKeyRegex(Bytes),
    /// Rows chosen at random with this probability, strictly between 0 and 1.
    RowSample(f64),
    /// Cells of families whose name matches.
    FamilyRegex(String),
    /// Cells whose qualifier matches.
    QualifierRegex(Bytes),
    /// Cells of one family whose qualifier lies in a range.
    QualifierRange {
        /// The family.
        family: String,
        /// Where the range begins.
        start: Bound<Bytes>,
        /// Where the range ends.
        end: Bound<Bytes>,
    },
    /// Cells with timestamps in `start..end`, in microseconds and whole milliseconds.
    TimestampRange {
        /// First timestamp let through.
        start_micros: i64,
        /// First timestamp after the range; 0 is no end.
        end_micros: i64,
    },
    /// Cells whose value matches.
    ValueRegex(Bytes),
    /// Cells whose value lies in a range of bytes.
    ValueRange {
        /// Where the range begins.
        start: Bound<Bytes>,
        /// Where the range ends.
        end: Bound<Bytes>,
    },
    /// Cells whose value has all the bits of the mask set; mask and value have the same length.
    ValueBitmask(Bytes),
    /// Leaves out the first n cells of each row.
    CellsPerRowOffset(i32),
    /// The first n cells of each row, n above 0.
    CellsPerRowLimit(i32),
    /// The newest n cells of each column, n above 0.
    CellsPerColumnLimit(i32),
    /// Replaces every value by an empty one.
    StripValue,
    /// Puts a label on every cell: 1 to 15 characters of `[a-z0-9-]`, at most one on a path.
    Label(String),
}

impl RowFilter {
    /// The filters in a chain: `None` without filters; a single one by itself, since Bigtable
    /// refuses a chain of one.
    #[must_use]
    pub fn chain(filters: impl IntoIterator<Item = RowFilter>) -> Option<Self> {
        Self::combine(filters, Self::Chain)
    }

    /// The filters interleaved, by the same rule as [`RowFilter::chain`].
    #[must_use]
    pub fn interleave(filters: impl IntoIterator<Item = RowFilter>) -> Option<Self> {
        Self::combine(filters, Self::Interleave)
    }

    fn combine(
        filters: impl IntoIterator<Item = RowFilter>,
        join: impl FnOnce(Vec<RowFilter>) -> RowFilter,
    ) -> Option<Self> {
        let mut filters: Vec<_> = filters.into_iter().collect();
        match filters.len() {
            0 | 1 => filters.pop(),
            _ => Some(join(filters)),
        }
    }
}
