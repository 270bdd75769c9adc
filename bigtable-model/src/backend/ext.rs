//! The typed operations on a backend.

use bytes::Bytes;

use super::places::Places;
use super::{Backend, Code, EntryOutcome, Status};
use crate::data::{Cell, Mutation, ReadRows, Row, RowMutations};
use crate::model::{
    Adds, Appends, Column, EventReader, HandleKind, Increments, InsertWriter, Layout, MapField,
    Model, ModelSchema, Modification, Modified, Modify, RowEvents, Update, delete_cell_mutations,
    delete_mutations, event_request, insert_mutations,
};
use crate::query::EventTimes;
use crate::schema::{ApplyOptions, TableDiff, WantedTable};
use crate::value::CellValue;
use crate::{Error, Timestamp};

const MODIFY: &str = "ReadModifyWriteRow";

/// The most entries that one bulk-write request carries.
const ENTRIES_PER_REQUEST: usize = 1_000;

/// The most mutations that one bulk-write request carries (Bigtable's limit).
const MUTATIONS_PER_REQUEST: usize = 100_000;

/// The most bytes of keys and values that one bulk-write request carries.
const BYTES_PER_REQUEST: usize = 8 << 20;

/// The typed operations, for every [`Backend`].
///
/// Their futures must be awaited to do anything. Every error names the table, and the key in decoded form
/// where it concerns one row.
pub trait BackendExt: Backend {
    /// Creates the model's table with its families and their garbage-collection rules, split for the shards of a salt in front of the key, or
    /// adds the families that an existing table lacks.
    ///
    /// A family without a rule keeps every cell, but one of counters and of texts that grow the newest alone
    /// ([`ModelSchema::family_schema`]). Those of aggregates are aggregate families. What else an existing table has otherwise is left alone:
    /// [`table_diff`](Self::table_diff) tells.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses.
    fn ensure_table<M: Model>(&self) -> impl Future<Output = Result<(), Error>> + Send {
        async move { WantedTable::of(M::SCHEMA).ensure(self).await }
    }

    /// What the model's table has otherwise than the model wants it.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses; that there is no such table is a difference and no error.
    fn table_diff<M: Model>(&self) -> impl Future<Output = Result<TableDiff, Error>> + Send {
        async move { WantedTable::of(M::SCHEMA).diff_on(self).await }
    }

    /// Makes the changes that a comparison asks for: those that keep every cell that is kept today, others only where `options` allow them.
    ///
    /// The table is looked at once more, and everything is judged before anything is sent, which then is one call.
    ///
    /// # Errors
    /// [`Error::Schema`] when a change is not allowed or not possible, or when the table is not what it was when it was compared, and then
    /// nothing is changed; [`Error::Backend`] when the backend refuses.
    fn apply(
        &self,
        diff: &TableDiff,
        options: &ApplyOptions,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        diff.apply_on(self, options)
    }

    /// Writes an event; one with the same row key is replaced, columns that the event lacks are deleted.
    ///
    /// # Errors
    /// [`Error::Key`] or [`Error::Value`] when the event can't be stored as it is, and then nothing is sent;
    /// [`Error::Backend`] when the backend refuses.
    fn insert<M: Model>(&self, event: &M) -> impl Future<Output = Result<(), Error>> + Send {
        let row = insert_mutations(event, Timestamp::now());
        async move { send_row(self, M::SCHEMA, row?).await }
    }

    /// Writes many events, in requests of up to 1,000 rows, one request at a time.
    ///
    /// Events of one row are written in their order, those of one request all or none of them. The outcome tells of each event that
    /// was not written; all others were.
    fn insert_many<'a, M: Model>(
        &self,
        events: impl IntoIterator<Item = &'a M, IntoIter: Send> + Send,
    ) -> impl Future<Output = InsertOutcome> + Send {
        insert_many(self, events)
    }

    /// The event with this key. In layout `qualifiers`, which keeps events of one key that differ in value, the first of them by the bytes of
    /// the value.
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the read fails, and the errors of
    /// [`RowEvents::read`].
    fn get<M: Model>(&self, key: &M::Key) -> impl Future<Output = Result<Option<M>, Error>> + Send {
        let request = event_request::<M>(key);
        async move { get(self, request?).await }
    }

    /// Deletes the event with this key: the row with all its columns, or in a row of many events those cells that are the event's. The columns
    /// that belong to such a row stay.
    ///
    /// In layout `qualifiers` the event is read before: one that is written meanwhile may stay.
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses.
    fn delete<M: Model>(&self, key: &M::Key) -> impl Future<Output = Result<(), Error>> + Send {
        delete::<_, M>(self, key, |cells| delete_mutations::<M>(key, cells))
    }

    /// Deletes one column of an event, with all its versions: `delete_cell(&key, Quote::FIELDS.bid_size)`.
    ///
    /// An event whose presence column is deleted is no event any more.
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses.
    fn delete_cell<M: Model, T>(
        &self,
        key: &M::Key,
        column: Column<M, T, impl HandleKind>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let column = column.index();
        delete::<_, M>(self, key, move |cells| {
            delete_cell_mutations::<M>(key, column, cells)
        })
    }

    /// Adds to a counter of an event and gives its new value: `increment(&key, Page::FIELDS.views, 1)`. A [`Modify`] changes several
    /// columns at once.
    ///
    /// An absent counter counts from 0. The call is sent once and never again: after an error that leaves open whether it arrived, only
    /// a read tells.
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses, as it does when the cell does not
    /// hold 8 bytes.
    fn increment<M: Model, T>(
        &self,
        key: &M::Key,
        column: Column<M, T, impl Increments>,
        by: i64,
    ) -> impl Future<Output = Result<i64, Error>> + Send {
        let index = column.index();
        let ready = Modify::<M>::new(key).increment(column, by).prepare();
        async move { modified::<_, M, _>(self, ready?, index).await }
    }

    /// Puts text or bytes behind what a column of an event holds, and gives all of it: `append(&key, Page::FIELDS.visitors, "ann ")`. A
    /// [`Modify`] changes several columns at once.
    ///
    /// An absent column is empty before. The call is sent once and never again, as [`increment`](BackendExt::increment) is.
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses, [`Error::Value`] when the cell holds
    /// no value of the column's type.
    fn append<M: Model, T, K: Appends<T>>(
        &self,
        key: &M::Key,
        column: Column<M, T, K>,
        suffix: &K::Suffix,
    ) -> impl Future<Output = Result<K::Value, Error>> + Send {
        let index = column.index();
        let ready = Modify::<M>::new(key).append(column, suffix).prepare();
        async move { modified::<_, M, _>(self, ready?, index).await }
    }

    /// Adds to an aggregate of an event, a sum, a minimum or a maximum: `add(&key, Minute::FIELDS.requests, 1)`. An update adds to
    /// several at once, by its setters `add_requests` and the like.
    ///
    /// It does not answer with the new value, and works without reading the cell: many writers may add at once. Adding twice is not adding
    /// once, so that the call is sent once and never again, as [`increment`](BackendExt::increment) is.
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses.
    fn add<M: Model, T>(
        &self,
        key: &M::Key,
        column: Column<M, T, impl Adds>,
        input: i64,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let update = Update::<M>::new(key).add(column.index(), input);
        let row = update.to_mutations(Timestamp::now());
        async move { send_row(self, M::SCHEMA, row?).await }
    }

    /// Deletes one run-time column of a row, with all its versions: `delete_entry(&key, Metric::FIELDS.rest, "IO/READ")`.
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses.
    fn delete_entry<M: Model, T>(
        &self,
        key: &M::Key,
        _map: MapField<M, T>,
        qualifier: impl AsRef<[u8]>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let update = Update::<M>::new(key).change(|event| {
            event.absent_entry(qualifier.as_ref());
            Ok(())
        });
        let row = update.to_mutations(Timestamp::now());
        async move { send_row(self, M::SCHEMA, row?).await }
    }
}

impl<B: Backend + ?Sized> BackendExt for B {}

/// What became of the events of [`BackendExt::insert_many`].
#[derive(Debug, Default)]
#[must_use = "it tells which events were not written"]
pub struct InsertOutcome {
    written: u64,
    failed: Vec<FailedInsert>,
}

/// An event that was not written.
#[derive(Debug)]
pub struct FailedInsert {
    /// Its position among the events.
    pub index: usize,
    /// Why; the error names the row key.
    pub error: Error,
}

impl InsertOutcome {
    /// How many events were written.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The events that were not, in their order.
    #[must_use]
    pub fn failed(&self) -> &[FailedInsert] {
        &self.failed
    }

    /// The number written, or the first failure.
    ///
    /// # Errors
    /// The error of the first event that was not written.
    pub fn into_result(self) -> Result<u64, Error> {
        match self.failed.into_iter().next() {
            Some(failed) => Err(failed.error),
            None => Ok(self.written),
        }
    }
}

/// Sends the mutations of one row.
pub(crate) async fn send_row<B: Backend + ?Sized>(
    backend: &B,
    schema: &'static ModelSchema,
    row: RowMutations,
) -> Result<(), Error> {
    let key = row.key.clone();
    let sent = backend.mutate_row(&schema.table, row).await;
    sent.map_err(|source| at_row(schema, "MutateRow", &key, source))
}

/// Sends a read-modify-write.
pub(crate) async fn send_modification<B: Backend + ?Sized, M: Model>(
    backend: &B,
    ready: Modification,
) -> Result<Modified<M>, Error> {
    let request = ready.request.clone();
    let key = request.key.clone();
    let answer = backend.read_modify_write_row(request).await;
    let row = answer.map_err(|source| at_row(M::SCHEMA, MODIFY, &key, source))?;
    Ok(Modified::new(ready, row))
}

/// The new value of the one column that a read-modify-write changes.
async fn modified<B: Backend + ?Sized, M: Model, V: CellValue>(
    backend: &B,
    ready: Modification,
    column: usize,
) -> Result<V, Error> {
    let key = ready.request.key.clone();
    let modified = send_modification::<_, M>(backend, ready).await?;
    let unanswered = Status::new(Code::Internal, "the answer lacks the column's new cell");
    let value = modified.value(column)?;
    value.ok_or_else(|| at_row(M::SCHEMA, MODIFY, &key, unanswered))
}

fn at_row(schema: &ModelSchema, method: &'static str, key: &[u8], source: Status) -> Error {
    Error::Backend {
        table: schema.table.to_string(),
        method,
        key: Some(schema.key.describe(key).to_string()),
        source,
    }
}

async fn get<B: Backend + ?Sized, M: Model>(
    backend: &B,
    (request, times): (ReadRows, EventTimes),
) -> Result<Option<M>, Error> {
    let Some(row) = read_row(backend, M::SCHEMA, request).await? else {
        return Ok(None);
    };
    let mut events = RowEvents::default();
    EventReader::new(M::SCHEMA).load(row, &times, &mut events)?;
    (!events.is_empty()).then(|| events.read(0)).transpose()
}

/// The row of a read that asks for one.
async fn read_row<B: Backend + ?Sized>(
    backend: &B,
    schema: &ModelSchema,
    request: ReadRows,
) -> Result<Option<Row>, Error> {
    use futures::StreamExt as _;
    let key = request.rows.keys.first().cloned().unwrap_or_default();
    let row = backend.read_rows(request).next().await.transpose();
    row.map_err(|source| at_row(schema, "ReadRows", &key, source))
}

/// Sends what `mutations` makes of the cells of an event, which are read where its layout has to know them.
async fn delete<B: Backend + ?Sized, M: Model>(
    backend: &B,
    key: &M::Key,
    mutations: impl Fn(&[Cell]) -> Result<Option<RowMutations>, Error> + Send,
) -> Result<(), Error> {
    let cells = match M::SCHEMA.layout {
        Layout::Qualifiers => {
            let (request, _) = event_request::<M>(key)?;
            let row = read_row(backend, M::SCHEMA, request).await?;
            row.map_or_else(Vec::new, |row| row.cells)
        }
        _ => Vec::new(),
    };
    match mutations(&cells)? {
        Some(row) => send_row(backend, M::SCHEMA, row).await,
        None => Ok(()),
    }
}

/// One bulk-write request in the making.
#[derive(Default)]
struct Batch {
    rows: Vec<RowMutations>,
    /// The place among the rows of each key: the service may apply entries for one row in any order, so that a request has one
    /// at most, which holds the events of the row in their order.
    places: Places,
    /// The position of each event, and its row's place.
    events: Vec<(usize, usize)>,
    bytes: usize,
    mutations: usize,
}

impl Batch {
    fn has_room_for(&self, row: &RowMutations) -> bool {
        self.rows.is_empty()
            || (self.bytes + size(row) <= BYTES_PER_REQUEST
                && self.mutations + row.mutations.len() <= MUTATIONS_PER_REQUEST
                && (self.rows.len() < ENTRIES_PER_REQUEST || self.places.get(&row.key).is_some()))
    }

    fn add(&mut self, schema: &ModelSchema, index: usize, mut row: RowMutations) {
        let place = self.places.get(&row.key);
        if let Some(before) = place.and_then(|place| self.rows.get_mut(place)) {
            row.mutations.retain(|one| !schema.is_written_once(one));
            self.bytes += size(&row);
            self.mutations += row.mutations.len();
            before.mutations.append(&mut row.mutations);
        } else {
            self.bytes += size(&row);
            self.mutations += row.mutations.len();
            self.places.push(row.key.clone());
            self.rows.push(row);
        }
        let place = place.unwrap_or(self.rows.len() - 1);
        self.events.push((index, place));
    }
}

fn size(row: &RowMutations) -> usize {
    let mutations = row.mutations.iter().map(|mutation| match mutation {
        Mutation::SetCell {
            qualifier, value, ..
        } => qualifier.len() + value.len() + 32,
        _ => 64,
    });
    row.key.len() + mutations.sum::<usize>()
}

async fn insert_many<'a, B: Backend + ?Sized, M: Model>(
    backend: &B,
    events: impl IntoIterator<Item = &'a M, IntoIter: Send> + Send,
) -> InsertOutcome {
    let now = Timestamp::now();
    let mut outcome = InsertOutcome::default();
    let mut batch = Batch::default();
    let mut writer = InsertWriter::default();
    for (index, event) in events.into_iter().enumerate() {
        match writer.insert(event, now) {
            Ok(row) => {
                if !batch.has_room_for(&row) {
                    flush(backend, M::SCHEMA, std::mem::take(&mut batch), &mut outcome).await;
                }
                batch.add(M::SCHEMA, index, row);
            }
            Err(error) => outcome.failed.push(FailedInsert { index, error }),
        }
    }
    flush(backend, M::SCHEMA, batch, &mut outcome).await;
    outcome.failed.sort_by_key(|failed| failed.index);
    outcome
}

async fn flush<B: Backend + ?Sized>(
    backend: &B,
    schema: &'static ModelSchema,
    batch: Batch,
    outcome: &mut InsertOutcome,
) {
    if batch.rows.is_empty() {
        return;
    }
    let keys = batch.places.into_keys();
    let sent = backend.mutate_rows(&schema.table, batch.rows).await;
    let entries: Vec<EntryOutcome> = match sent {
        Ok(entries) => entries,
        Err(status) => vec![Err(status); keys.len()],
    };
    let unanswered = || Err(Status::new(Code::Internal, "the entry was not answered"));
    for (index, place) in batch.events {
        match entries.get(place).cloned().unwrap_or_else(unanswered) {
            Ok(()) => outcome.written += 1,
            Err(source) => {
                let key = keys.get(place).map(Bytes::as_ref).unwrap_or_default();
                let error = at_row(schema, "MutateRows", key, source);
                outcome.failed.push(FailedInsert { index, error });
            }
        }
    }
}
