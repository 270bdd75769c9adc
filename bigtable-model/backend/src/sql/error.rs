//! Errors of queries whose rows are decoded into Rust types.

use crate::Status;

/// Why a query's rows cannot be read as the requested type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SqlError {
    /// The backend refused the query or failed.
    #[error(transparent)]
    Status(#[from] Status),
    /// A value does not fit the Rust type.
    #[error("column \"{column}\": {problem}")]
    Column {
        /// The column's name.
        column: String,
        /// What is wrong, and for nested values where.
        problem: String,
    },
    /// The columns do not fit the Rust type.
    #[error("{problem}")]
    Row {
        /// What is wrong.
        problem: String,
    },
}
