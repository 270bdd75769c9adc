//! Sends changes that the server computes.

use futures::future::BoxFuture;

use crate::Error;
use crate::backend::Backend;
use crate::model::{Model, Modified, Modify};
use crate::send::send_modification;

impl<M: Model> Modify<M> {
    /// Makes the changes and returns the new values.
    ///
    /// # Errors
    /// Those of [`to_request`](Modify::to_request), and then nothing is sent; or the backend's
    /// error, for instance if a counter's cell does not hold 8 bytes.
    #[must_use]
    pub fn send(self, backend: &dyn Backend) -> BoxFuture<'_, Result<Modified<M>, Error>> {
        let ready = self.prepare();
        Box::pin(async move { send_modification(backend, ready?).await })
    }
}
