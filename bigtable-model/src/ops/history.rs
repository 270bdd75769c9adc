//! The versions of a column.

use std::cmp::Reverse;
use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::Error;
use crate::backend::Backend;
use crate::model::{EventWriter, Model, Version, VersionedField, VersionsRead, versions};
use crate::send::read_row;

/// A read of the versions of one column of one event, newest first; see
/// [`BackendExt::history`](super::BackendExt::history). It is sent when it is awaited.
#[must_use = "nothing is read before it is awaited"]
pub struct History<F> {
    backend: Arc<dyn Backend>,
    read: Result<VersionsRead, Error>,
    field: F,
    newest: Option<usize>,
}

impl<F: VersionedField> History<F> {
    pub(super) fn new(backend: Arc<dyn Backend>, key: &<F::Model as Model>::Key, field: F) -> Self {
        Self {
            backend,
            read: EventWriter::of_key::<F::Model>(key)
                .and_then(|event| VersionsRead::new(event, field.column())),
            field,
            newest: None,
        }
    }

    /// Reads at most the newest `versions`; the server sends no others.
    pub fn newest(mut self, versions: usize) -> Self {
        self.newest = Some(versions);
        self
    }
}

/// # Errors
/// [`Error::Key`] if the key cannot be encoded, [`Error::Backend`] if the read fails,
/// [`Error::Version`] if the bytes of a version cannot be decoded.
impl<F: VersionedField> IntoFuture for History<F> {
    type Output = Result<Vec<Version<F::Value>>, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let Self {
            backend,
            read,
            field,
            newest,
        } = self;
        async move {
            let read = read?;
            let Some(request) = read.request(newest) else {
                return Ok(Vec::new());
            };
            let schema = <F::Model as Model>::SCHEMA;
            match read_row(&*backend, schema, request, read.time()).await? {
                Some(row) => {
                    let row = read.of_column(schema, row)?;
                    let mut found = versions(&field, read.of_event(row), read.time())?;
                    // A column with a former name has two lists of versions.
                    found.sort_by_key(|version| Reverse(version.time));
                    found.truncate(newest.unwrap_or(usize::MAX));
                    Ok(found)
                }
                None => Ok(Vec::new()),
            }
        }
        .boxed()
    }
}

impl<F: fmt::Debug> fmt::Debug for History<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("History")
            .field("field", &self.field)
            .field("read", &self.read)
            .field("newest", &self.newest)
            .finish_non_exhaustive()
    }
}
