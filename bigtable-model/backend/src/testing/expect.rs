//! The expectations of cases, and their failure messages.

use std::fmt::Debug;

use crate::{Code, Status};

/// Why a case failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

impl Failure {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// An unexpected error status ends the case.
impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self(format!("refused: {status}"))
    }
}

pub(super) type CaseResult = Result<(), Failure>;

/// The maximum length of a value in a message.
const SHOWN: usize = 400;

/// A value for a message, cut off if it is long.
pub(super) fn shown<T: Debug>(value: &T) -> String {
    let text = format!("{value:?}");
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => {
            let head = text.get(..cut).unwrap_or_default();
            format!("{head}... ({} bytes)", text.len())
        }
        None => text,
    }
}

fn differs(what: &str, expected: &str, got: &str) -> Failure {
    Failure(format!("{what}\n  expected: {expected}\n       got: {got}"))
}

/// Fails unless both are equal; `what` names the thing compared.
pub(super) fn expect_eq<T: PartialEq + Debug>(what: &str, got: &T, expected: &T) -> CaseResult {
    if got == expected {
        return Ok(());
    }
    Err(differs(what, &shown(expected), &shown(got)))
}

/// Fails unless the condition holds.
pub(super) fn expect(what: &str, holds: bool) -> CaseResult {
    if holds {
        return Ok(());
    }
    Err(Failure(format!("expected {what}")))
}

/// Fails unless the backend refused with this code.
pub(super) fn expect_code<T: Debug>(
    what: &str,
    got: Result<T, Status>,
    expected: Code,
) -> CaseResult {
    let expected = expected.name();
    match got {
        Err(status) if status.code.name() == expected => Ok(()),
        Err(status) => Err(differs(what, expected, &status.to_string())),
        Ok(value) => Err(differs(
            what,
            expected,
            &format!("success, {}", shown(&value)),
        )),
    }
}
