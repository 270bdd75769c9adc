//! Decodes rows into Rust types with serde.

mod members;
mod row;
mod value;

use std::fmt;

use serde::de::{self, DeserializeOwned};

use super::{SqlError, SqlRow};

/// Decodes a row.
pub(super) fn row<R: DeserializeOwned>(row: SqlRow) -> Result<R, SqlError> {
    let (columns, values) = row.into_parts();
    R::deserialize(row::RowReader::new(&columns, values)).map_err(|error| match error {
        ReadError::Column { column, problem } => SqlError::Column { column, problem },
        ReadError::Missing(name) => SqlError::Row {
            problem: format!(
                "no column of the query is named \"{name}\": it has {}",
                columns.names()
            ),
        },
        ReadError::Other(problem) => SqlError::Row { problem },
    })
}

/// An error of decoding.
#[derive(Debug)]
enum ReadError {
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
    fn null() -> Self {
        Self::Other("it is NULL: read it into an Option".to_owned())
    }

    fn in_column(self, column: &str) -> Self {
        Self::Column {
            column: column.to_owned(),
            problem: self.problem(),
        }
    }

    /// Adds a part of the value to the error.
    fn inside(self, part: impl fmt::Display) -> Self {
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
