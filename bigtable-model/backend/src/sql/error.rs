//! Errors of queries whose rows are read into types of the program.

use crate::Status;

/// Why a query has no rows of the type that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SqlError {
    /// The backend refused the query or failed.
    #[error(transparent)]
    Status(#[from] Status),
    /// A value does not fit the program's type.
    #[error("column \"{column}\": {problem}")]
    Column {
        /// The column's name.
        column: String,
        /// What is wrong, and inside of a value where.
        problem: String,
    },
    /// The columns do not fit the program's type.
    #[error("{problem}")]
    Row {
        /// What is wrong.
        problem: String,
    },
}
