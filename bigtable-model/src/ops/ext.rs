//! The typed operations on a backend.

use std::ops::Range;
use std::time::Duration;

use futures::future::BoxFuture;

use super::args::{Either, EventArg};
use super::audit::{self, Audit};
use super::{EventBatcher, History, Inserts};
use super::{tables, versioned};
use crate::backend::batcher::BatcherSettings;
use crate::backend::expiry::LateExpiry;
use crate::backend::table_names::{NamedTables, TableNames};
use crate::backend::{Backend, InvalidSetting};
use crate::condition::{Condition, VersionedModel, checked_delete};
use crate::model::{
    Adds, Appends, Batched, Column, Editable, HandleKind, Increments, MapField, Model, Modify,
    SerializedModel, TablesByPeriod, Update, VersionedField, WholeEvent, delete_cell_mutations,
    delete_mutations, event_request, insert_row,
};
use crate::schema::{ApplyOptions, TableDiff, WantedTable};
use crate::send::{
    DeleteOutcome, InsertOutcome, delete, delete_checked, delete_many, get, get_many, modified,
    send_row, send_update, settle_key,
};
use crate::{Error, Timestamp, mirror, rollup};

/// The typed operations, for every [`Backend`].
///
/// Their futures do nothing until they are awaited. Every error names the table, and an error of
/// one row also its key in decoded form.
pub trait BackendExt: Backend {
    #[doc = include_str!("ext/with_tables.md")]
    fn with_tables(&self, names: impl TableNames) -> NamedTables {
        NamedTables::new(self.handle(), names)
    }

    #[doc = include_str!("ext/with_expiry_margin.md")]
    fn with_expiry_margin(&self, margin: Duration) -> LateExpiry {
        LateExpiry::new(self.handle(), margin)
    }

    /// Creates the model's table with its families and their garbage-collection rules, split for
    /// the shards of a salt at the start of the key, or adds the families that an existing table
    /// lacks.
    ///
    /// A family without a rule keeps every cell, except that families of counters and of texts that
    /// grow keep only the newest ([`family_schema`](crate::model::ModelSchema::family_schema)).
    /// Families of aggregates are aggregate families. Other differences of an existing table are
    /// not changed: see [`table_diff`](Self::table_diff).
    ///
    /// With tables by period it is the current table;
    /// [`ensure_periods`](BackendExt::ensure_periods) creates those of later times.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses.
    fn ensure_table<M: Model>(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move { WantedTable::of_now(M::SCHEMA)?.ensure(self).await })
    }

    /// How the model's table differs from what the model wants; with tables by period, the current
    /// table.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses. A missing table is a difference, not an error.
    fn table_diff<M: Model>(&self) -> BoxFuture<'_, Result<TableDiff, Error>> {
        Box::pin(async move { WantedTable::of_now(M::SCHEMA)?.diff_on(self).await })
    }

    #[doc = include_str!("ext/audit.md")]
    fn audit<M: Model>(&self) -> impl Future<Output = Result<Audit, Error>> + Send {
        audit::audit(self, M::SCHEMA)
    }

    /// Makes the changes that remove differences: those that keep every cell that is kept today,
    /// others only if `options` allow them.
    ///
    /// The table is compared again, and all changes are checked before they are sent, in one call.
    /// A row key schema is added or removed only if it is
    /// [named](ApplyOptions::add_row_key_schema), in a second call after that.
    ///
    /// # Errors
    /// [`Error::Schema`] if a change is not allowed or not possible, or if the table has changed
    /// since it was compared, and then nothing is changed; [`Error::Backend`] when the backend
    /// refuses.
    fn apply(
        &self,
        diff: &TableDiff,
        options: &ApplyOptions,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        diff.apply_on(self, options)
    }

    /// [`ensure_table`](BackendExt::ensure_table) for a model, for all of its
    /// [mirrors](crate::mirror) and for the tables of their [roll-ups](crate::rollup).
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses.
    fn ensure_tables<M: Model>(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            for schema in mirror::schemas::<M>() {
                WantedTable::of_now(schema)?.ensure(self).await?;
                for rolled in &*schema.rollups {
                    for table in rollup::tables(rolled) {
                        table.ensure(self).await?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Writes an event and replaces one with the same row key: columns that the event lacks are
    /// deleted. If the model has [mirrors](crate::mirror), the event's copies are written after it,
    /// and then the event is added to the [roll-ups](crate::guide#what-the-server-adds) that the
    /// server adds.
    ///
    /// # Errors
    /// [`Error::Key`] or [`Error::Value`] if the event, or a copy of it, cannot be stored
    /// unchanged, and then nothing is sent; [`Error::Backend`] when the backend refuses;
    /// [`Error::NotMirrored`] if the event was written and a copy was not: repeating the call is
    /// safe; [`Error::NotAdded`] if it was written and a roll-up may lack it;
    /// [`Error::MissingTable`] if the table of the event's period does not exist.
    fn insert<M: Model>(&self, event: &M) -> BoxFuture<'_, Result<(), Error>> {
        let now = Timestamp::now();
        let rows = match M::MIRRORS {
            [] => insert_row(event, now).map(Ok),
            _ => Ok(Err(mirror::EventRows::new(event, now))),
        };
        Box::pin(async move {
            match rows? {
                Ok(row) => send_row(self, M::SCHEMA, row).await,
                Err(rows) => mirror::insert::<_, M>(self, rows).await.into_result(),
            }
        })
    }

    #[doc = include_str!("ext/insert_if_absent.md")]
    fn insert_if_absent<M: Editable>(&self, event: &M) -> BoxFuture<'_, Result<bool, Error>> {
        self.insert_if(event, Condition::any_column().negate())
    }

    #[doc = include_str!("ext/insert_if.md")]
    fn insert_if<M: Editable>(
        &self,
        event: &M,
        condition: Condition<M>,
    ) -> BoxFuture<'_, Result<bool, Error>> {
        let ready = mirror::checked(event, Timestamp::now(), condition.test());
        Box::pin(async move { mirror::insert_if::<_, M>(self, ready?).await })
    }

    #[doc = include_str!("ext/insert_if_unchanged.md")]
    fn insert_if_unchanged<'a, M: VersionedModel>(
        &'a self,
        event: &'a mut M,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(versioned::insert_if_unchanged(self, event))
    }

    #[doc = include_str!("ext/delete_if.md")]
    fn delete_if<M: Editable>(
        &self,
        key: &M::Key,
        condition: Condition<M>,
    ) -> BoxFuture<'_, Result<bool, Error>> {
        let write = checked_delete::<M>(key, condition.test());
        Box::pin(async move { delete_checked(self, M::SCHEMA, write?).await })
    }

    /// Like [`insert`](BackendExt::insert), with an outcome for each table: the event's own, and
    /// those of its copies.
    fn insert_mirrored<M: Model>(&self, event: &M) -> BoxFuture<'_, mirror::MirrorOutcome> {
        let rows = mirror::EventRows::new(event, Timestamp::now());
        Box::pin(mirror::insert::<_, M>(self, rows))
    }

    /// Deletes an event with its copies, which are found from all of its fields: first the copies,
    /// then the event, so a failed call can be repeated. If the event was stored with other values
    /// than these, copies with other keys stay.
    fn delete_mirrored<M: Editable>(&self, event: &M) -> BoxFuture<'_, mirror::MirrorOutcome> {
        let rows = mirror::Deletions::new(event, Timestamp::now());
        Box::pin(mirror::delete_mirrored::<_, M>(self, rows))
    }

    /// Reads the whole tables of all mirrors, and deletes the copies whose event no longer exists
    /// or has expired. Only copies that know the event's key can be checked
    /// ([`MirrorOf::source_key`](mirror::MirrorOf::source_key)); the others are counted and stay.
    ///
    /// It can be repeated, and run while events are written, since an event is written before its
    /// copies. An event that is deleted and inserted again meanwhile may lose its copies;
    /// [`repair`](crate::query::Query::repair) restores them.
    ///
    /// # Errors
    /// [`Error::Backend`] if the copies cannot be read.
    fn delete_strays<M: Model>(&self) -> BoxFuture<'_, Result<Vec<mirror::TableRepair>, Error>> {
        let backend = self.handle();
        Box::pin(async move { mirror::delete_strays::<M>(&*backend).await })
    }

    /// Writes many events, owned or borrowed, in requests of up to 1,000 rows, 4 at once.
    ///
    /// Events of one row are written in their order; those in the same request all or none. The
    /// outcome lists each event that was not written; all others were. An event that every table
    /// would refuse is not sent, and does not fail others. For streams, owned events, progress and
    /// the number of requests see [`inserts`](BackendExt::inserts).
    ///
    /// If the model has [mirrors](crate::mirror), an event counts as written if all of its copies
    /// are. An event whose copies cannot be made is not sent; other errors name the table.
    /// An event that failed with [`Error::NotAdded`] was written, but a roll-up may lack it.
    fn insert_many<'a, M: Model, Kind: 'a>(
        &'a self,
        events: impl IntoIterator<Item: EventArg<M, Kind> + Send + 'a, IntoIter: Send + 'a>,
    ) -> BoxFuture<'a, InsertOutcome> {
        let events = events.into_iter().map(Either::<_, M, Kind>::new);
        Box::pin(self.inserts::<M>().run(events))
    }

    #[doc = include_str!("ext/batcher.md")]
    fn batcher<M: Batched>(
        &self,
        settings: BatcherSettings,
    ) -> Result<EventBatcher<M>, InvalidSetting> {
        EventBatcher::new(self.handle(), settings)
    }

    #[doc = include_str!("ext/inserts.md")]
    fn inserts<M: Model>(&self) -> Inserts<'_, Self, M> {
        Inserts::new(self)
    }

    /// The event with this key; `None` also if the table of its period does not exist. Layout
    /// `qualifiers` keeps events with the same key that differ in value: the first of them by the
    /// bytes of the value. In layout `latest` the newest event of the series, if its time is the
    /// key's.
    ///
    /// # Errors
    /// [`Error::Key`] if the key cannot be encoded, [`Error::Backend`] if the read fails, and the
    /// errors of [`RowEvents::read`](crate::model::RowEvents::read).
    fn get<M: Model>(&self, key: &M::Key) -> BoxFuture<'_, Result<Option<M>, Error>> {
        let request = event_request::<M>(key);
        Box::pin(async move { get(self, request?).await })
    }

    #[doc = include_str!("ext/get_many.md")]
    fn get_many<'a, M: Model<Key: 'a>>(
        &self,
        keys: impl IntoIterator<Item = &'a M::Key>,
    ) -> impl Future<Output = Result<Vec<Option<M>>, Error>> + Send {
        let requests: Result<Vec<_>, _> = keys.into_iter().map(event_request::<M>).collect();
        let backend = self.handle();
        async move { get_many(&*backend, requests?).await }
    }

    /// Deletes the event with this key: the row with all its columns, or in a row of many events
    /// only the event's cells. The columns that belong to such a row stay, even after its last
    /// event: a row with only these has no events. If the table of its period does not exist, there
    /// is nothing to delete.
    ///
    /// In layout `qualifiers` the event is read first: one that is written meanwhile may stay. In
    /// layout `latest` the event before it becomes the newest, if its cells are still stored.
    ///
    /// [`Query::delete`](crate::query::Query::delete) deletes the events of a query, for instance
    /// those of a range of time.
    ///
    /// # Errors
    /// [`Error::Key`] if the key cannot be encoded, [`Error::Backend`] when the backend refuses.
    fn delete<'a, M: Editable>(&'a self, key: &'a M::Key) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(delete::<_, M>(self, key, |cells| {
            delete_mutations::<M>(key, cells)
        }))
    }

    /// Deletes the events with these keys, like [`delete`](BackendExt::delete), in requests like
    /// those of [`inserts`](BackendExt::inserts).
    ///
    /// The outcome lists each key whose event was not deleted. It does not check that the events
    /// exist.
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
    fn delete_many<'a, M: Editable<Key: 'a>>(
        &self,
        keys: impl IntoIterator<Item = &'a M::Key, IntoIter: Send> + Send,
    ) -> impl Future<Output = DeleteOutcome> + Send {
        delete_many::<_, M, _>(self, keys)
    }

    /// Deletes one column of an event, with all its versions: `delete_cell(&key,
    /// Quote::FIELDS.bid_size)`.
    ///
    /// An event whose presence column is deleted no longer exists; its remaining columns still stop
    /// [`insert_if_absent`](BackendExt::insert_if_absent).
    ///
    /// # Errors
    /// [`Error::Key`] if the key cannot be encoded, [`Error::Backend`] when the backend refuses.
    fn delete_cell<M: Editable, T>(
        &self,
        key: &M::Key,
        column: Column<M, T, impl HandleKind>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let column = column.index();
        async move {
            settle_key::<_, M>(self, key).await?;
            let mutations = |cells: &[_]| delete_cell_mutations::<M>(key, column, cells);
            delete::<_, M>(self, key, mutations).await
        }
    }

    /// Adds to a counter of an event and returns its new value:
    /// `increment(&key, Page::FIELDS.views, 1)`. A [`Modify`] changes several columns at once.
    ///
    /// An absent counter counts from 0. The call is sent once, unless HTTP/2 proves that it was not
    /// processed. After an error that leaves open whether it arrived, only a read can tell.
    ///
    /// # Errors
    /// [`Error::Key`] if the key cannot be encoded, [`Error::Backend`] when the backend refuses,
    /// for instance if the cell does not hold 8 bytes.
    fn increment<M: Editable, T>(
        &self,
        key: &M::Key,
        column: Column<M, T, impl Increments>,
        by: i64,
    ) -> impl Future<Output = Result<i64, Error>> + Send {
        let index = column.index();
        let ready = Modify::<M>::new(key).increment(column, by).prepare();
        async move { modified::<_, M, _>(self, ready?, index).await }
    }

    /// Appends text or bytes to a column of an event, and returns its new value:
    /// `append(&key, Page::FIELDS.visitors, "ann ")`. A [`Modify`] changes several columns at once.
    ///
    /// An absent column is empty. The call is sent once, like [`increment`](BackendExt::increment).
    ///
    /// # Errors
    /// [`Error::Key`] if the key cannot be encoded, [`Error::Backend`] when the backend refuses,
    /// [`Error::Value`] if the cell's new value is not one of the column's type.
    fn append<M: Editable, T, K: Appends<T>>(
        &self,
        key: &M::Key,
        column: Column<M, T, K>,
        suffix: &K::Suffix,
    ) -> impl Future<Output = Result<K::Value, Error>> + Send {
        let index = column.index();
        let ready = Modify::<M>::new(key).append(column, suffix).prepare();
        async move { modified::<_, M, _>(self, ready?, index).await }
    }

    /// Adds to an aggregate of an event, a sum, a minimum or a maximum: `add(&key,
    /// Minute::FIELDS.requests, 1)`. An update adds to several at once, by its setters
    /// `add_requests` and the like.
    ///
    /// It does not return the new value, and does not read the cell first: many writers may add at
    /// once. To avoid adding twice, the call is sent once, like
    /// [`increment`](BackendExt::increment); a gRPC client with `GrpcSettings::repeat_adds`, for
    /// servers that keep tokens, repeats it until it is answered.
    ///
    /// # Errors
    /// [`Error::Key`] if the key cannot be encoded, [`Error::Backend`] when the backend refuses.
    fn add<M: Editable, T>(
        &self,
        key: &M::Key,
        column: Column<M, T, impl Adds>,
        input: i64,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let update = Update::<M>::new(key).add(column.index(), input);
        let write = update.write(Timestamp::now());
        async move { send_update(self, M::SCHEMA, write?).await }
    }

    /// Deletes one run-time column of a row, with all its versions: `delete_entry(&key,
    /// Metric::FIELDS.rest, "IO/READ")`.
    ///
    /// # Errors
    /// [`Error::Key`] if the key cannot be encoded, [`Error::Backend`] when the backend refuses.
    fn delete_entry<M: Editable, T>(
        &self,
        key: &M::Key,
        _map: MapField<M, T>,
        qualifier: impl AsRef<[u8]>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let update = Update::<M>::new(key).change(|event| {
            event.absent_entry(qualifier.as_ref());
            Ok(())
        });
        let write = update.write(Timestamp::now());
        async move { send_update(self, M::SCHEMA, write?).await }
    }

    #[doc = include_str!("ext/history.md")]
    fn history<F: VersionedField>(
        &self,
        key: &<F::Model as Model>::Key,
        field: F,
    ) -> History<'_, Self, F> {
        History::new(self, key, field)
    }

    /// The versions of a serialised event as a whole, newest first; see
    /// [`history`](BackendExt::history).
    fn event_history<M: SerializedModel>(&self, key: &M::Key) -> History<'_, Self, WholeEvent<M>> {
        History::new(self, key, WholeEvent::new())
    }

    /// Creates the tables of the periods that contain these times, or adds the families that
    /// existing ones lack, like [`ensure_table`](BackendExt::ensure_table). Returns the tables'
    /// IDs, oldest first.
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
    /// let created = db.ensure_periods::<Reading>(now..now + 7 * DAY).await?; // today and the days of a week to come
    /// assert_eq!(created.len(), 8);
    /// let old = db.tables_before::<Reading>(now - 30 * DAY).await?; // what the next line would delete
    /// assert!(old.is_empty());
    /// db.drop_tables_before::<Reading>(now - 30 * DAY).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::TooManyTables`] for more than 1,000 periods, and then nothing is created;
    /// [`Error::Backend`] when the backend refuses.
    fn ensure_periods<M: TablesByPeriod>(
        &self,
        times: Range<impl Into<Timestamp>>,
    ) -> impl Future<Output = Result<Vec<String>, Error>> + Send {
        let times = times.start.into()..times.end.into();
        tables::ensure(self, M::SCHEMA, times)
    }

    /// The model's tables whose whole period is before a time, oldest first. A table is the model's
    /// if its ID is exactly that of a period.
    ///
    /// # Errors
    /// [`Error::Backend`] if the tables cannot be listed.
    fn tables_before<M: TablesByPeriod>(
        &self,
        time: impl Into<Timestamp>,
    ) -> impl Future<Output = Result<Vec<String>, Error>> + Send {
        tables::before(self, M::SCHEMA, time.into())
    }

    /// Deletes the tables of [`tables_before`](BackendExt::tables_before), with all their rows, and
    /// returns their IDs.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses; it names the table, and older tables are
    /// already deleted.
    fn drop_tables_before<M: TablesByPeriod>(
        &self,
        time: impl Into<Timestamp>,
    ) -> impl Future<Output = Result<Vec<String>, Error>> + Send {
        tables::drop_before(self, M::SCHEMA, time.into())
    }
}

impl<B: Backend + ?Sized> BackendExt for B {}
