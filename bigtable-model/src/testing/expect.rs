//! What a case expects, and how it says that it got something else.

use std::fmt::Debug;

use crate::backend::{Code, Status};

/// Why a case failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

impl Failure {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// An answer that the case did not ask for ends it.
impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self(format!("refused: {status}"))
    }
}

pub(super) type CaseResult = Result<(), Failure>;

/// Fails unless both are equal; `what` names the thing compared.
pub(super) fn expect_eq<T: PartialEq + Debug>(what: &str, got: &T, expected: &T) -> CaseResult {
    if got == expected {
        return Ok(());
    }
    Err(Failure(format!(
        "{what}\n  expected: {expected:?}\n       got: {got:?}"
    )))
}

/// Fails unless the condition holds.
pub(super) fn expect(what: &str, holds: bool) -> CaseResult {
    if holds {
        return Ok(());
    }
    Err(Failure(what.to_owned()))
}

/// Fails unless the backend refused with this code.
pub(super) fn expect_code<T: Debug>(
    what: &str,
    got: Result<T, Status>,
    expected: Code,
) -> CaseResult {
    match got {
        Err(status) if status.code == expected => Ok(()),
        Err(status) => Err(Failure(format!(
            "{what}\n  expected: {expected}\n       got: {status}"
        ))),
        Ok(value) => Err(Failure(format!(
            "{what}\n  expected: {expected}\n       got: success, {value:?}"
        ))),
    }
}
