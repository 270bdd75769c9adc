//! The typed operations on a backend.

use std::ops::Range;
use std::time::Duration;

use futures::future::BoxFuture;

use super::args::{Either, EventArg};
use super::audit::{self, Audit};
use super::tables;
use super::{EventBatcher, History, Inserts};
use crate::backend::batcher::BatcherSettings;
use crate::backend::expiry::LateExpiry;
use crate::backend::table_names::{NamedTables, TableNames};
use crate::backend::{Backend, InvalidSetting};
use crate::condition::{Condition, checked_delete};
use crate::model::{
    Adds, Appends, Column, Editable, HandleKind, Increments, MapField, Model, Modify,
    SerializedModel, TablesByPeriod, Update, VersionedField, WholeEvent, delete_cell_mutations,
    delete_mutations, event_request, insert_row,
};
use crate::schema::{ApplyOptions, TableDiff, WantedTable};
use crate::send::{
    DeleteOutcome, InsertOutcome, delete, delete_checked, delete_many, get, get_many, modified,
    send_row, send_update,
};
use crate::{Error, Timestamp, mirror, rollup};

/// The typed operations, for every [`Backend`].
///
/// Their futures must be awaited to do anything. Every error names the table, and the key in
/// decoded form where it concerns one row.
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
    /// the shards of a salt in front of the key, or adds the families that an existing table lacks.
    ///
    /// A family without a rule keeps every cell, but one of counters and of texts that grow the
    /// newest alone ([`family_schema`](crate::model::ModelSchema::family_schema)). Those of
    /// aggregates are aggregate families. What else an existing table has otherwise is left alone:
    /// [`table_diff`](Self::table_diff) tells.
    ///
    /// Of a model whose tables are by period it is the table of now;
    /// [`ensure_periods`](BackendExt::ensure_periods) creates those of times to come.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses.
    fn ensure_table<M: Model>(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move { WantedTable::of_now(M::SCHEMA)?.ensure(self).await })
    }

    /// What the model's table has otherwise than the model wants it; of tables by period that of
    /// now.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses; that there is no such table is a difference and no error.
    fn table_diff<M: Model>(&self) -> BoxFuture<'_, Result<TableDiff, Error>> {
        Box::pin(async move { WantedTable::of_now(M::SCHEMA)?.diff_on(self).await })
    }

    #[doc = include_str!("ext/audit.md")]
    fn audit<M: Model>(&self) -> impl Future<Output = Result<Audit, Error>> + Send {
        audit::audit(self, M::SCHEMA)
    }

    /// Makes the changes that a comparison asks for: those that keep every cell that is kept today,
    /// others only where `options` allow them.
    ///
    /// The table is looked at once more, and everything is judged before anything is sent, which
    /// then is one call. A row key schema is added or removed only when it is
    /// [named](ApplyOptions::add_row_key_schema), in a call of its own after that.
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

    /// [`ensure_table`](BackendExt::ensure_table) for a model, for all of its [mirrors](crate::mirror) and for the tables of
    /// their [roll-ups](crate::rollup).
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses.
    fn ensure_tables<M: Model>(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            for schema in mirror::schemas::<M>() {
                WantedTable::of_now(schema)?.ensure(self).await?;
                for rolled in schema.rollups {
                    for table in rollup::tables(rolled) {
                        table.ensure(self).await?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Writes an event; one with the same row key is replaced, columns that the event lacks are
    /// deleted. Of a model with [mirrors](crate::mirror) its copies are written after it, and to
    /// [roll-ups](crate::guide#what-the-server-adds) that the server adds it is added after it.
    ///
    /// # Errors
    /// [`Error::Key`] or [`Error::Value`] when the event, or a copy of it, can't be stored as it is, and then nothing is sent;
    /// [`Error::Backend`] when the backend refuses; [`Error::NotMirrored`] when the event was written and a copy was not: the same
    /// call again is safe; [`Error::NotAdded`] when it was written and a roll-up may lack it; [`Error::MissingTable`] when the table of the event's period is not
    /// there.
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

    #[doc = include_str!("ext/delete_if.md")]
    fn delete_if<M: Editable>(
        &self,
        key: &M::Key,
        condition: Condition<M>,
    ) -> BoxFuture<'_, Result<bool, Error>> {
        let write = checked_delete::<M>(key, condition.test());
        Box::pin(async move { delete_checked(self, M::SCHEMA, write?).await })
    }

    /// As [`insert`](BackendExt::insert), with an outcome for each table: the event's own, and
    /// those of its copies.
    fn insert_mirrored<M: Model>(&self, event: &M) -> BoxFuture<'_, mirror::MirrorOutcome> {
        let rows = mirror::EventRows::new(event, Timestamp::now());
        Box::pin(mirror::insert::<_, M>(self, rows))
    }

    /// Deletes an event with its copies, which are known from all of its fields: first the copies,
    /// then the event, so that a call that broke off can be made again. Of an event that was stored
    /// with other values than these, copies that have other keys stay.
    fn delete_mirrored<M: Editable>(&self, event: &M) -> BoxFuture<'_, mirror::MirrorOutcome> {
        let rows = mirror::Deletions::new(event, Timestamp::now());
        Box::pin(mirror::delete_mirrored::<_, M>(self, rows))
    }

    /// Reads the tables of all mirrors as a whole, and deletes the copies whose event is gone or
    /// has expired. Only copies that tell the event's key can be judged
    /// ([`MirrorOf::source_key`](mirror::MirrorOf::source_key)); the others are counted and stay.
    ///
    /// It can be repeated, and run while events are written: an event is written before its copies
    /// are. An event that is deleted and inserted again while it is looked at may lose its copies;
    /// [`repair`](crate::query::Query::repair) brings them back.
    ///
    /// # Errors
    /// [`Error::Backend`] when the copies can't be read.
    fn delete_strays<M: Model>(&self) -> BoxFuture<'_, Result<Vec<mirror::TableRepair>, Error>> {
        let backend = self.handle();
        Box::pin(async move { mirror::delete_strays::<M>(&*backend).await })
    }

    /// Writes many events, owned or borrowed, in requests of up to 1,000 rows, of which 4 are under
    /// way at once.
    ///
    /// Events of one row are written in their order, those of one request all or none of them. The
    /// outcome tells of each event that was not written; all others were. An event that no table
    /// takes is not sent, and fails no other. Streams, owned events, progress and the number of
    /// requests: [`inserts`](BackendExt::inserts).
    ///
    /// Of a model with [mirrors](crate::mirror) an event is written when all of its copies are; one
    /// whose copies can't be made is not sent, and of the others the errors name the table. An event
    /// that failed with [`Error::NotAdded`] was written: its roll-up may lack it.
    fn insert_many<'a, M: Model, Kind: 'a>(
        &'a self,
        events: impl IntoIterator<Item: EventArg<M, Kind> + Send + 'a, IntoIter: Send + 'a>,
    ) -> BoxFuture<'a, InsertOutcome> {
        let events = events.into_iter().map(Either::<_, M, Kind>::new);
        Box::pin(self.inserts::<M>().run(events))
    }

    #[doc = include_str!("ext/batcher.md")]
    fn batcher<M: Model>(
        &self,
        settings: BatcherSettings,
    ) -> Result<EventBatcher<M>, InvalidSetting> {
        EventBatcher::new(self.handle(), settings)
    }

    #[doc = include_str!("ext/inserts.md")]
    fn inserts<M: Model>(&self) -> Inserts<'_, Self, M> {
        Inserts::new(self)
    }

    /// The event with this key; none where the table of its period is not there. In layout
    /// `qualifiers`, which keeps events of one key that differ in value, the first of them by the
    /// bytes of the value; in layout `latest` the newest of its series, if its time is the key's.
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the read fails, and the errors of
    /// [`RowEvents::read`](crate::model::RowEvents::read).
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
    /// those cells that are the event's. The columns that belong to such a row stay, also after its
    /// last event: a row of these alone is no event. Where the table of its period is not there,
    /// there is nothing to delete.
    ///
    /// In layout `qualifiers` the event is read before: one that is written meanwhile may stay. In
    /// layout `latest` the event before it becomes the newest, if its cells are still there.
    ///
    /// The events of a query, and so of a range of time, are deleted by
    /// [`Query::delete`](crate::query::Query::delete).
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses.
    fn delete<'a, M: Editable>(&'a self, key: &'a M::Key) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(delete::<_, M>(self, key, |cells| {
            delete_mutations::<M>(key, cells)
        }))
    }

    /// Deletes the events with these keys as [`delete`](BackendExt::delete) does, in requests as
    /// [`inserts`](BackendExt::inserts) has them.
    ///
    /// The outcome tells of each key whose event was not deleted; that there is one is not looked
    /// at.
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
    /// An event whose presence column is deleted is no event any more; what is left of it stands in
    /// the way of [`insert_if_absent`](BackendExt::insert_if_absent).
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses.
    fn delete_cell<M: Editable, T>(
        &self,
        key: &M::Key,
        column: Column<M, T, impl HandleKind>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let column = column.index();
        delete::<_, M>(self, key, move |cells| {
            delete_cell_mutations::<M>(key, column, cells)
        })
    }

    /// Adds to a counter of an event and gives its new value: `increment(&key, Page::FIELDS.views,
    /// 1)`. A [`Modify`] changes several columns at once.
    ///
    /// An absent counter counts from 0. The call is sent once, unless HTTP/2 proves that it was not
    /// processed: after an error that leaves open whether it arrived, only a read tells.
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses, as it does when the cell does not
    /// hold 8 bytes.
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

    /// Puts text or bytes after what a column of an event holds, and gives all of it: `append(&key,
    /// Page::FIELDS.visitors, "ann ")`. A [`Modify`] changes several columns at once.
    ///
    /// An absent column is empty before. The call is sent once, as
    /// [`increment`](BackendExt::increment) is.
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses, [`Error::Value`] when the cell holds
    /// no value of the column's type.
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
    /// It does not answer with the new value, and works without reading the cell: many writers may
    /// add at once. Adding twice is not adding once, so that the call is sent once, as
    /// [`increment`](BackendExt::increment) is; a gRPC client that is told by
    /// `GrpcSettings::repeat_adds` that the server keeps tokens sends it again until it is
    /// answered.
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses.
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
    /// [`Error::Key`] when the key can't be encoded, [`Error::Backend`] when the backend refuses.
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

    /// Creates the tables of the periods that hold these times, or adds the families that existing
    /// ones lack, as [`ensure_table`](BackendExt::ensure_table). It gives the tables' IDs, oldest
    /// first.
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
    /// [`Error::TooManyTables`] for more than 1,000 periods, and then nothing is created; [`Error::Backend`] when the backend refuses.
    fn ensure_periods<M: TablesByPeriod>(
        &self,
        times: Range<impl Into<Timestamp>>,
    ) -> impl Future<Output = Result<Vec<String>, Error>> + Send {
        let times = times.start.into()..times.end.into();
        tables::ensure(self, M::SCHEMA, times)
    }

    /// The model's tables whose whole period lies before a time, oldest first. A table is the
    /// model's when its ID is that of a period, character by character.
    ///
    /// # Errors
    /// [`Error::Backend`] when the tables can't be listed.
    fn tables_before<M: TablesByPeriod>(
        &self,
        time: impl Into<Timestamp>,
    ) -> impl Future<Output = Result<Vec<String>, Error>> + Send {
        tables::before(self, M::SCHEMA, time.into())
    }

    /// Deletes the tables that [`tables_before`](BackendExt::tables_before) gives, with all that is
    /// in them, and gives their IDs.
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
