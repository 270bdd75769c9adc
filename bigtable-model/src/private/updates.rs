//! Updates as generated code sends them.

use futures::future::BoxFuture;

use crate::backend::Backend;
use crate::condition::{Condition, VersionedModel};
use crate::model::{Model, Update};
use crate::{Error, Timestamp};

/// Sends an update.
///
/// # Errors
/// Those of [`Update::to_mutations`], and the backend's answer.
pub fn send_update<M: Model>(
    update: Update<M>,
    backend: &dyn Backend,
) -> BoxFuture<'_, Result<(), Error>> {
    let write = update.write(Timestamp::now());
    Box::pin(async move { crate::send::send_update(backend, M::SCHEMA, write?).await })
}

/// Sends an update under a condition.
///
/// # Errors
/// Those of [`send_update`], and of a condition that can't be sent.
pub fn send_update_if<M: Model>(
    update: Update<M>,
    backend: &dyn Backend,
    condition: Condition<M>,
) -> BoxFuture<'_, Result<bool, Error>> {
    let write = update.checked(Timestamp::now(), condition.test());
    Box::pin(async move { crate::send::send_checked(backend, M::SCHEMA, write?).await })
}

/// Sends an update of the event at a version.
///
/// # Errors
/// Those of [`send_update_if`], and that the event is at another version.
pub fn send_update_if_unchanged<M: VersionedModel>(
    update: Update<M>,
    backend: &dyn Backend,
    version: M::Version,
) -> BoxFuture<'_, Result<M::Version, Error>> {
    let write = update.at_version(Timestamp::now(), version);
    Box::pin(async move { crate::send::send_update_at(backend, M::SCHEMA, write?).await })
}
