//! The service's error answers.

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bigtable_model::Error;
use bigtable_model::key::KeyError;
use bigtable_model_examples::print;
use serde::Serialize;

/// An error answer: `{"errors":[...]}`, with `written` if some readings were written.
#[derive(Debug, Serialize)]
pub(crate) struct Refusal {
    #[serde(skip)]
    pub(crate) status: StatusCode,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) written: Option<usize>,
    pub(crate) errors: Vec<Fault>,
}

/// One error, and where it is.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Fault {
    /// The index of the reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<usize>,
    pub(crate) error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The segment of the row key.
    #[serde(skip_serializing_if = "Option::is_none")]
    segment: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<String>,
}

impl Fault {
    pub(crate) fn new(error: impl Into<String>) -> Self {
        Self {
            error: error.into(),
            ..Self::default()
        }
    }

    pub(crate) fn at(self, index: usize) -> Self {
        Self {
            index: Some(index),
            ..self
        }
    }

    /// The same error, with a place in a table.
    fn located(self, table: &str, key: Option<&str>, column: Option<&str>) -> Self {
        Self {
            table: Some(table.to_owned()),
            key: key.map(str::to_owned),
            column: column.map(str::to_owned),
            ..self
        }
    }
}

impl From<&Error> for Fault {
    fn from(error: &Error) -> Self {
        let fault = Self::new(print::chain(error));
        match error {
            Error::Key { table, key, source } => Self {
                segment: segment(source),
                ..fault.located(table, Some(key), None)
            },
            Error::Value {
                table, key, column, ..
            }
            | Error::BadCell {
                table, key, column, ..
            }
            | Error::MissingColumn { table, key, column } => {
                fault.located(table, Some(key), Some(column))
            }
            Error::Backend { table, key, .. } => fault.located(table, key.as_deref(), None),
            Error::Query { table, .. } => fault.located(table, None, None),
            _ => fault,
        }
    }
}

fn segment(error: &KeyError) -> Option<String> {
    match error {
        KeyError::Segment { segment, .. } => Some(segment.to_string()),
        _ => None,
    }
}

pub(crate) fn status(error: &Error) -> StatusCode {
    let status = StatusCode::from_u16(error.kind().http_status());
    status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, errors: Vec<Fault>) -> Self {
        Self {
            status,
            written: None,
            errors,
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::new(status(&error), vec![Fault::from(&error)])
    }
}

impl From<QueryRejection> for Refusal {
    fn from(rejection: QueryRejection) -> Self {
        Self::new(rejection.status(), vec![Fault::new(rejection.body_text())])
    }
}

impl From<PathRejection> for Refusal {
    fn from(rejection: PathRejection) -> Self {
        Self::new(rejection.status(), vec![Fault::new(rejection.body_text())])
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(self)).into_response()
    }
}
