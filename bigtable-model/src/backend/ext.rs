//! The typed operations on a backend.

use std::collections::HashMap;

use bytes::Bytes;

use super::{Backend, Code, EntryOutcome, Status};
use crate::data::{
    Cell, FamilyChange, FamilySchema, Mutation, ReadRows, Row, RowMutations, TableSchema,
};
use crate::model::{
    Column, EventReader, MapField, Model, ModelSchema, RowEvents, Update, delete_cell_mutations,
    delete_mutations, event_request, insert_mutations,
};
use crate::query::EventTimes;
use crate::{Error, Timestamp, mirror};

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

    /// [`ensure_table`](BackendExt::ensure_table) for a model and for all of its [mirrors](crate::mirror).
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses.
    fn ensure_tables<M: Model>(&self) -> impl Future<Output = Result<(), Error>> + Send {
        async move {
            for schema in mirror::schemas::<M>() {
                ensure_schema(self, schema).await?;
            }
            Ok(())
        }
    }

    /// Writes an event; one with the same row key is replaced, columns that the event lacks are deleted. Of a model with
    /// [mirrors](crate::mirror) its copies are written behind it.
    ///
    /// # Errors
    /// [`Error::Key`] or [`Error::Value`] when the event, or a copy of it, can't be stored as it is, and then nothing is sent;
    /// [`Error::Backend`] when the backend refuses; [`Error::NotMirrored`] when the event was written and a copy was not: the same
    /// call again is safe.
    fn insert<M: Model>(&self, event: &M) -> impl Future<Output = Result<(), Error>> + Send {
        let now = Timestamp::now();
        let rows = match M::MIRRORS {
            [] => insert_mutations(event, now).map(Ok),
            _ => Ok(Err(mirror::EventRows::new(event, now))),
        };
        async move {
            match rows? {
                Ok(row) => send_row(self, M::SCHEMA, row).await,
                Err(rows) => mirror::insert::<_, M>(self, rows).await.into_result(),
            }
        }
    }

    /// As [`insert`](BackendExt::insert), with an outcome for each table: the event's own, and those of its copies.
    fn insert_mirrored<M: Model>(
        &self,
        event: &M,
    ) -> impl Future<Output = mirror::MirrorOutcome> + Send {
        let rows = mirror::EventRows::new(event, Timestamp::now());
        mirror::insert::<_, M>(self, rows)
    }

    /// Deletes an event with its copies, which are known from all of its fields: first the copies, then the event, so that a call that
    /// broke off can be made again. Of an event that was stored with other values than these, copies that have other keys stay.
    fn delete_mirrored<M: Model>(
        &self,
        event: &M,
    ) -> impl Future<Output = mirror::MirrorOutcome> + Send {
        let rows = mirror::Deletions::new(event, Timestamp::now());
        mirror::delete_mirrored::<_, M>(self, rows)
    }

    /// Reads the tables of all mirrors as a whole, and deletes the copies whose event is gone. Only copies that tell the event's key can be
    /// judged ([`MirrorOf::source_key`](mirror::MirrorOf::source_key)); the others are counted and stay.
    ///
    /// It can be repeated, and run while events are written: an event is written before its copies are. An event that is deleted and
    /// inserted again while it is looked at may lose its copies; [`repair`](crate::query::Query::repair) brings them back.
    ///
    /// # Errors
    /// [`Error::Backend`] when the copies can't be read.
    fn delete_strays<M: Model>(
        &self,
    ) -> impl Future<Output = Result<Vec<mirror::TableRepair>, Error>> + Send {
        let backend = self.handle();
        async move { mirror::delete_strays::<M>(&*backend).await }
    }

    /// Writes many events, in requests of up to 1,000 rows, one request at a time.
    ///
    /// Events of one row are written in their order, those of one request all or none of them. The outcome tells of each event that
    /// was not written; all others were. Of a model with [mirrors](crate::mirror) an event is written when all of its copies are; one whose
    /// copies can't be made is not sent, and of the others the errors name the table.
    fn insert_many<'a, M: Model>(
        &self,
        events: impl IntoIterator<Item = &'a M, IntoIter: Send> + Send,
    ) -> impl Future<Output = InsertOutcome> + Send {
        async move {
            match M::MIRRORS {
                [] => insert_many(self, events).await,
                _ => mirror::insert_many(self, events).await,
            }
        }
    }

    /// The event with this key. In layout `qualifiers`, which keeps events of one key that differ in value, the first of them by the bytes of
    /// the value; in layout `latest` the newest of its series, if its time is the key's.
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
    /// In layout `qualifiers` the event is read before: one that is written meanwhile may stay. In layout `latest` the event before it
    /// becomes the newest, if its cells are still there.
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
    /// Adds what became of some events.
    pub(crate) fn add(&mut self, written: usize, failed: Vec<FailedInsert>) {
        self.written += u64::try_from(written).unwrap_or(u64::MAX);
        self.failed.extend(failed);
    }

    /// With the failures in the order of the events.
    pub(crate) fn sorted(mut self) -> Self {
        self.failed.sort_by_key(|failed| failed.index);
        self
    }

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

fn at_table(schema: &ModelSchema, method: &'static str, source: Status) -> Error {
    Error::Backend {
        table: schema.table.to_string(),
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
    let cells = match M::SCHEMA.deletes_what_it_reads() {
        true => {
            let (request, _) = event_request::<M>(key)?;
            let row = read_row(backend, M::SCHEMA, request).await?;
            row.map_or_else(Vec::new, |row| row.cells)
        }
        false => Vec::new(),
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
    let families = schema.families().into_iter();
    let wanted = TableSchema {
        table: schema.table.to_string(),
        families: families
            .map(|family| (family.to_owned(), FamilySchema::default()))
            .collect(),
    };
    let created = backend.create_table(wanted.clone(), Vec::new()).await;
    match created {
        Err(status) if status.code == Code::AlreadyExists => {}
        other => return other.map_err(|source| at_table(schema, "CreateTable", source)),
    }
    let existing = backend.get_table(&schema.table).await;
    let existing = existing.map_err(|source| at_table(schema, "GetTable", source))?;
    let missing: Vec<_> = wanted
        .families
        .into_iter()
        .filter(|(family, _)| !existing.families.contains_key(family))
        .map(|(family, schema)| FamilyChange::Create(family, schema))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let modified = backend.modify_families(&schema.table, missing).await;
    modified
        .map(drop)
        .map_err(|source| at_table(schema, "ModifyColumnFamilies", source))
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
            || (self.bytes + row_size(row) <= BYTES_PER_REQUEST
                && self.mutations + row.mutations.len() <= MUTATIONS_PER_REQUEST
                && (self.rows.len() < ENTRIES_PER_REQUEST || self.places.contains_key(&row.key)))
    }

    fn add(&mut self, schema: &ModelSchema, index: usize, mut row: RowMutations) {
        let place = self.places.get(&row.key).copied();
        if let Some(before) = place.and_then(|place| self.rows.get_mut(place)) {
            row.mutations.retain(|one| !schema.is_written_once(one));
            self.bytes += row_size(&row);
            self.mutations += row.mutations.len();
            before.mutations.append(&mut row.mutations);
        } else {
            self.bytes += row_size(&row);
            self.mutations += row.mutations.len();
            self.places.insert(row.key.clone(), self.rows.len());
            self.rows.push(row);
        }
        let place = place.unwrap_or(self.rows.len() - 1);
        self.events.push((index, place));
    }
}

/// About how many bytes a row's mutations take in a request.
pub(crate) fn row_size(row: &RowMutations) -> usize {
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
    outcome.sorted()
}

/// Writes rows in bulk, each with a number that names it; gives those that failed.
pub(crate) async fn write_rows<B: Backend + ?Sized>(
    backend: &B,
    schema: &'static ModelSchema,
    rows: Vec<(usize, RowMutations)>,
) -> Vec<FailedInsert> {
    let mut outcome = InsertOutcome::default();
    let mut batch = Batch::default();
    for (number, row) in rows {
        if !batch.has_room_for(&row) {
            flush(backend, schema, std::mem::take(&mut batch), &mut outcome).await;
        }
        batch.add(schema, number, row);
    }
    flush(backend, schema, batch, &mut outcome).await;
    outcome.failed
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
