//! SQL on the wire: types and values, plans, and the rows in a stream of batches.

pub(crate) mod batches;
pub(crate) mod plan;
pub(crate) mod rows;
pub(crate) mod types;
mod values;

use crate::{Code, Status};

/// The failure of a server that breaks the protocol. It is never retried: the next stream might be
/// empty, end with success, and pass for the answer.
#[cold]
pub(crate) fn invalid(problem: impl std::fmt::Display) -> Status {
    Status::new(
        Code::Internal,
        format!("{problem} (InvalidExecuteQueryResponse)"),
    )
}

#[cfg(test)]
mod tests;
