use crate::data::RowFilter;

/// Why a condition cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// The column cannot hold the value.
    #[error("column {column} is compared with a value that it cannot hold: {reason}")]
    Value {
        /// Family and qualifier.
        column: String,
        /// Why.
        reason: String,
    },
    /// The model does not have this column; only possible for conditions made at run time.
    #[error("the condition compares column {index}, but the model has {columns} columns")]
    UnknownColumn {
        /// The index.
        index: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// The model declares this column, or has no map for it.
    #[error("column {column} is none of a map of run-time columns: compare the field")]
    NotOfMap {
        /// Family and qualifier.
        column: String,
    },
    /// The column repeats a segment of the key; only possible for conditions made at run time.
    #[error("column {column} repeats a segment of the key: compare the segment")]
    OfKey {
        /// Family and qualifier.
        column: String,
    },
    /// The filter has too many bytes.
    #[error(
        "its filter has {bytes} bytes, Bigtable allows {most}: compare with fewer or shorter values, or give columns shorter names",
        most = RowFilter::MAX_BYTES
    )]
    TooLarge {
        /// The size of the filter in bytes.
        bytes: usize,
    },
    /// The filter is nested too deeply.
    #[error(
        "its filter has more than {most} levels, the most that Bigtable allows: alternate `and` and `or` less often",
        most = RowFilter::MAX_LEVELS
    )]
    TooDeep,
    /// The part of the filter that excludes expired cells makes it too large or too deep.
    #[error(
        "the filter that excludes cells expired by `gc(...)` is larger or deeper than Bigtable allows: compare with fewer values, or declare a simpler rule"
    )]
    Rules,
    /// The model has a former layout, and one step cannot compare both.
    #[error(
        "a write under a condition cannot include the events of the former layout `{former}`: it would be atomic in today's layout alone: write without a condition until `was` is gone"
    )]
    Former {
        /// The former model's name.
        former: String,
    },
    /// The write must read the event first, so it cannot be one conditional step.
    #[error(
        "{write} reads the event first in this layout, so no condition can guard it: {instead}"
    )]
    ReadsFirst {
        /// The write.
        write: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
}
