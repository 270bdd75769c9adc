//! The typed operations on a backend.

use std::collections::HashMap;
use std::ops::Range;

use bytes::Bytes;

use super::by_table::ByTable;
use super::tables::{self, lacks_table};
use super::{Backend, Code, EntryOutcome, Status};
use crate::data::{
    Cell, FamilyChange, FamilySchema, Mutation, ReadRows, Row, RowMutations, TableSchema,
};
use crate::model::{
    Column, EventReader, Layout, MapField, Model, ModelKey as _, ModelSchema, RowEvents,
    TablesByPeriod, Update, delete_cell_mutations, delete_mutations, event_request,
    insert_mutations,
};
use crate::query::EventTimes;
use crate::{Error, Timestamp};

/// The most entries that one bulk-write request carries.
const ENTRIES_PER_REQUEST: usize = 1_000;

/// The most mutations that one bulk-write request carries (Bigtable's limit).
const MUTATIONS_PER_REQUEST: usize = 100_000;

/// The most bytes of keys and values that one bulk-write request carries.
const BYTES_PER_REQUEST: usize = 8 << 20;

/// The most tables by period for which requests are in the making at once.
const TABLES_AT_ONCE: usize = 16;

/// The typed operations, for every [`Backend`].
///
/// Their futures must be awaited to do anything. Every error names the table, and the key in decoded form
/// where it concerns one row.
pub trait BackendExt: Backend {
    /// Creates the model's table with its families, or adds the families that an existing table lacks.
    ///
    /// Families are created without a garbage-collection rule: they keep every cell.
    ///
    /// Of a model whose tables are by period it is the table of now; [`ensure_tables`](BackendExt::ensure_tables) creates those of times to
    /// come.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses.
    fn ensure_table<M: Model>(&self) -> impl Future<Output = Result<(), Error>> + Send {
        async move {
            let table = M::SCHEMA.table_of(Some(Timestamp::now()))?;
            ensure_schema(self, M::SCHEMA, &table).await
        }
    }

    /// Writes an event; one with the same row key is replaced, columns that the event lacks are deleted.
    ///
    /// # Errors
    /// [`Error::Key`] or [`Error::Value`] when the event can't be stored as it is, and then nothing is sent;
    /// [`Error::MissingTable`] when the table of the event's period is not there; [`Error::Backend`] when the backend refuses.
    fn insert<M: Model>(&self, event: &M) -> impl Future<Output = Result<(), Error>> + Send {
        let row = insert_mutations(event, Timestamp::now());
        let time = event.time();
        async move {
            let (row, table) = (row?, M::SCHEMA.table_of(time)?);
            send_row(self, M::SCHEMA, &table, row).await
        }
    }

    /// Writes many events, in requests of up to 1,000 rows of a table, one request at a time.
    ///
    /// Events of one row are written in their order, those of one request all or none of them. The outcome tells of each event that
    /// was not written; all others were.
    fn insert_many<'a, M: Model>(
        &self,
        events: impl IntoIterator<Item = &'a M, IntoIter: Send> + Send,
    ) -> impl Future<Output = InsertOutcome> + Send {
        insert_many(self, events)
    }

    /// The event with this key; none where the table of its period is not there. In layout `qualifiers`, which keeps events of one key that differ in value, the first of them by the bytes of
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
    /// that belong to such a row stay. Where the table of its period is not there, there is nothing to delete.
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
        let write = update.into_write(Timestamp::now());
        async move {
            let (table, row) = write?;
            send_row(self, M::SCHEMA, &table, row).await
        }
    }

    /// Creates the tables of the periods that hold these times, or adds the families that existing ones lack, as
    /// [`ensure_table`](BackendExt::ensure_table). It gives the tables' IDs, oldest first.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// use std::time::{Duration, SystemTime};
    ///
    /// use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
    ///
    /// #[derive(Model)]
    /// #[bigtable(table = "SENSOR_{at:%Y%m%d}", family = "METER")]
    /// struct Reading {
    ///     #[bigtable(key, width = 10)]
    ///     meter: u64,
    ///     #[bigtable(time, unit = "s")]
    ///     at: Timestamp,
    ///     value: f64,
    /// }
    ///
    /// const DAY: Duration = Duration::from_secs(86_400);
    /// let db = MemoryBackend::new();
    /// let now = SystemTime::now();
    /// let created = db.ensure_tables::<Reading>(now..now + 7 * DAY).await?; // today and the days of a week to come
    /// assert_eq!(created.len(), 8);
    /// let old = db.tables_before::<Reading>(now - 30 * DAY).await?; // what the next line would delete
    /// assert!(old.is_empty());
    /// db.drop_tables_before::<Reading>(now - 30 * DAY).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::TooManyTables`] for more than 1,000 periods, and then nothing is created; [`Error::Backend`] when the backend refuses.
    fn ensure_tables<M: TablesByPeriod>(
        &self,
        times: Range<impl Into<Timestamp>>,
    ) -> impl Future<Output = Result<Vec<String>, Error>> + Send {
        let times = times.start.into()..times.end.into();
        tables::ensure(self, M::SCHEMA, times)
    }

    /// The model's tables whose whole period lies before a time, oldest first. A table is the model's when its ID is that of a
    /// period, character by character.
    ///
    /// # Errors
    /// [`Error::Backend`] when the tables can't be listed.
    fn tables_before<M: TablesByPeriod>(
        &self,
        time: impl Into<Timestamp>,
    ) -> impl Future<Output = Result<Vec<String>, Error>> + Send {
        tables::before(self, M::SCHEMA, time.into())
    }

    /// Deletes the tables that [`tables_before`](BackendExt::tables_before) gives, with all that is in them, and gives their IDs.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses; it names the table, and older ones are deleted.
    fn drop_tables_before<M: TablesByPeriod>(
        &self,
        time: impl Into<Timestamp>,
    ) -> impl Future<Output = Result<Vec<String>, Error>> + Send {
        tables::drop_before(self, M::SCHEMA, time.into())
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
    table: &str,
    row: RowMutations,
) -> Result<(), Error> {
    let key = row.key.clone();
    let sent = backend.mutate_row(table, row).await;
    sent.map_err(|source| at_row(schema, table, "MutateRow", &key, source))
}

/// The error of a call that concerns one row.
fn at_row(
    schema: &ModelSchema,
    table: &str,
    method: &'static str,
    key: &[u8],
    source: Status,
) -> Error {
    let (table, key) = (table.to_owned(), schema.key.describe(key).to_string());
    if schema.table.by_period().is_some() && lacks_table(&source) {
        return Error::MissingTable { table, key, source };
    }
    Error::Backend {
        table,
        method,
        key: Some(key),
        source,
    }
}

pub(super) fn at_table(table: &str, method: &'static str, source: Status) -> Error {
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
    let table = request.table.clone();
    let row = backend.read_rows(request).next().await.transpose();
    match row.map_err(|source| at_row(schema, &table, "ReadRows", &key, source)) {
        // No event is in a table that is not there.
        Err(Error::MissingTable { .. }) => Ok(None),
        row => row,
    }
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
    let Some(row) = mutations(&cells)? else {
        return Ok(());
    };
    let table = M::SCHEMA.table_of(key.time())?;
    match send_row(backend, M::SCHEMA, &table, row).await {
        // No event is in a table that is not there.
        Err(Error::MissingTable { .. }) => Ok(()),
        sent => sent,
    }
}

/// Creates a table of the model, or adds the families that it lacks.
pub(crate) async fn ensure_schema<B: Backend + ?Sized>(
    backend: &B,
    schema: &'static ModelSchema,
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
#[derive(Default)]
struct Batch {
    rows: Vec<RowMutations>,
    /// The place among the rows of each key: the service may apply entries for one row in any order, so that a request has one
    /// at most, which holds the events of the row in their order.
    places: HashMap<Bytes, usize>,
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
                && (self.rows.len() < ENTRIES_PER_REQUEST || self.places.contains_key(&row.key)))
    }

    fn add(&mut self, schema: &ModelSchema, index: usize, mut row: RowMutations) {
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
    let mut batches = ByTable::<Batch>::default();
    for (index, event) in events.into_iter().enumerate() {
        let row = insert_mutations(event, now);
        match row.and_then(|row| Ok((row, batches.at(M::SCHEMA, event.time())?))) {
            Ok((row, (table, batch))) => {
                if !batch.has_room_for(&row) {
                    let full = std::mem::take(batch);
                    flush(backend, M::SCHEMA, table, full, &mut outcome).await;
                }
                batch.add(M::SCHEMA, index, row);
            }
            Err(error) => outcome.failed.push(FailedInsert { index, error }),
        }
        if batches.len() > TABLES_AT_ONCE
            && let Some((table, batch)) = batches.take_largest(|batch| batch.rows.len())
        {
            flush(backend, M::SCHEMA, &table, batch, &mut outcome).await;
        }
    }
    for (table, batch) in batches.into_tables(M::SCHEMA) {
        flush(backend, M::SCHEMA, &table, batch, &mut outcome).await;
    }
    outcome.failed.sort_by_key(|failed| failed.index);
    outcome
}

async fn flush<B: Backend + ?Sized>(
    backend: &B,
    schema: &'static ModelSchema,
    table: &str,
    batch: Batch,
    outcome: &mut InsertOutcome,
) {
    if batch.rows.is_empty() {
        return;
    }
    let keys: Vec<_> = batch.rows.iter().map(|row| row.key.clone()).collect();
    let sent = backend.mutate_rows(table, batch.rows).await;
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
                let error = at_row(schema, table, "MutateRows", key, source);
                outcome.failed.push(FailedInsert { index, error });
            }
        }
    }
}
