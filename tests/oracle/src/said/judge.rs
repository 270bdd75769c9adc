//! Compares the library's refusals with the expected ones.

use std::collections::BTreeSet;

use crate::asked::{Refusal, Refusals};
use crate::model::Model;
use crate::question::Question;
use crate::rules::Refused;

/// Why a case fails.
pub type Failure = String;

/// Returns why the case fails, unless a condition holds.
#[macro_export]
macro_rules! check {
    ($holds:expr, $($text:tt)*) => {
        if !$holds {
            return Err(format!($($text)*));
        }
    };
}
pub use crate::check;

/// What the library's errors mean here: functions of the `Error`, `KeyError` and `QueryError` that
/// are in scope. The types of the library are others in its own tests than for its users.
#[macro_export]
macro_rules! reasons {
    () => {
        /// Why an event was refused.
        pub(super) fn reason(
            model: &$crate::model::Model,
            error: &Error,
        ) -> $crate::rules::Refused {
            match error {
                Error::Key { source, .. } => reason_of_key(model, source),
                Error::Value { column, .. } => {
                    let name = column.split_once(':').map_or("", |(_, name)| name);
                    let mut columns = model.columns.iter();
                    let column = columns.find(|column| column.name == name);
                    $crate::rules::Refused::Column(
                        column.unwrap_or_else(|| panic!("{error:?}")).name,
                    )
                }
                other => panic!("{other:?}"),
            }
        }

        pub(super) fn reason_of_key(
            model: &$crate::model::Model,
            error: &KeyError,
        ) -> $crate::rules::Refused {
            match error {
                KeyError::Segment { segment, .. } => {
                    let names = model.identifiers().map(|one| one.name).chain(["at"]);
                    let mut known = names.filter(|name| segment == name);
                    $crate::rules::Refused::Segment(
                        known.next().unwrap_or_else(|| panic!("{error:?}")),
                    )
                }
                KeyError::Empty | KeyError::TooLong { .. } => $crate::rules::Refused::Key,
                other => panic!("{other:?}"),
            }
        }

        /// Why a question was refused.
        pub(super) fn refusal(
            error: &Error,
        ) -> Result<$crate::asked::Refusal, $crate::judge::Failure> {
            let Error::Query { source, .. } = error else {
                return Err(format!("{error:?}"));
            };
            Ok(match source {
                QueryError::Key(_) => $crate::asked::Refusal::Key,
                QueryError::Closed { .. } => $crate::asked::Refusal::Closed,
                QueryError::FullScan { .. } => $crate::asked::Refusal::FullScan,
                QueryError::OpenTime { .. } => $crate::asked::Refusal::OpenTime,
                QueryError::NoTimeOrder { .. } => $crate::asked::Refusal::NoTimeOrder,
                QueryError::TooManyScans { .. } => $crate::asked::Refusal::TooManyScans,
                QueryError::TooManyCombinations { .. } => {
                    $crate::asked::Refusal::TooManyCombinations
                }
                other => return Err(format!("{other:?}")),
            })
        }
    };
}

impl Model {
    /// Checks that a write was refused or accepted as expected.
    pub fn judge_write<T>(
        &self,
        refused: &BTreeSet<Refused>,
        made: Result<T, Refused>,
    ) -> Result<Option<T>, Failure> {
        match made {
            Ok(made) => {
                check!(
                    refused.is_empty(),
                    "taken, but to be refused for {refused:?}"
                );
                Ok(Some(made))
            }
            Err(reason) => {
                // Any of several reasons may be reported.
                let other = reason == Refused::Key && !refused.is_empty();
                let known = refused.contains(&reason) || other;
                check!(known, "refused for {reason:?} and not {refused:?}");
                Ok(None)
            }
        }
    }
}

impl Question {
    /// Checks that a question was refused or answered as expected.
    pub fn judge<T, E: std::fmt::Debug>(
        &self,
        refusals: &Refusals,
        result: Result<T, E>,
        refusal: fn(&E) -> Result<Refusal, Failure>,
    ) -> Result<Option<T>, Failure> {
        let Refusals { must, may } = refusals;
        match result {
            Ok(answer) => {
                check!(must.is_empty(), "answered, but to be refused for {must:?}");
                Ok(Some(answer))
            }
            Err(error) => {
                let reason = refusal(&error)?;
                let known = must.contains(&reason) || may.contains(&reason);
                check!(
                    known,
                    "refused, {error:?}, but to be refused for {must:?} or {may:?}"
                );
                Ok(None)
            }
        }
    }
}
