//! What can go wrong with a query whose rows are read into types of the program.

use crate::Status;

/// Why a query has no rows of the type that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SqlError {
    /// The backend refused the query or failed.
    #[error(transparent)]
    Status(#[from] Status),
    /// A value cannot be what the program has in its place.
    #[error("column \"{column}\": {problem}")]
    Column {
        /// The column's name.
        column: String,
        /// What is wrong, and inside of a value where.
        problem: String,
    },
    /// The columns are not those that the program reads.
    #[error("{problem}")]
    Row {
        /// What is wrong.
        problem: String,
    },
}
