//! One event with several sources: reads of all of them, and copies under a condition.

use bytes::Bytes;

use super::call::{at_row, only, read_row};
use super::checked::write_unknown;
use super::expired::{expiry_of_blocks, unexpired_now};
use super::limits::MUTATIONS_PER_REQUEST;
use crate::backend::{Backend, Method};
use crate::data::{CheckAndMutateRow, ReadRows};
use crate::model::{
    EventReader, EventRow, EventTimes, Model, ModelKey as _, RowEvents, Schema, Source,
    event_request,
};
use crate::{Error, Timestamp};

/// The event of a key that the model's own rows do not have, from another source; `times` is its
/// time if rows hold many.
pub(super) async fn get<M: Model>(
    backend: &dyn Backend,
    key: &Bytes,
    times: &EventTimes,
) -> Result<Option<M>, Error> {
    let schema = M::SCHEMA;
    if !schema.is_united() {
        return Ok(None);
    }
    let time = match only(times) {
        Some(time) => Some(time),
        None => schema.time_of_row(key)?,
    };
    for source in schema.sources() {
        let Some(found) = find(backend, schema, &*source, key, time).await? else {
            continue;
        };
        let expiry = schema.expires().then(|| backend.expiry_time());
        let event = source.as_own(schema, &found, 0, expiry)?;
        return event.map(|event| event.read(0)).transpose();
    }
    Ok(None)
}

/// The event in another source that has a key and a time in the model's own layout.
async fn find(
    backend: &dyn Backend,
    schema: &Schema,
    source: &dyn Source,
    key: &[u8],
    time: Option<Timestamp>,
) -> Result<Option<RowEvents>, Error> {
    let Some((request, times)) = source.request(schema, key, time)? else {
        return Ok(None);
    };
    let filter = unexpired_now(backend, source.schema(), request.filter)?;
    let request = ReadRows { filter, ..request };
    let row = read_row(backend, source.schema(), request, only(&times)).await?;
    let expiry = expiry_of_blocks(backend, source.schema());
    let found = row.map(|row| source.load(row, &times, expiry));
    let found = found.transpose()?;
    Ok(found.filter(|found| !found.is_empty()))
}

/// Copies the event with this key and time to the model's own row if only another source has it, so
/// that a change applies to the whole event rather than to a part that hides the rest.
pub(crate) async fn settle(
    backend: &dyn Backend,
    schema: &Schema,
    key: &[u8],
    time: Option<Timestamp>,
) -> Result<(), Error> {
    if !schema.is_united() {
        return Ok(());
    }
    let time = match schema.stored_time(time) {
        Some(time) => Some(time),
        None => schema.time_of_row(key)?,
    };
    let (request, times) = schema.event_request(key, time)?;
    if let Some(row) = read_row(backend, schema, request, only(&times)).await? {
        let mut events = RowEvents::default();
        EventReader::telling(schema).load(row, &times, &mut events)?;
        if !events.is_empty() {
            return Ok(());
        }
    }
    for source in schema.sources() {
        if let Some(found) = find(backend, schema, &*source, key, time).await? {
            let event = source.insertion(schema, &found, 0)?;
            return copy(backend, schema, vec![event]).await.map(drop);
        }
    }
    Ok(())
}

/// Writes events of another source that belong to one row of the model, unless the row has them or
/// they were deleted from it; returns how many.
pub(crate) async fn copy(
    backend: &dyn Backend,
    schema: &Schema,
    events: Vec<EventRow>,
) -> Result<u64, Error> {
    let mut written = 0;
    if schema.is_packed() {
        let mutations = events.iter().map(|one| one.row.mutations.len()).max();
        let at_once = MUTATIONS_PER_REQUEST / mutations.unwrap_or_default().max(1);
        for some in events.chunks(at_once.max(1)) {
            written += write_unknown(backend, schema, some).await?;
        }
        return Ok(written);
    }
    for event in events {
        written += u64::from(copy_one(backend, schema, event).await?);
    }
    Ok(written)
}

async fn copy_one(backend: &dyn Backend, schema: &Schema, event: EventRow) -> Result<bool, Error> {
    let predicate = schema.is_known(&event)?;
    let EventRow { row, time } = event;
    let key = row.key.clone();
    let table = schema.table_of_row(&key)?;
    let request = CheckAndMutateRow {
        table: table.clone().into_owned(),
        key: row.key,
        predicate: Some(predicate),
        if_true: Vec::new(),
        if_false: row.mutations,
    };
    let known = backend.check_and_mutate_row(request).await;
    let known = known.map_err(|source| {
        at_row(
            schema,
            &table,
            Method::CheckAndMutateRow,
            (&key, time),
            source,
        )
    })?;
    Ok(!known)
}

/// As [`settle`], for the event with this key.
pub(crate) async fn settle_key<M: Model>(backend: &dyn Backend, key: &M::Key) -> Result<(), Error> {
    if !M::SCHEMA.is_united() {
        return Ok(());
    }
    let (request, times) = event_request::<M>(key)?;
    let row = request.rows.keys.first().cloned().unwrap_or_default();
    settle(backend, M::SCHEMA, &row, key.time().or(only(&times))).await
}
