//! The typed operations on a backend.

use super::deletes::delete_many;
use super::row::{delete, get, send_row};
use super::{Backend, Code, DeleteOutcome, History, InsertOutcome, Inserts, Status};
use crate::data::{FamilyChange, FamilySchema, TableSchema};
use crate::model::{
    Column, MapField, Model, ModelSchema, SerializedModel, Update, VersionedField, WholeEvent,
    delete_cell_mutations, delete_mutations, event_request, insert_mutations,
};
use crate::{Error, Timestamp};

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

    /// Writes many events, in requests of up to 1,000 rows, of which 4 are under way at once.
    ///
    /// Events of one row are written in their order, those of one request all or none of them. The outcome tells of each event that
    /// was not written; all others were. Streams, owned events, progress and the number of requests: [`inserts`](BackendExt::inserts).
    fn insert_many<'a, M: Model>(
        &self,
        events: impl IntoIterator<Item = &'a M, IntoIter: Send> + Send,
    ) -> impl Future<Output = InsertOutcome> + Send {
        self.inserts::<M>().run(events)
    }

    /// A write of many events from an iterator or a stream, with its options.
    ///
    /// Rows go out in requests of up to 1,000 rows, 100,000 changes or 8 MiB; several requests are under way at once. Changes of one row
    /// go out in their order: together, or in requests that follow one another. No more is taken from the source than there is room
    /// for.
    ///
    /// ```
    /// use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
    /// use futures::stream;
    ///
    /// #[derive(Model)]
    /// #[bigtable(table = "QUOTE", family = "MD")]
    /// struct Quote {
    ///     #[bigtable(key)]
    ///     symbol: String,
    ///     #[bigtable(time, unit = "s")]
    ///     at: Timestamp,
    ///     bid: f64,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// let db = MemoryBackend::new();
    /// db.ensure_table::<Quote>().await?;
    /// let quotes = (0..10_000).map(|second| Quote {
    ///     symbol: "ZXZZT".into(),
    ///     at: Timestamp::from_seconds(second),
    ///     bid: 600.55,
    /// });
    /// let mut shown = 0;
    /// let outcome = db
    ///     .inserts::<Quote>()
    ///     .on_progress(|progress| shown = progress.written)
    ///     .run_stream(stream::iter(quotes))
    ///     .await;
    /// assert_eq!(outcome.into_result()?, 10_000);
    /// assert_eq!(shown, 10_000);
    /// # Ok(())
    /// # }
    /// ```
    fn inserts<M: Model>(&self) -> Inserts<'_, Self, M> {
        Inserts::new(self)
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
    /// that belong to such a row stay, also behind its last event: a row of these alone is no event.
    ///
    /// In layout `qualifiers` the event is read before: one that is written meanwhile may stay.
    ///
    /// The events of a query, and so of a range of time, are deleted by [`Query::delete`](crate::query::Query::delete).
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses.
    fn delete<M: Model>(&self, key: &M::Key) -> impl Future<Output = Result<(), Error>> + Send {
        delete::<_, M>(self, key, |cells| delete_mutations::<M>(key, cells))
    }

    /// Deletes the events with these keys as [`delete`](BackendExt::delete) does, in requests as [`inserts`](BackendExt::inserts) has them.
    ///
    /// The outcome tells of each key whose event was not deleted; that there is one is not looked at.
    ///
    /// ```
    /// # use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
    /// # #[derive(Model)]
    /// # #[bigtable(table = "QUOTE", family = "MD")]
    /// # struct Quote { #[bigtable(key)] symbol: String, #[bigtable(time, unit = "s")] at: Timestamp, bid: f64 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// # let db = MemoryBackend::new();
    /// # db.ensure_table::<Quote>().await?;
    /// let keys = [7, 8].map(|second| QuoteKey {
    ///     symbol: "ZXZZT".into(),
    ///     at: Timestamp::from_seconds(second),
    /// });
    /// db.delete_many::<Quote>(&keys).await.into_result()?;
    /// # Ok(())
    /// # }
    /// ```
    fn delete_many<'a, M: Model<Key: 'a>>(
        &self,
        keys: impl IntoIterator<Item = &'a M::Key, IntoIter: Send> + Send,
    ) -> impl Future<Output = DeleteOutcome> + Send {
        delete_many::<_, M, _>(self, keys)
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

    /// The versions of one column of an event, newest first, with the times of their cells; of a field of a serialised event, its values
    /// in the versions of the event. Whether an event is there is not looked at.
    ///
    /// With `cell_time = "write"` a value that is written again leaves the old one readable, until garbage collection: a correction
    /// can be told from what it corrects. With the event's time as the cells' there is one version, the last one written.
    ///
    /// ```
    /// use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
    ///
    /// #[derive(Model)]
    /// #[bigtable(table = "CLOSE", family = "STOCK", cell_time = "write")]
    /// struct Close {
    ///     #[bigtable(key)]
    ///     symbol: String,
    ///     #[bigtable(time, format = "%Y%m%d")]
    ///     day: Timestamp,
    ///     price: f64,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let db = MemoryBackend::new();
    /// db.ensure_table::<Close>().await?;
    /// let day = "2015-03-01T00:00:00Z".parse()?;
    /// let entered = Close { symbol: "ZXZZT".into(), day, price: 559.40 };
    /// db.insert(&entered).await?;
    /// # tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    /// db.insert(&Close { price: 558.40, ..entered }).await?;
    ///
    /// let key = CloseKey { symbol: "ZXZZT".into(), day };
    /// let prices = db.history(&key, Close::FIELDS.price).await?;
    /// assert_eq!(prices.iter().map(|one| one.value).collect::<Vec<_>>(), [558.40, 559.40]);
    /// assert!(prices[0].time > prices[1].time);
    /// let newest = db.history(&key, Close::FIELDS.price).newest(1).await?;
    /// assert_eq!(newest[0].value, 558.40);
    /// # Ok(())
    /// # }
    /// ```
    fn history<F: VersionedField>(
        &self,
        key: &<F::Model as Model>::Key,
        field: F,
    ) -> History<'_, Self, F> {
        History::new(self, key, field)
    }

    /// The versions of a serialised event as a whole, newest first; see [`history`](BackendExt::history).
    fn event_history<M: SerializedModel>(&self, key: &M::Key) -> History<'_, Self, WholeEvent<M>> {
        History::new(self, key, WholeEvent::new())
    }
}

impl<B: Backend + ?Sized> BackendExt for B {}

fn at_table(schema: &ModelSchema, method: &'static str, source: Status) -> Error {
    Error::Backend {
        table: schema.table.to_string(),
        method,
        key: None,
        source,
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
