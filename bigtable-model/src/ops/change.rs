//! Changes of one event, as `db.send(..)` takes them.

use futures::future::BoxFuture;

use crate::backend::Backend;
use crate::model::{IntoUpdate, Model, Modified, Modify};
use crate::send::{send_modification, send_update};
use crate::{Error, Timestamp};

/// What `db.send(..)` sends: an [update](crate::model::Update), which returns nothing, or a
/// [`Modify`], which returns the new values.
pub trait Change {
    /// The result.
    type Output;

    /// Sends it; [`BackendExt::send`](crate::BackendExt::send) calls it.
    ///
    /// # Errors
    /// If the key or a column cannot hold its value, or there is nothing to change; then nothing is
    /// sent. Otherwise the backend's error, for instance if a counter's cell does not hold 8 bytes.
    fn sent(self, backend: &dyn Backend) -> BoxFuture<'_, Result<Self::Output, Error>>;
}

impl<U: IntoUpdate> Change for U {
    type Output = ();

    fn sent(self, backend: &dyn Backend) -> BoxFuture<'_, Result<(), Error>> {
        let write = self.into_update().write(Timestamp::now());
        Box::pin(async move { send_update(backend, U::Model::SCHEMA, write?).await })
    }
}

impl<M: Model> Change for Modify<M> {
    type Output = Modified<M>;

    fn sent(self, backend: &dyn Backend) -> BoxFuture<'_, Result<Modified<M>, Error>> {
        let ready = self.prepare();
        Box::pin(async move { send_modification(backend, ready?).await })
    }
}
