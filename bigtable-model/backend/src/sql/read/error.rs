//! Why a value is not decoded.

use std::fmt;

use serde::de;

/// An error of decoding.
#[derive(Debug)]
pub(super) enum ReadError {
    /// In a column.
    Column {
        column: String,
        problem: String,
    },
    /// A struct's field has no column or member of its name.
    Missing(&'static str),
    Other(String),
}

impl ReadError {
    pub(super) fn null() -> Self {
        Self::Other("it is NULL: read it into an Option".to_owned())
    }

    pub(super) fn in_column(self, column: &str) -> Self {
        Self::Column {
            column: column.to_owned(),
            problem: self.problem(),
        }
    }

    /// Adds a part of the value to the error.
    pub(super) fn inside(self, part: impl fmt::Display) -> Self {
        Self::Other(format!("{part}: {}", self.problem()))
    }

    fn problem(self) -> String {
        match self {
            Self::Column { problem, .. } | Self::Other(problem) => problem,
            Self::Missing(name) => format!("\"{name}\" is missing"),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column { column, problem } => write!(f, "column \"{column}\": {problem}"),
            Self::Missing(name) => write!(f, "\"{name}\" is missing"),
            Self::Other(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for ReadError {}

impl de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Other(message.to_string())
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Missing(field)
    }
}
