//! The typed operations on a backend.

use std::ops::Range;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{Stream, stream};

use super::args::{EventArg, EventKind};
use super::audit::AuditJob;
use super::{Change, EventBatcher, History, Inserts};
use super::{tables, versioned};
use crate::backend::batcher::BatcherSettings;
use crate::backend::expiry::LateExpiry;
use crate::backend::table_names::{NamedTables, TableNames};
use crate::backend::{Backend, InvalidSetting};
use crate::condition::{Condition, VersionedModel, checked_delete};
use crate::mirror::RepairReport;
use crate::model::{
    Batched, Column, ColumnPlace, Editable, HandleKind, IntoUpdate, Model, RowEvents,
    TablesByPeriod, VersionedField, delete_mutations, event_request,
};
use crate::query::{
    AsQuery, Cost, Counted, Fetched, FixedOrder, ForgetReport, Forgotten, Page, PageError,
    PageToken, Partition, Plan, QueryState, Streamed, forget,
};
use crate::schema::{ApplyOptions, TableDiff, WantedTable};
use crate::send::{
    CheckedRows, DeleteOutcome, EventRows, Written, delete, delete_checked, delete_column,
    delete_many, get, get_many, insert_if_with_copies, insert_with_copies, schemas, send_checked,
    send_update_at,
};
use crate::{Error, Timestamp, mirror};

/// The series of a query's model.
type SeriesOf<Q> = <<Q as AsQuery>::Model as Model>::Series;

/// A value for each series of a query.
type Each<Q, T> = Vec<(SeriesOf<Q>, T)>;

/// The future of a call, which does not borrow the backend.
type Answer<T> = BoxFuture<'static, Result<T, Error>>;

/// The version of an update's model.
type VersionOf<U> = <<U as IntoUpdate>::Model as VersionedModel>::Version;

/// The typed operations, for every [`Backend`].
///
/// Their futures do nothing until they are awaited, and do not borrow the backend. Every error
/// names the table, and an error of one row also its key in decoded form.
pub trait BackendExt: Backend {
    #[doc = include_str!("ext/with_tables.md")]
    fn with_tables(&self, names: impl TableNames) -> NamedTables {
        NamedTables::new(self.handle(), names)
    }

    #[doc = include_str!("ext/with_expiry_margin.md")]
    fn with_expiry_margin(&self, margin: Duration) -> LateExpiry {
        LateExpiry::new(self.handle(), margin)
    }

    #[doc = include_str!("ext/ensure_tables.md")]
    fn ensure_tables<M: Model>(&self) -> Answer<()> {
        let (backend, schemas) = (self.handle(), schemas::<M>());
        Box::pin(async move { tables::ensure_all(&*backend, schemas).await })
    }

    /// How the model's table differs from what the model wants; with tables by period, the current
    /// table.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses. A missing table is a difference, not an error.
    fn table_diff<M: Model>(&self) -> Answer<TableDiff> {
        let backend = self.handle();
        Box::pin(async move { WantedTable::of_now(M::SCHEMA)?.diff_on(&*backend).await })
    }

    #[doc = include_str!("ext/audit.md")]
    fn audit<'a, M: Model>(&self) -> AuditJob<'a> {
        let read = |row: &RowEvents, index| row.read::<M>(index).map(drop);
        AuditJob::new(self.handle(), M::SCHEMA, Box::new(read))
    }

    #[doc = include_str!("ext/apply.md")]
    fn apply(
        &self,
        diff: &TableDiff,
        options: &ApplyOptions,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let backend = self.handle();
        async move { diff.apply_on(&*backend, options).await }
    }

    #[doc = include_str!("ext/insert.md")]
    fn insert<M: Model>(&self, event: &M) -> Answer<Written> {
        let backend = self.handle();
        let rows = EventRows::new(event, Timestamp::now());
        let written = Written::of(&*backend, event);
        Box::pin(async move { insert_with_copies(&*backend, rows?).await.map(|()| written) })
    }

    #[doc = include_str!("ext/insert_if_absent.md")]
    fn insert_if_absent<M: Editable>(&self, event: &M) -> Answer<bool> {
        self.insert_if(event, Condition::any_column().negate())
    }

    #[doc = include_str!("ext/insert_if.md")]
    fn insert_if<M: Editable>(&self, event: &M, condition: Condition<M>) -> Answer<bool> {
        let rows = CheckedRows::new(event, Timestamp::now(), condition.test());
        let backend = self.handle();
        Box::pin(async move { insert_if_with_copies(&*backend, rows?).await })
    }

    #[doc = include_str!("ext/insert_if_unchanged.md")]
    fn insert_if_unchanged<'a, M: VersionedModel>(
        &self,
        event: &'a mut M,
    ) -> BoxFuture<'a, Result<(), Error>> {
        let backend = self.handle();
        Box::pin(async move { versioned::insert_if_unchanged(&*backend, event).await })
    }

    #[doc = include_str!("ext/delete_if.md")]
    fn delete_if<M: Editable>(&self, key: &M::Key, condition: Condition<M>) -> Answer<bool> {
        let write = checked_delete::<M>(key, condition.test());
        let backend = self.handle();
        Box::pin(async move { delete_checked(&*backend, M::SCHEMA, write?).await })
    }

    /// Deletes an event with its copies, which are found from all of its fields: first the copies,
    /// then the event, so a failed call can be repeated. If the event was stored with other values,
    /// copies under other keys stay.
    ///
    /// # Errors
    /// [`Error::Key`] or [`Error::Value`] if the event or a copy cannot be encoded, and then
    /// nothing is sent; otherwise the first error of a table, which it names, and then the event
    /// stays.
    fn delete_mirrored<M: Editable>(&self, event: &M) -> Answer<()> {
        let rows = mirror::Deletions::new(event, Timestamp::now());
        let backend = self.handle();
        Box::pin(async move { mirror::delete_mirrored(&*backend, rows?).await })
    }

    #[doc = include_str!("ext/delete_strays.md")]
    fn delete_strays<M: Model>(&self) -> Answer<Vec<mirror::TableRepair>> {
        let backend = self.handle();
        Box::pin(async move { mirror::delete_strays::<M>(&*backend).await })
    }

    #[doc = include_str!("ext/insert_many.md")]
    fn insert_many<'a, M: Model, Kind: EventKind<'a, M>, I>(
        &self,
        events: I,
    ) -> Inserts<'a, M, Kind>
    where
        I: IntoIterator<Item: EventArg<'a, M, Kind>, IntoIter: Send + 'a>,
    {
        Inserts::new(self.handle(), stream::iter(events))
    }

    /// [`insert_many`](BackendExt::insert_many) of a stream, which may be endless. It is not polled
    /// while there is no room; while it has no event ready and no request is in flight, the events
    /// taken so far are sent without waiting for more.
    fn insert_stream<'a, M: Model, Kind: EventKind<'a, M>, S>(
        &self,
        events: S,
    ) -> Inserts<'a, M, Kind>
    where
        S: Stream<Item: EventArg<'a, M, Kind>> + Send + 'a,
    {
        Inserts::new(self.handle(), events)
    }

    #[doc = include_str!("ext/batcher.md")]
    fn batcher<M: Batched>(
        &self,
        settings: BatcherSettings,
    ) -> Result<EventBatcher<M>, InvalidSetting> {
        EventBatcher::new(self.handle(), settings)
    }

    #[doc = include_str!("ext/fetch.md")]
    fn fetch<Q: Fetched>(&self, query: &Q) -> Answer<Q::Output> {
        query.fetched(self.handle())
    }

    /// Runs a query; results come one by one, and nothing is sent before the first is polled. Those
    /// of a [query by names](crate::dynamic::AnyQuery) come in batches of 1,000 events,
    /// [windows](crate::rollup::WindowQuery) of a roll-up as they are complete.
    fn stream<Q: Streamed>(&self, query: &Q) -> Q::Output {
        query.streamed(&*self.handle())
    }

    /// How many events a query selects. It reads only keys, the presence column and the values that
    /// conditions compare, so an event counts even if its other values cannot be decoded.
    ///
    /// # Errors
    /// The first error of [`stream`](BackendExt::stream).
    fn count<Q: Counted>(&self, query: &Q) -> Answer<u64> {
        query.counted(self.handle())
    }

    #[doc = include_str!("ext/cost.md")]
    fn cost<Q: Counted>(&self, query: &Q) -> Answer<Cost> {
        query.costed(self.handle())
    }

    #[doc = include_str!("ext/page.md")]
    fn page<Q>(
        &self,
        query: &Q,
        size: u64,
        token: Option<&PageToken>,
    ) -> BoxFuture<'static, Result<Page<Q::Read>, PageError>>
    where
        Q: AsQuery<State: QueryState<Q::Model, Order: FixedOrder>>,
    {
        let (backend, query) = (self.handle(), query.as_query().clone());
        let token = token.cloned();
        Box::pin(async move { query.page(size, token.as_ref(), &*backend).await })
    }

    #[doc = include_str!("ext/series.md")]
    fn series<Q>(&self, query: &Q) -> Answer<Vec<SeriesOf<Q>>>
    where
        Q: AsQuery<State: QueryState<Q::Model>>,
    {
        let (backend, query) = (self.handle(), query.as_query().clone());
        Box::pin(async move { query.series(&*backend).await })
    }

    #[doc = include_str!("ext/latest_each.md")]
    fn latest_each<Q>(&self, query: &Q, n: u64) -> Answer<Each<Q, Vec<Q::Read>>>
    where
        Q: AsQuery<State: QueryState<Q::Model>>,
    {
        let (backend, query) = (self.handle(), query.as_query().clone());
        Box::pin(async move { query.latest_each(n, &*backend).await })
    }

    #[doc = include_str!("ext/latest_before.md")]
    fn latest_before<Q>(&self, query: &Q, time: impl Into<Timestamp>) -> Answer<Each<Q, Q::Read>>
    where
        Q: AsQuery<State: QueryState<Q::Model>>,
    {
        let (backend, query, time) = (self.handle(), query.as_query().clone(), time.into());
        Box::pin(async move { query.latest_before(time, &*backend).await })
    }

    #[doc = include_str!("ext/partitions.md")]
    fn partitions<Q>(&self, query: &Q, n: usize) -> Answer<Vec<Partition<Q::Read>>>
    where
        Q: AsQuery<State: QueryState<Q::Model>>,
    {
        let (backend, query) = (self.handle(), query.as_query().clone());
        Box::pin(async move { query.partitions(n, &*backend).await })
    }

    /// What a query will send, like [`Query::plan`](crate::query::Query::plan). If tables are by
    /// period and the query's range of time is open at an end, it lists the live tables, and sends
    /// nothing else.
    ///
    /// # Errors
    /// Those of [`Query::plan`](crate::query::Query::plan), and [`Error::Backend`] if the tables
    /// cannot be listed.
    fn plan<Q>(&self, query: &Q) -> Answer<Plan>
    where
        Q: AsQuery<State: QueryState<Q::Model>>,
    {
        let (backend, query) = (self.handle(), query.as_query().clone());
        Box::pin(async move { query.plan_on(&*backend).await })
    }

    /// The missing tables that a query would read, in order. With tables by period that is not an
    /// error: a missing table has no events.
    ///
    /// # Errors
    /// Those of [`plan`](BackendExt::plan).
    fn missing_tables<Q>(&self, query: &Q) -> Answer<Vec<String>>
    where
        Q: AsQuery<State: QueryState<Q::Model>>,
    {
        let (backend, query) = (self.handle(), query.as_query().clone());
        Box::pin(async move { query.missing_tables(&*backend).await })
    }

    #[doc = include_str!("ext/delete_all.md")]
    fn delete_all<Q>(&self, query: &Q) -> BoxFuture<'static, DeleteOutcome>
    where
        Q: AsQuery<Model: Editable, State: QueryState<Q::Model>>,
    {
        let (backend, query) = (self.handle(), query.as_query().clone());
        Box::pin(async move { query.delete_all(&*backend).await })
    }

    #[doc = include_str!("ext/forget.md")]
    fn forget<Q: Forgotten + ?Sized>(&self, whom: &Q) -> Answer<ForgetReport> {
        let (backend, mut all) = (self.handle(), Vec::new());
        whom.add_to(&mut all);
        Box::pin(async move { forget(&*backend, all).await })
    }

    #[doc = include_str!("ext/repair.md")]
    fn repair<Q>(&self, query: &Q) -> Answer<RepairReport>
    where
        Q: AsQuery<Read = <Q as AsQuery>::Model, State: QueryState<Q::Model>>,
    {
        let (backend, query) = (self.handle(), query.as_query().clone());
        Box::pin(async move { query.repair(&*backend).await })
    }

    /// Sends changes of one event: an update, `db.send(Quote::update(&key).bid(600.55))`, or
    /// increments and appends, which return the new values,
    /// `db.send(Page::modify(&key).increment(Page::FIELDS.views, 1))`.
    ///
    /// # Errors
    /// [`Error::Key`] or [`Error::Value`] if the key or a column cannot hold what was set,
    /// [`Error::EmptyUpdate`] if nothing was set, and then nothing is sent; or the backend's error,
    /// for instance if a counter's cell does not hold 8 bytes.
    fn send<C>(&self, change: C) -> Answer<C::Output>
    where
        C: Change<Output: Send> + Send + 'static,
    {
        let backend = self.handle();
        Box::pin(async move { change.sent(&*backend).await })
    }

    /// Sends an update if a condition holds for the event, in one step of the server and only once;
    /// returns whether it held. [`insert_if`](BackendExt::insert_if) says what that needs, when it
    /// is sent again, and what an error leaves open.
    ///
    /// # Errors
    /// Those of [`send`](BackendExt::send), and of a condition that cannot be sent; in layout
    /// `qualifiers` always, since the old value has to be read first.
    fn send_if<U: IntoUpdate>(&self, update: U, condition: Condition<U::Model>) -> Answer<bool> {
        let write = update
            .into_update()
            .checked(Timestamp::now(), condition.test());
        let backend = self.handle();
        Box::pin(async move { send_checked(&*backend, U::Model::SCHEMA, write?).await })
    }

    /// Sends an update with the next version if the event is still at the version that was read,
    /// and returns the next version, as [`insert_if_unchanged`](BackendExt::insert_if_unchanged)
    /// does for a whole event. With nothing set it writes only the version.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the event is at another version or does not exist, and then nothing
    /// is written; those of [`send_if`](BackendExt::send_if), except for an empty update.
    fn send_if_unchanged<U>(&self, update: U, version: VersionOf<U>) -> Answer<VersionOf<U>>
    where
        U: IntoUpdate<Model: VersionedModel>,
    {
        let write = update.into_update().at_version(Timestamp::now(), version);
        let backend = self.handle();
        Box::pin(async move { send_update_at(&*backend, U::Model::SCHEMA, write?).await })
    }

    /// The event with this key, or `None`, also if the table of its period does not exist. Layout
    /// `qualifiers` keeps events with the same key that differ in value; this is the first by the
    /// value's bytes. In layout `latest` it is the newest event of the series, if its time is the
    /// key's.
    ///
    /// # Errors
    /// [`Error::Key`] if the key cannot be encoded, [`Error::Backend`] if the read fails;
    /// [`Error::MissingColumn`], [`Error::BadCell`] or [`Error::ForeignCell`] if the row does not
    /// fit the model.
    fn get<M: Model>(&self, key: &M::Key) -> Answer<Option<M>> {
        let request = event_request::<M>(key);
        let backend = self.handle();
        Box::pin(async move { get(&*backend, request?).await })
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

    #[doc = include_str!("ext/delete.md")]
    fn delete<'a, M: Editable>(&self, key: &'a M::Key) -> BoxFuture<'a, Result<(), Error>> {
        let backend = self.handle();
        Box::pin(async move {
            let mutations = |cells: &[_]| delete_mutations::<M>(key, cells);
            delete::<M>(&*backend, key, mutations).await
        })
    }

    #[doc = include_str!("ext/delete_many.md")]
    fn delete_many<'a, M: Editable<Key: 'a>>(
        &self,
        keys: impl IntoIterator<Item = &'a M::Key, IntoIter: Send> + Send,
    ) -> impl Future<Output = DeleteOutcome> + Send {
        delete_many::<M, _>(self.handle(), keys)
    }

    /// Deletes one column of an event, with all its versions: `delete_cell(&key,
    /// Quote::FIELDS.bid_size)`, or `delete_cell(&key, Host::FIELDS.cpu.entry("user"))` of a map.
    ///
    /// An event whose presence column is deleted no longer exists; its remaining columns still stop
    /// [`insert_if_absent`](BackendExt::insert_if_absent).
    ///
    /// # Errors
    /// [`Error::Key`] if the key cannot be encoded, [`Error::Backend`] when the backend refuses.
    fn delete_cell<M: Editable, T>(
        &self,
        key: &M::Key,
        column: Column<M, T, impl HandleKind, impl ColumnPlace<T>>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let (backend, column) = (self.handle(), column.place().id());
        async move { delete_column::<M>(&*backend, key, column).await }
    }

    #[doc = include_str!("ext/history.md")]
    fn history<F: VersionedField>(&self, key: &<F::Model as Model>::Key, field: F) -> History<F> {
        History::new(self.handle(), key, field)
    }

    #[doc = include_str!("ext/ensure_periods.md")]
    fn ensure_periods<M: TablesByPeriod>(
        &self,
        times: Range<impl Into<Timestamp>>,
    ) -> impl Future<Output = Result<Vec<String>, Error>> + Send {
        let (backend, times) = (self.handle(), times.start.into()..times.end.into());
        async move { tables::ensure(&*backend, M::SCHEMA, times).await }
    }

    /// The model's tables whose whole period is before a time, oldest first. A table is the model's
    /// if its ID is exactly the ID of a period.
    ///
    /// # Errors
    /// [`Error::Backend`] if the tables cannot be listed.
    fn tables_before<M: TablesByPeriod>(
        &self,
        time: impl Into<Timestamp>,
    ) -> impl Future<Output = Result<Vec<String>, Error>> + Send {
        let (backend, time) = (self.handle(), time.into());
        async move { tables::before(&*backend, M::SCHEMA, time).await }
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
        let (backend, time) = (self.handle(), time.into());
        async move { tables::drop_before(&*backend, M::SCHEMA, time).await }
    }
}

impl<B: Backend + ?Sized> BackendExt for B {}
