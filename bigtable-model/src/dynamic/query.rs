//! Queries by the names of fields.

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt as _, TryStreamExt as _};

use super::batch::Fields;
use super::model::{Field, Named};
use super::{AnyModel, EventBatch, Value};
use crate::Error;
use crate::backend::Backend;
use crate::condition::{ColumnTest, ranges_of};
use crate::error::ModelError;
use crate::key::try_map;
use crate::model::{ColumnId, RowEvents, Schema};
use crate::query::{
    AsQuery, BadRows, Cost, Counted, DEFAULT_MAX_SEEKS, Explanation, Fetched, Order, Plan,
    QueryEvents, QueryState, SegmentSelection, Selection, Streamed, cost, count, events, plan,
    planned,
};

/// How many events a batch of a stream has, if as many follow. The events of a row of blocks are
/// decoded together and not parted, so it may have more.
const BATCH: usize = 1_000;

/// A query for events of a model by the names of its fields. A mistake in a call is reported when
/// the query is planned or run.
///
/// Identifiers that are not set are open. An open identifier before a set one, or an open first
/// one, makes the query read the whole table, which [`scan`](AnyQuery::scan) has to allow.
#[derive(Debug, Clone)]
#[must_use = "a query does nothing until it is run"]
pub struct AnyQuery {
    model: AnyModel,
    selection: Selection,
    order: Option<Order>,
    bad_rows: BadRows,
    refused: Option<ModelError>,
}

impl AnyQuery {
    /// A query of all events of a model.
    pub fn of(model: &AnyModel) -> Self {
        Self {
            model: model.clone(),
            selection: Selection {
                max_seeks: DEFAULT_MAX_SEEKS,
                ..Selection::default()
            },
            order: None,
            bad_rows: BadRows::fail(),
            refused: None,
        }
    }

    /// A query of a struct's events that returns them column by column, without making the struct:
    /// see [`EventBatch`].
    pub fn by_column<Q: AsQuery>(query: &Q) -> Self
    where
        Q::State: QueryState<Q::Model>,
    {
        let query = query.as_query();
        let selection = query.selection();
        Self {
            model: AnyModel::of::<Q::Model>(),
            order: Some(selection.order),
            selection,
            bad_rows: query.bad_rows().clone(),
            refused: None,
        }
    }

    /// The model whose events it selects.
    pub(super) fn model(&self) -> &AnyModel {
        &self.model
    }

    /// Events whose field has this value. A run-time column is named by its `family:qualifier`.
    pub fn set(self, field: &str, value: impl Into<Value>) -> Self {
        self.among(field, [value])
    }

    /// Events whose field has one of these values.
    pub fn among<V: Into<Value>>(self, field: &str, values: impl IntoIterator<Item = V>) -> Self {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        self.changed(|model, selection| match model.named(field)? {
            Named::Segment(at, segment) => {
                let values = values
                    .iter()
                    .map(|one| model.segment_value((at, segment), one));
                let values = values.collect::<Result<_, _>>()?;
                selection.select(at, SegmentSelection::Values(values));
                Ok(())
            }
            Named::Column(column) => {
                let stored = values.iter().map(|value| model.encode(&column, value));
                let stored = stored.collect::<Result<Vec<Bytes>, _>>()?;
                selection.require(ColumnTest::OneOf(column, stored));
                Ok(())
            }
        })
    }

    /// Events whose field is from `from` to before `to`.
    pub fn between(self, field: &str, from: impl Into<Value>, to: impl Into<Value>) -> Self {
        let bounds = (Bound::Included(from.into()), Bound::Excluded(to.into()));
        self.range(field, bounds.0, bounds.1)
    }

    /// Events whose field is between two bounds. A column is compared by its value, if that is a
    /// number, a time, a text, bytes or a truth value in the native form; an absent column is in no
    /// range, even if its field has a `default`.
    pub fn range(self, field: &str, from: Bound<Value>, to: Bound<Value>) -> Self {
        self.changed(|model, selection| {
            match model.named(field)? {
                Named::Segment(at, segment) => {
                    let value = |end: Value| model.segment_value((at, segment), &end);
                    let range = SegmentSelection::Range(try_map(from, value)?, try_map(to, value)?);
                    selection.select(at, range);
                }
                Named::Column(column) => {
                    let value = |end: Value| model.encode(&column, &end);
                    let between = (try_map(from, value)?, try_map(to, value)?);
                    let form = model.column_type(&column).map(|one| &*one.form);
                    let ranges = form.and_then(|form| ranges_of(form, between));
                    let ranges = ranges.ok_or_else(|| unselected(field, "a range"))?;
                    selection.require(ColumnTest::in_ranges(&column, ranges));
                }
            }
            Ok(())
        })
    }

    /// Events whose key field is a text with this prefix.
    pub fn starts_with(self, field: &str, prefix: &str) -> Self {
        self.changed(|model, selection| match model.field(field)? {
            Field::Segment(at, segment) if segment.kind == crate::key::SegmentKind::String => {
                selection.select(at, SegmentSelection::Prefix(prefix.to_owned()));
                Ok(())
            }
            _ => Err(unselected(field, "a prefix")),
        })
    }

    /// Events that also meet this condition on their columns.
    pub fn matching(mut self, test: ColumnTest) -> Self {
        self.selection.require(test);
        self
    }

    /// Reads only these columns, run-time columns by their names, `family:qualifier`; the key's
    /// fields always come with an event.
    pub fn columns<'f>(self, fields: impl IntoIterator<Item = &'f str>) -> Self {
        self.changed(|model, selection| {
            let (mut columns, mut entries) = (Vec::new(), Vec::new());
            for field in fields {
                match model.named(field)? {
                    Named::Segment(..) => {}
                    Named::Column(ColumnId::Declared(at)) => columns.push(at),
                    Named::Column(ColumnId::Entry(map, name)) => entries.push((map, name)),
                }
            }
            selection.columns = Some(columns);
            selection.entries = entries;
            Ok(())
        })
    }

    /// At most this many events.
    pub fn limit(mut self, events: u64) -> Self {
        self.selection.limit = Some(events);
        self
    }

    /// Newest first, or last key first if results are not in order of time.
    pub fn newest_first(mut self) -> Self {
        self.selection.descending = true;
        self
    }

    /// Results in order of the row keys: one scan for any number of series.
    pub fn in_key_order(mut self) -> Self {
        self.order = Some(Order::Key);
        self
    }

    /// Allows the query to read the whole table.
    pub fn scan(mut self) -> Self {
        self.selection.full_scan = true;
        self
    }

    /// Reads expired cells too, like [`with_expired`](crate::query::Query::with_expired).
    pub fn with_expired(mut self) -> Self {
        self.selection.with_expired = true;
        self
    }

    /// How to handle rows that do not fit the model.
    pub fn on_bad_row(mut self, bad_rows: impl Into<BadRows>) -> Self {
        self.bad_rows = bad_rows.into();
        self
    }

    /// The query as data.
    ///
    /// # Errors
    /// [`Error::ByName`] for a mistake in the calls that made it, and if only the program with the
    /// struct can read the model's events.
    pub fn selection(&self) -> Result<Selection, Error> {
        if let Some(refused) = &self.refused {
            return Err(self.model.refused(refused.clone()));
        }
        self.model.check_reads()?;
        let schema = self.model.schema();
        let selection = Selection {
            order: self
                .order
                .unwrap_or_else(|| self.selection.order_by_segments(schema)),
            ..self.selection.clone()
        };
        Ok(selection.with_gaps(schema))
    }

    /// What the query would send, without sending anything.
    ///
    /// # Errors
    /// Those of [`selection`](AnyQuery::selection), and [`Error::Query`] like the plan of a typed
    /// query.
    pub fn plan(&self) -> Result<Plan, Error> {
        plan(self.model.schema(), &self.selection()?)
    }

    /// The plan in words, or why the query is refused.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        Explanation::new(self.model.schema(), self.plan())
    }

    async fn start(&self, backend: &dyn Backend) -> Result<QueryEvents, Error> {
        let schema = self.model.shared_schema();
        let selection = self.selection()?;
        let plan = planned(backend, schema, &selection).await?;
        events(backend, schema, plan, &self.bad_rows)
    }

    /// At least `least` of the events that follow, or all of them up to an error, with the columns
    /// asked for; and the error. It has more only where a row of blocks is taken whole.
    async fn batch(&self, found: &mut QueryEvents, least: usize) -> (EventBatch, Option<Error>) {
        let asked = self.selection.columns.as_deref();
        let read = |row: &RowEvents, index| {
            row.check_place(index)?;
            Fields::read(&self.model, row, index, &self.selection)
        };
        let mut batch = EventBatch::new(&self.model);
        while batch.len() < least
            && let Some(event) = found.next(read).await
        {
            match event {
                Ok(event) => batch.add(event),
                Err(error) => return (batch, Some(error)),
            }
            found.take_run(least - batch.len(), |row, events| {
                batch.add_run(row, events, asked)
            });
        }
        (batch, None)
    }

    fn changed(
        mut self,
        change: impl FnOnce(&AnyModel, &mut Selection) -> Result<(), ModelError>,
    ) -> Self {
        if let Err(error) = change(&self.model, &mut self.selection) {
            self.refused.get_or_insert(error);
        }
        self
    }

    /// The schema, and a check of events whose fields are not read.
    fn checked(
        &self,
    ) -> (
        &Schema,
        impl Fn(&RowEvents, usize) -> Result<(), Error> + use<>,
    ) {
        let schema = self.model.shared_schema();
        let own = schema.clone();
        (schema, move |row, index| row.check_key_of(&own, index))
    }
}

impl Fetched for AnyQuery {
    type Output = EventBatch;

    fn fetched(&self, backend: Arc<dyn Backend>) -> BoxFuture<'static, Result<EventBatch, Error>> {
        let query = self.clone();
        Box::pin(async move {
            let mut found = query.start(&*backend).await?;
            let (batch, error) = query.batch(&mut found, usize::MAX).await;
            error.map_or(Ok(batch), Err)
        })
    }
}

/// Results come in batches of 1,000 events. A packed row that a single scan reads in ascending
/// order comes whole, so its batch may have more. An error comes after the events before it, and
/// the stream goes on after a row that does not fit the model.
impl Streamed for AnyQuery {
    type Output = BoxStream<'static, Result<EventBatch, Error>>;

    fn streamed(&self, backend: &dyn Backend) -> Self::Output {
        let (query, backend) = (self.clone(), backend.handle());
        let started = async move {
            let found = query.start(&*backend).await;
            found.map(|found| (query, found, None))
        };
        stream::once(started).map_ok(batches).try_flatten().boxed()
    }
}

/// The batches of a query that has begun, and the error that follows its last batch.
fn batches(
    begun: (AnyQuery, QueryEvents, Option<Error>),
) -> impl Stream<Item = Result<EventBatch, Error>> {
    stream::unfold(begun, |(query, mut found, error)| async {
        if let Some(error) = error {
            return Some((Err(error), (query, found, None)));
        }
        let (batch, error) = query.batch(&mut found, BATCH).await;
        match batch.is_empty() {
            true => error.map(|error| (Err(error), (query, found, None))),
            false => Some((Ok(batch), (query, found, error))),
        }
    })
}

impl Counted for AnyQuery {
    fn counted(&self, backend: Arc<dyn Backend>) -> BoxFuture<'static, Result<u64, Error>> {
        let query = self.clone();
        Box::pin(async move {
            let (schema, check) = query.checked();
            let selection = query.selection()?;
            count(&*backend, schema, selection, &query.bad_rows, &check).await
        })
    }

    fn costed(&self, backend: Arc<dyn Backend>) -> BoxFuture<'static, Result<Cost, Error>> {
        let query = self.clone();
        Box::pin(async move {
            let (schema, check) = query.checked();
            let selection = query.selection()?;
            cost(&*backend, schema, &selection, &query.bad_rows, &check).await
        })
    }
}

fn unselected(field: &str, by: &'static str) -> ModelError {
    ModelError::Selection {
        field: field.to_owned(),
        by,
    }
}
