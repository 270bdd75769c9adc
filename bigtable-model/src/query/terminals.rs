//! Terminals of a typed query: its plan, its results, their number, the newest of them.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::Query;
use super::ask::bad_rows::BadRows;
use super::ask::selection::{Order, Selection};
use super::ask::state::QueryState;
use super::cost::{Cost, Tally};
use super::explain::Explanation;
use super::partition::started;
use super::plan::Plan;
use super::plan::planner::plan;
use super::run::execute::{QueryEvents, events, events_in_cells};
use super::run::results::EventStream;
use super::run::start::planned;
use super::sql::to_sql;
use crate::Error;
use crate::backend::Backend;
use crate::backend::sql::SqlQuery;
use crate::model::{Model, Projection, RowEvents, Schema};
use crate::send::list_tables;

impl<M: Model, S, P: Projection<Model = M>> Query<M, S, P> {
    /// What the query would send, without sending anything. If tables are by period and the query's
    /// range of time is open at an end, the live tables decide: see
    /// [`plan`](crate::BackendExt::plan).
    ///
    /// # Errors
    /// [`Error::Query`] if a segment cannot hold its value, or if the query would run more scans
    /// than allowed.
    pub fn plan(&self) -> Result<Plan, Error>
    where
        S: QueryState<M>,
    {
        plan(M::SCHEMA, &self.selection())
    }

    /// Like [`plan`](Query::plan), with the live tables if the range of time is open.
    pub(crate) async fn plan_on(&self, backend: &dyn Backend) -> Result<Plan, Error>
    where
        S: QueryState<M>,
    {
        planned(backend, M::SCHEMA, &self.selection()).await
    }

    pub(crate) async fn missing_tables(&self, backend: &dyn Backend) -> Result<Vec<String>, Error>
    where
        S: QueryState<M>,
    {
        let plan = self.plan_on(backend).await?;
        let live = list_tables(backend, M::SCHEMA).await?;
        let mut tables = plan.tables();
        live.iter().for_each(|table| {
            tables.remove(table.as_str());
        });
        Ok(tables.into_iter().map(str::to_owned).collect())
    }

    /// The plan in words, or why the query is refused.
    #[must_use]
    pub fn explain(&self) -> Explanation
    where
        S: QueryState<M>,
    {
        Explanation::new(M::SCHEMA, self.plan())
    }

    /// The query in GoogleSQL, with its parameters, for
    /// [`db.sql_query(..)`](crate::SqlExt::sql_query) and for tools that use SQL. It reads the rows
    /// of the query's plan, in the same order. Its columns are `_key` and the fields that are
    /// columns, in order and by name, as bytes; NULL if an event lacks one. A struct for such rows
    /// takes `Bytes` or an `Option` of it: the text of a `text` column, the 8 bytes of a number.
    /// [`Model::decode_key`] reads `_key`, and [`decode_cell`](crate::value::decode_cell) a value.
    /// Only Bigtable itself runs SQL: `MemoryBackend` and Google's emulator answer `UNIMPLEMENTED`.
    ///
    /// ```
    /// use bigtable_model::{Model, Timestamp};
    ///
    /// #[derive(Model)]
    /// #[bigtable(table = "QUOTE", family = "MD")]
    /// struct Quote {
    ///     #[bigtable(key)]
    ///     symbol: String,
    ///     #[bigtable(time, unit = "ms")]
    ///     at: Timestamp,
    ///     #[bigtable(column = "BID")]
    ///     bid: f64,
    /// }
    ///
    /// let query = Quote::query().symbol("ZXZZT").events().newest_first().limit(10).to_sql()?;
    /// assert_eq!(
    ///     query.to_string(),
    ///     "SELECT _key, `MD`['BID'] AS `bid` FROM `QUOTE` \
    ///      WHERE _key >= @from0 AND _key < @to0 AND `MD`['BID'] IS NOT NULL \
    ///      ORDER BY _key DESC LIMIT 10"
    /// );
    /// # Ok::<(), bigtable_model::Error>(())
    /// ```
    ///
    /// Where events are serialised as JSON, a projection selects their fields, and where they are
    /// messages of `serialize(proto)` through a schema bundle of the table: see
    /// [SQL of serialised events](crate::guide#sql-of-serialised-events).
    ///
    /// In layout `cells` each row of the result is an event, whose time is the column `_timestamp`:
    /// see [SQL of cells](crate::guide#sql-of-cells).
    ///
    /// Rows with keys that are not the model's, cells at times outside their row's bucket, and
    /// values that the model cannot decode, are returned too.
    ///
    /// # Errors
    /// Those of [`plan`](Query::plan), and [`Error::Sql`] with what SQL cannot express: events of
    /// the layouts `columns`, `qualifiers` and `latest`, whole events with run-time columns in
    /// `cells`, fields without a documented value in SQL, packed events, several tables, results
    /// merged by time, segments that narrow no range, and a rule by age, whose expired cells may
    /// still be stored, unless [`with_expired`](Query::with_expired) asks for them.
    pub fn to_sql(&self) -> Result<SqlQuery, Error>
    where
        S: QueryState<M>,
    {
        to_sql(M::SCHEMA, &self.selection())
    }

    pub(crate) fn stream(&self, backend: &dyn Backend) -> EventStream<P, S::Order>
    where
        S: QueryState<M>,
    {
        let selection = self.selection();
        if selection.order != Order::Any {
            return EventStream::of(backend, &selection, self.bad_rows());
        }
        let (backend, bad_rows) = (backend.handle(), self.bad_rows().clone());
        EventStream::begun(cut_and_begun(backend, M::SCHEMA, selection, bad_rows))
    }

    pub(crate) async fn cost(&self, backend: &dyn Backend) -> Result<Cost, Error>
    where
        S: QueryState<M>,
    {
        let read = |row: &RowEvents, index| row.read::<P>(index).map(drop);
        cost(
            backend,
            M::SCHEMA,
            &self.selection(),
            self.bad_rows(),
            &read,
        )
        .await
    }

    pub(crate) async fn count(&self, backend: &dyn Backend) -> Result<u64, Error>
    where
        S: QueryState<M>,
    {
        let check = RowEvents::check_key::<M>;
        count(
            backend,
            M::SCHEMA,
            self.selection(),
            self.bad_rows(),
            &check,
        )
        .await
    }
}

/// The events of an unordered query, whose rows are cut into scans that run at once.
fn cut_and_begun(
    backend: Arc<dyn Backend>,
    schema: &'static Schema,
    selection: Selection,
    bad_rows: BadRows,
) -> BoxFuture<'static, Result<QueryEvents, Error>> {
    Box::pin(async move {
        let plan = started(&*backend, schema, &selection).await?;
        events(&*backend, schema, plan, &bad_rows)
    })
}

/// Refuses an event that is not the model's.
pub(crate) type CheckEvent<'a> = dyn Fn(&RowEvents, usize) -> Result<(), Error> + Send + Sync + 'a;

/// Runs a query and counts what it reads; `read` decodes its events.
pub(crate) async fn cost(
    backend: &dyn Backend,
    schema: &Schema,
    selection: &Selection,
    bad_rows: &BadRows,
    read: &CheckEvent<'_>,
) -> Result<Cost, Error> {
    let mut tally = Tally::default();
    let watched = tally.watch(backend);
    let plan = started(&watched, schema, selection).await?;
    let sources = plan.sources.iter().map(|source| source.plan.scans.len());
    let scans = plan.scans.len() + sources.sum::<usize>();
    let mut found = events_in_cells(&watched, schema, plan, bad_rows)?;
    while let Some(event) = found.next(read).await {
        event?;
        tally.add(found.current());
    }
    drop(found);
    Ok(tally.cost(scans))
}

/// How many events are selected; `check` refuses rows whose keys are not the model's.
pub(crate) async fn count(
    backend: &dyn Backend,
    schema: &Schema,
    asked: Selection,
    bad_rows: &BadRows,
    check: &CheckEvent<'_>,
) -> Result<u64, Error> {
    let selection = Selection {
        keys_only: true,
        // A count needs no order, and several sources may have no common order.
        order: match (asked.order, asked.limit) {
            (Order::Key, None) if schema.is_united() => Order::Any,
            _ => asked.order,
        },
        ..asked
    };
    let mut plan = started(backend, schema, &selection).await?;
    if plan.keys_first && plan.limit.is_none() {
        // A count needs no order.
        let order = Order::Any;
        plan = started(backend, schema, &Selection { order, ..selection }).await?;
    }
    let mut events = events(backend, schema, plan, bad_rows)?;
    let mut count = 0;
    while let Some(event) = events.next(check).await {
        event?;
        count += 1;
        // The others have the same key, which was checked, unless qualifiers have a part of it.
        events.take_run(usize::MAX, |row, others| {
            let is_checked = !row.has_keys_of_events();
            count += if is_checked { others.len() } else { 0 };
            is_checked
        });
    }
    Ok(u64::try_from(count).unwrap_or(u64::MAX))
}
