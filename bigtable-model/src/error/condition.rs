use crate::data::RowFilter;

/// Why a condition can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// A value that the column can't hold.
    #[error("column {column} can't hold a value that it is compared with: {reason}")]
    Value {
        /// Family and qualifier.
        column: String,
        /// Why.
        reason: String,
    },
    /// A column that the model does not have; only conditions made at run time meet this.
    #[error("column {index} is compared, the model has {columns}")]
    UnknownColumn {
        /// The index.
        index: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// A column that repeats a segment of the key; only conditions made at run time meet this.
    #[error("column {column} repeats a segment of the key: ask for the segment")]
    OfKey {
        /// Family and qualifier.
        column: String,
    },
    /// More than a filter holds.
    #[error(
        "it takes a filter of {bytes} bytes, Bigtable allows {most}: compare with fewer or shorter values, or give columns shorter names",
        most = RowFilter::MAX_BYTES
    )]
    TooLarge {
        /// How many bytes the filter takes.
        bytes: usize,
    },
    /// Deeper than a filter may be.
    #[error(
        "it is nested deeper than a filter of Bigtable may be, which is {most} levels: join fewer conditions in turn by `and` and `or`",
        most = RowFilter::MAX_LEVELS
    )]
    TooDeep,
    /// With what leaves out expired cells it is more than a filter holds.
    #[error(
        "the cells that `gc(...)` deletes can't be left out of what is compared, since the filter would be larger or deeper than Bigtable allows: compare with fewer values, or declare a simpler rule"
    )]
    Rules,
    /// A write that has to read the event first, and so can't be made in one step under a
    /// condition.
    #[error(
        "{write} reads the event first in this layout, so that no condition can guard it: {instead}"
    )]
    ReadsFirst {
        /// What was to be done.
        write: &'static str,
        /// What to do in its place.
        instead: &'static str,
    },
}
