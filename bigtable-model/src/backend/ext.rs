//! The typed operations on a backend.

use std::collections::HashMap;

use bytes::Bytes;

use super::{Backend, Code, EntryOutcome, Status};
use crate::data::{
    Cell, FamilyChange, FamilySchema, Mutation, ReadRows, Row, RowMutations, TableSchema,
};
use crate::model::{
    Column, EventReader, Layout, MapField, Model, ModelSchema, RowEvents, Update,
    delete_cell_mutations, delete_mutations, event_request, insert_mutations,
};
use crate::query::EventTimes;
use crate::{Error, Timestamp};

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
    /// Creates the model's table with its families, or adds the families that an existing table lacks.
    ///
    /// Families are created without a garbage-collection rule: they keep every cell.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses.
    fn ensure_table<M: Model>(&self) -> impl Future<Output = Result<(), Error>> + Send {
        ensure_schema(self, M::SCHEMA)
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
        column: Column<M, T>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        delete::<_, M>(self, key, move |cells| {
            delete_cell_mutations::<M>(key, column.index(), cells)
        })
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

fn at_row(schema: &ModelSchema, method: &'static str, key: &[u8], source: Status) -> Error {
    Error::Backend {
        table: schema.table.to_string(),
        method,
        key: Some(schema.key.describe(key).to_string()),
        source,
    }
}

pub(crate) fn at_table(table: &str, method: &'static str, source: Status) -> Error {
    Error::Backend {
        table: table.to_owned(),
        method,
        key: None,
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

pub(crate) async fn ensure_schema<B: Backend + ?Sized>(
    backend: &B,
    schema: &'static ModelSchema,
) -> Result<(), Error> {
    ensure_named(backend, schema, &schema.table).await
}

/// A model's table under another name.
pub(crate) async fn ensure_named<B: Backend + ?Sized>(
    backend: &B,
    schema: &ModelSchema,
    table: &str,
) -> Result<(), Error> {
    let families = schema.families().into_iter();
    let wanted = TableSchema {
        table: table.to_owned(),
        families: families
            .map(|family| (family.to_owned(), FamilySchema::default()))
            .collect(),
    };
    let created = backend.create_table(wanted.clone(), Vec::new()).await;
    match created {
        Err(status) if status.code == Code::AlreadyExists => {}
        other => return other.map_err(|source| at_table(table, "CreateTable", source)),
    }
    let existing = backend.get_table(table).await;
    let existing = existing.map_err(|source| at_table(table, "GetTable", source))?;
    let missing: Vec<_> = wanted
        .families
        .into_iter()
        .filter(|(family, _)| !existing.families.contains_key(family))
        .map(|(family, schema)| FamilyChange::Create(family, schema))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let modified = backend.modify_families(table, missing).await;
    modified
        .map(drop)
        .map_err(|source| at_table(table, "ModifyColumnFamilies", source))
}

/// One bulk-write request in the making.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) rows: Vec<RowMutations>,
    /// The place among the rows of each key: the service may apply entries for one row in any order, so that a request has one
    /// at most, which holds the events of the row in their order.
    places: HashMap<Bytes, usize>,
    /// The position of each event, and its row's place.
    events: Vec<(usize, usize)>,
    bytes: usize,
    mutations: usize,
}

impl Batch {
    pub(crate) fn has_room_for(&self, row: &RowMutations) -> bool {
        self.rows.is_empty()
            || (self.bytes + size(row) <= BYTES_PER_REQUEST
                && self.mutations + row.mutations.len() <= MUTATIONS_PER_REQUEST
                && (self.rows.len() < ENTRIES_PER_REQUEST || self.places.contains_key(&row.key)))
    }

    pub(crate) fn add(&mut self, schema: &ModelSchema, index: usize, mut row: RowMutations) {
        let place = self.places.get(&row.key).copied();
        if let Some(before) = place.and_then(|place| self.rows.get_mut(place)) {
            row.mutations.retain(|one| !schema.is_written_once(one));
            self.bytes += size(&row);
            self.mutations += row.mutations.len();
            before.mutations.append(&mut row.mutations);
        } else {
            self.bytes += size(&row);
            self.mutations += row.mutations.len();
            self.places.insert(row.key.clone(), self.rows.len());
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
    for (index, event) in events.into_iter().enumerate() {
        match insert_mutations(event, now) {
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
    let keys: Vec<_> = batch.rows.iter().map(|row| row.key.clone()).collect();
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
