//! Inserts of events that have a version.

use crate::backend::Backend;
use crate::condition::{Stated, VersionedModel};
use crate::send::{CheckedRows, insert_if_with_copies};
use crate::{Error, Timestamp};

/// Writes an event with its next version, if the stored version is its own. The event has the next
/// version once it is written, and keeps its own in every other case, even if the future is
/// dropped.
pub(super) async fn insert_if_unchanged<M: VersionedModel>(
    backend: &dyn Backend,
    event: &mut M,
) -> Result<(), Error> {
    let version = event.version();
    let stated = Stated::of_event(event)?;
    event.set_version(stated.next);
    let rows = CheckedRows::new(event, Timestamp::now(), &stated.of_insert::<M>());
    event.set_version(version);
    let rows = rows?;
    let place = rows.place();
    match insert_if_with_copies(backend, rows).await {
        Ok(false) => Err(stated.conflict(M::SCHEMA, place)),
        Err(error) if !matches!(error, Error::NotMirrored { .. }) => Err(error),
        written => {
            event.set_version(stated.next);
            written.map(drop)
        }
    }
}
