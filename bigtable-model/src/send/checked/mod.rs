//! Writes under a condition.

mod guard;

use super::call::{CHECK, at_row};
use super::expired::unexpired_predicate;
use super::marks::mark;
use crate::Error;
use crate::backend::Backend;
use crate::condition::{CheckedWrite, ConditionError, Stated, VersionNumber};
use crate::model::{Schema, described_event};

pub(crate) use guard::{Claim, read_all, write_unknown};

/// Sends a write under a condition once, and returns whether it was made. Expired cells are not
/// compared.
pub(crate) async fn send_checked(
    backend: &dyn Backend,
    schema: &Schema,
    write: CheckedWrite,
) -> Result<bool, Error> {
    let (table, key, time) = (
        write.request.table.clone(),
        write.request.key.clone(),
        write.time,
    );
    let place = (&*key, time);
    let refused = |source| Error::Condition {
        table: table.clone(),
        key: described_event(schema, &key, time),
        source,
    };
    if let Some(source) = schema.sources().next() {
        let former = source.name().to_owned();
        return Err(refused(ConditionError::Former { former }));
    }
    if schema.is_packed() {
        mark(backend, schema, [place]).await?;
        return guard::write_checked(backend, schema, write).await;
    }
    let CheckedWrite {
        mut request,
        applied_when,
        ..
    } = write;
    if let Some(predicate) = request.predicate.take() {
        let unexpired = unexpired_predicate(backend, schema, predicate);
        request.predicate = Some(unexpired.map_err(refused)?);
    }
    mark(backend, schema, [place]).await?;
    let matched = backend.check_and_mutate_row(request).await;
    let matched = matched.map_err(|source| at_row(schema, &table, CHECK, place, source))?;
    Ok(matched == applied_when)
}

/// Sends an update of an event at the version that the update states; returns the next version.
pub(crate) async fn send_update_at<V: VersionNumber>(
    backend: &dyn Backend,
    schema: &Schema,
    (write, stated): (CheckedWrite, Stated<V>),
) -> Result<V, Error> {
    let place = write.place();
    match send_checked(backend, schema, write).await? {
        true => Ok(stated.next),
        false => Err(stated.conflict(schema, place)),
    }
}

/// Sends a delete under a condition.
pub(crate) async fn delete_checked(
    backend: &dyn Backend,
    schema: &Schema,
    write: CheckedWrite,
) -> Result<bool, Error> {
    let holds_of_none = !write.applied_when;
    match send_checked(backend, schema, write).await {
        // A missing table holds no event.
        Err(Error::MissingTable { .. }) => Ok(holds_of_none),
        sent => sent,
    }
}
