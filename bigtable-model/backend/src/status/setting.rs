//! Settings that cannot work.

use std::fmt::Debug;

use crate::{Code, Status};

/// A setting that cannot work. The call that takes the settings refuses it, and nothing has begun.
///
/// ```
/// use bigtable_backend::MemoryBackend;
/// use bigtable_backend::batcher::{Batcher, BatcherSettings};
///
/// let none = BatcherSettings { bytes: 0, ..BatcherSettings::default() };
/// let error = Batcher::new(std::sync::Arc::new(MemoryBackend::new()), "t", none).unwrap_err();
/// assert_eq!(error.field, "BatcherSettings::bytes");
/// assert_eq!(error.to_string(), "BatcherSettings::bytes is 0: give at least 1");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value}: {instead}")]
#[non_exhaustive]
pub struct InvalidSetting {
    /// The field, or the method that sets it, such as `BatcherSettings::bytes`.
    pub field: &'static str,
    /// Its value.
    pub value: String,
    /// What to give instead.
    pub instead: String,
}

impl From<InvalidSetting> for Status {
    fn from(setting: InvalidSetting) -> Self {
        Self::new(Code::InvalidArgument, setting.to_string())
    }
}

/// Refuses a value that does not fit.
pub fn check(
    field: &'static str,
    value: impl Debug,
    fits: bool,
    instead: impl Into<String>,
) -> Result<(), InvalidSetting> {
    match fits {
        true => Ok(()),
        false => Err(InvalidSetting {
            field,
            value: format!("{value:?}"),
            instead: instead.into(),
        }),
    }
}

/// Refuses a count of 0.
pub fn at_least_one(field: &'static str, count: usize) -> Result<(), InvalidSetting> {
    check(field, count, count > 0, "give at least 1")
}
