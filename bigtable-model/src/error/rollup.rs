use crate::Timestamp;

/// Why the roll-up of some events cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RollupError {
    /// The column cannot hold the sum.
    #[error("the sum in column `{column}` overflows its type: declare a wider type")]
    Overflow {
        /// The roll-up's field.
        column: &'static str,
    },
    /// Some of the bucket's events, or of the shorter buckets from which it is computed, are older
    /// than their table's garbage-collection rule.
    #[error(
        "what it is computed from may be deleted before {before} by a garbage-collection rule: a bucket that has values keeps them"
    )]
    Expired {
        /// The time from which everything is kept.
        before: Timestamp,
    },
    /// A table by period that held events of the bucket is missing.
    #[error(
        "the table {table}, which held events of it, is missing: a bucket that has values keeps them"
    )]
    MissingTable {
        /// The table.
        table: String,
    },
}
