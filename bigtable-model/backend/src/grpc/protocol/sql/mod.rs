//! SQL on the wire: types and values, plans, and the rows that a stream of batches holds.

pub(crate) mod batches;
pub(crate) mod plan;
pub(crate) mod rows;
pub(crate) mod types;
mod values;

use crate::{Code, Status};

/// The failure of a server that breaks the protocol. It is never followed by another attempt: the
/// next stream might hold nothing and end well, and pass for the answer.
#[cold]
pub(crate) fn invalid(problem: impl std::fmt::Display) -> Status {
    Status::new(
        Code::Internal,
        format!("{problem} (InvalidExecuteQueryResponse)"),
    )
}

#[cfg(test)]
mod tests;
