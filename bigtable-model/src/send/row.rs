//! Calls for one row.

use super::added::Added;
use super::call::{CHECK, at_row, contended, only, read_row};
use super::expired::{expiry_of_blocks, unexpired_now};
use super::marks::mark;
use super::sources;
use crate::backend::{Backend, Code, Method, Status};
use crate::data::{Cell, ReadRows, RowMutations};
use crate::model::{
    ColumnId, Editable, EventReader, EventRow, Model, ModelKey as _, Modification, Modified,
    Replacement, RowEvents, Schema, Update, UpdateWrite, delete_cell_mutations, event_request,
};
use crate::query::EventTimes;
use crate::{Error, Timestamp};

const MODIFY: Method = Method::ReadModifyWriteRow;

/// How often an update that reads first is tried while others change the event.
const ATTEMPTS: usize = 8;

/// Sends the write of one event.
pub(crate) async fn send_row(
    backend: &dyn Backend,
    schema: &Schema,
    EventRow { row, time }: EventRow,
) -> Result<(), Error> {
    let key = row.key.clone();
    let table = schema.table_of_row(&key)?;
    mark(backend, schema, [(&*key, time)]).await?;
    let added = Added::of(schema, std::slice::from_ref(&row))?;
    let sent = backend.mutate_row(&table, row).await;
    sent.map_err(|source| at_row(schema, &table, Method::MutateRow, (&key, time), source))?;
    match added.send(backend, schema, |_| true).await.pop_first() {
        Some((_, missing)) => Err(Error::NotAdded(Box::new(missing))),
        None => Ok(()),
    }
}

pub(crate) async fn get<M: Model>(
    backend: &dyn Backend,
    (request, times): (ReadRows, EventTimes),
) -> Result<Option<M>, Error> {
    let filter = unexpired_now(backend, M::SCHEMA, request.filter)?;
    let key = request.rows.keys.first().cloned().unwrap_or_default();
    let request = ReadRows { filter, ..request };
    let row = read_row(backend, M::SCHEMA, request, only(&times)).await?;
    let mut events = RowEvents::default();
    if let Some(row) = row {
        let expiry = expiry_of_blocks(backend, M::SCHEMA);
        let reader = EventReader::telling(M::SCHEMA).without_expired(expiry);
        reader.load(row, &times, &mut events)?;
    }
    match events.is_empty() {
        true => sources::get(backend, &key, &times).await,
        false if events.is_deleted(0) => Ok(None),
        false => events.read(0).map(Some),
    }
}

/// The result of `mutations` for an event's cells, which are read if its layout needs them.
pub(crate) async fn deletion<M: Model>(
    backend: &dyn Backend,
    key: &M::Key,
    mutations: impl Fn(&[Cell]) -> Result<Option<RowMutations>, Error> + Send,
) -> Result<Option<RowMutations>, Error> {
    let cells = match M::SCHEMA.deletes_what_it_reads() {
        true => {
            let (request, times) = event_request::<M>(key)?;
            let row = read_row(backend, M::SCHEMA, request, only(&times)).await?;
            row.map_or_else(Vec::new, |row| row.cells)
        }
        false => Vec::new(),
    };
    mutations(&cells)
}

/// Sends the result of [`deletion`].
pub(crate) async fn delete<M: Model>(
    backend: &dyn Backend,
    key: &M::Key,
    mutations: impl Fn(&[Cell]) -> Result<Option<RowMutations>, Error> + Send,
) -> Result<(), Error> {
    let time = key.time();
    match deletion::<M>(backend, key, mutations).await? {
        Some(row) => if_there::<M>(send_row(backend, M::SCHEMA, EventRow { row, time }).await),
        None => Ok(()),
    }
}

/// The result of a delete. A missing table holds no event, but it cannot hold a tombstone either.
fn if_there<M: Model>(sent: Result<(), Error>) -> Result<(), Error> {
    match sent {
        Err(Error::MissingTable { .. }) if !M::SCHEMA.is_united() => Ok(()),
        sent => sent,
    }
}

/// Deletes a column of an event.
pub(crate) async fn delete_column<M: Editable>(
    backend: &dyn Backend,
    key: &M::Key,
    column: ColumnId,
) -> Result<(), Error> {
    match column {
        ColumnId::Declared(index) => {
            sources::settle_key::<M>(backend, key).await?;
            let mutations = |cells: &[_]| delete_cell_mutations::<M>(key, index, cells);
            delete::<M>(backend, key, mutations).await
        }
        ColumnId::Entry(map, name) => {
            let update = Update::<M>::new(key).change(|event| event.delete_entry(map, &name));
            let write = update.write(Timestamp::now())?;
            if_there::<M>(send_update(backend, M::SCHEMA, write).await)
        }
    }
}

/// Sends an update.
pub(crate) async fn send_update(
    backend: &dyn Backend,
    schema: &Schema,
    write: UpdateWrite,
) -> Result<(), Error> {
    match write {
        UpdateWrite::Row(row) => {
            sources::settle(backend, schema, &row.row.key, row.time).await?;
            send_row(backend, schema, row).await
        }
        UpdateWrite::Replacement(replacement) => replace(backend, schema, &replacement).await,
    }
}

/// Reads the old value and replaces it with the new one; tries again if it was changed meanwhile.
async fn replace(
    backend: &dyn Backend,
    schema: &Schema,
    replacement: &Replacement,
) -> Result<(), Error> {
    let place = (replacement.key(), Some(replacement.time()));
    for _ in 0..ATTEMPTS {
        let row = read_row(backend, schema, replacement.request(), place.1).await?;
        let cells = row.map_or_else(Vec::new, |row| row.cells);
        let (write, applied_when) = replacement.write(&cells);
        let table = write.table.clone();
        mark(backend, schema, [place]).await?;
        let matched = backend.check_and_mutate_row(write).await;
        let matched = matched.map_err(|source| at_row(schema, &table, CHECK, place, source))?;
        if matched == applied_when {
            return Ok(());
        }
    }
    Err(contended(schema, "event", place, ATTEMPTS))
}

/// Sends a read-modify-write.
pub(crate) async fn send_modification<M: Model>(
    backend: &dyn Backend,
    ready: Modification,
) -> Result<Modified<M>, Error> {
    let request = ready.request.clone();
    let key = request.key.clone();
    sources::settle(backend, M::SCHEMA, &key, ready.time).await?;
    mark(backend, M::SCHEMA, [(&*key, ready.time)]).await?;
    let answer = backend.read_modify_write_row(request).await;
    let table = &ready.request.table;
    let row =
        answer.map_err(|source| at_row(M::SCHEMA, table, MODIFY, (&key, ready.time), source))?;
    if !ready.is_answered_by(&row) {
        let lacking = Status::new(Code::Internal, "the answer lacks a column's new cell");
        return Err(at_row(
            M::SCHEMA,
            table,
            MODIFY,
            (&key, ready.time),
            lacking,
        ));
    }
    Ok(Modified::new(ready, row))
}
