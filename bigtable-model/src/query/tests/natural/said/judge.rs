//! Compares the library's refusals with the expected ones.

use std::collections::BTreeSet;

use super::asked::{Refusal, Refusals};
use super::library::{Error, KeyError, QueryError};
use super::model::Model;
use super::question::Question;
use super::rules::Refused;

/// Why a case fails.
pub(super) type Failure = String;

macro_rules! check {
    ($holds:expr, $($text:tt)*) => {
        if !$holds {
            return Err(format!($($text)*));
        }
    };
}
pub(super) use check;

impl Model {
    /// Checks that a write was refused or accepted as expected.
    pub(super) fn judge_write<T>(
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

    /// Why an event was refused.
    pub(super) fn reason(&self, error: &Error) -> Refused {
        match error {
            Error::Key { source, .. } => self.reason_of_key(source),
            Error::Value { column, .. } => {
                let name = column.split_once(':').map_or("", |(_, name)| name);
                let mut columns = self.columns.iter();
                let column = columns.find(|column| column.name == name);
                Refused::Column(column.unwrap_or_else(|| panic!("{error:?}")).name)
            }
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn reason_of_key(&self, error: &KeyError) -> Refused {
        match error {
            KeyError::Segment { segment, .. } => {
                let names = self.identifiers().map(|one| one.name).chain(["at"]);
                let mut known = names.filter(|name| segment == name);
                Refused::Segment(known.next().unwrap_or_else(|| panic!("{error:?}")))
            }
            KeyError::Empty | KeyError::TooLong { .. } => Refused::Key,
            other => panic!("{other:?}"),
        }
    }
}

impl Question {
    /// Checks that a question was refused or answered as expected.
    pub(super) fn judge<T>(
        &self,
        refusals: &Refusals,
        result: Result<T, Error>,
    ) -> Result<Option<T>, Failure> {
        let Refusals { must, may } = refusals;
        match result {
            Ok(answer) => {
                check!(must.is_empty(), "answered, but to be refused for {must:?}");
                Ok(Some(answer))
            }
            Err(error) => {
                let reason = reason(&error)?;
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

/// Why a question was refused.
fn reason(error: &Error) -> Result<Refusal, Failure> {
    let Error::Query { source, .. } = error else {
        return Err(format!("{error:?}"));
    };
    Ok(match source {
        QueryError::Key(_) => Refusal::Key,
        QueryError::Closed { .. } => Refusal::Closed,
        QueryError::FullScan { .. } => Refusal::FullScan,
        QueryError::OpenTime { .. } => Refusal::OpenTime,
        QueryError::NoTimeOrder { .. } => Refusal::NoTimeOrder,
        QueryError::TooManyScans { .. } => Refusal::TooManyScans,
        QueryError::TooManyCombinations { .. } => Refusal::TooManyCombinations,
        other => return Err(format!("{other:?}")),
    })
}
