//! What an error means for the caller.

use super::{Error, QueryError};
use crate::Code;
use crate::backend::missing::{lacks_family, lacks_table};

/// What an [`Error`] means for the caller: how to answer, and whether to try again.
///
/// | kind | HTTP | try again |
/// |---|---|---|
/// | [`Request`](ErrorKind::Request) | 400 | after a correction |
/// | [`Conflict`](ErrorKind::Conflict) | 409 | after reading the event again |
/// | [`StoredRow`](ErrorKind::StoredRow) | 500 | no: a stored row does not fit the model |
/// | [`Setup`](ErrorKind::Setup) | 500 | no: a table is missing or differs from the model |
/// | [`Backend`](ErrorKind::Backend) | 502 | no: the backend refused the call, for instance for a missing permission |
/// | [`Unavailable`](ErrorKind::Unavailable) | 503 | yes; what is sent once, after a read |
/// | [`Incomplete`](ErrorKind::Incomplete) | 503 | yes, as the error says: the event is written, a copy or a roll-up may lack it |
/// | [`Timeout`](ErrorKind::Timeout) | 504 | if the call may be repeated |
///
/// ```
/// use bigtable_model::{BackendExt, ErrorKind, MemoryBackend, Model};
///
/// #[derive(Debug, Model)]
/// #[bigtable(table = "USER", family = "U")]
/// struct User {
///     #[bigtable(key)]
///     id: String,
///     name: String,
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_model::Error> {
/// let db = MemoryBackend::new();
/// let user = User { id: "7".into(), name: "Ann".into() };
/// let error = db.insert(&user).await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Setup); // there is no table yet
/// db.ensure_tables::<User>().await?;
/// let error = db.insert(&User { id: "a#b".into(), ..user }).await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Request); // the key cannot hold its own separator
/// assert_eq!(error.kind().http_status(), 400);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The query or the values to store are refused; nothing was sent.
    Request,
    /// The event was changed meanwhile; nothing was written.
    Conflict,
    /// A stored row or cell does not fit the model.
    StoredRow,
    /// A table or a family is missing, or differs from what the model wants.
    Setup,
    /// The event was written, but a copy of it was not, or a roll-up may lack it.
    Incomplete,
    /// The backend could not be reached or is overloaded.
    Unavailable,
    /// The call timed out. A write may have arrived.
    Timeout,
    /// The backend refused the call, or failed in another way.
    Backend,
}

impl ErrorKind {
    /// The HTTP status code with which a handler answers.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::Request => 400,
            Self::Conflict => 409,
            Self::StoredRow | Self::Setup => 500,
            Self::Backend => 502,
            Self::Unavailable | Self::Incomplete => 503,
            Self::Timeout => 504,
        }
    }
}

impl Error {
    /// What the error means for the caller.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            // The problem is the rules of the model's families, not the query.
            Self::Query {
                source: QueryError::Rules,
                ..
            } => ErrorKind::Setup,
            Self::Key { .. }
            | Self::Query { .. }
            | Self::ByName { .. }
            | Self::Sql { .. }
            | Self::Value { .. }
            | Self::EmptyUpdate { .. }
            | Self::Expired { .. }
            | Self::Unsettled { .. }
            | Self::Condition { .. }
            | Self::Series(_)
            | Self::TooManyTables { .. } => ErrorKind::Request,
            Self::Conflict { .. } => ErrorKind::Conflict,
            Self::ForeignKey { .. }
            | Self::ForeignCell { .. }
            | Self::BadCell { .. }
            | Self::Version { .. }
            | Self::MissingColumn { .. }
            | Self::Rollup { .. }
            | Self::Former { .. } => ErrorKind::StoredRow,
            Self::Schema(_) | Self::NotCopied { .. } | Self::MissingTable { .. } => {
                ErrorKind::Setup
            }
            Self::NotMirrored { .. } | Self::NotAdded(_) => ErrorKind::Incomplete,
            Self::Backend { source, .. } if lacks_table(source) || lacks_family(source) => {
                ErrorKind::Setup
            }
            Self::Backend { source, .. } => match source.code {
                Code::DeadlineExceeded => ErrorKind::Timeout,
                _ if source.is_retryable() => ErrorKind::Unavailable,
                _ => ErrorKind::Backend,
            },
        }
    }
}
