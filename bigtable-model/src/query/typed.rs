//! Typed queries and the streams of their results.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::{Stream, StreamExt as _, TryStreamExt as _};

use super::execute::QueryRows;
use super::state::{Open, QueryState, ResultOrder, TimeOrder};
use super::{Explanation, FullScan, Plan, SegmentSelection, Selection, plan, rows};
use crate::Error;
use crate::backend::Backend;
use crate::data::Row;
use crate::model::{FieldUse, Model, Projection, RowReader};

/// A query of model `M` in state `S` that reads values of `P`.
///
/// Generated query types, such as `QuoteQuery`, have a setter for each segment of the row key and dereference to this
/// type. Running a query does not use it up.
pub struct Query<M, S, P> {
    selection: Selection,
    types: Types<M, S, P>,
}

/// What a query is about; it holds none of them.
type Types<M, S, P> = PhantomData<fn() -> (M, S, P)>;

impl<M, P> Query<M, Open<0>, P> {
    #[doc(hidden)]
    #[must_use]
    #[allow(
        clippy::new_without_default,
        reason = "queries begin with `Model::query`"
    )]
    pub fn new() -> Self {
        Self::of(Selection::default())
    }
}

/// What generated setters and options call.
#[doc(hidden)]
impl<M, S, P> Query<M, S, P> {
    fn of(selection: Selection) -> Self {
        Self {
            selection,
            types: PhantomData,
        }
    }

    pub fn __set<Next>(mut self, segment: SegmentSelection) -> Query<M, Next, P> {
        self.selection.segments.push(segment);
        Query::of(self.selection)
    }

    pub fn __limit(mut self, events: u64) -> Self {
        self.selection.limit = Some(events);
        self
    }

    pub fn __descending(mut self) -> Self {
        self.selection.descending = true;
        self
    }

    pub fn __max_scans(mut self, scans: usize) -> Self {
        self.selection.max_scans = scans;
        self
    }

    pub fn __scan(mut self) -> Query<M, FullScan, P> {
        self.selection.full_scan = true;
        Query::of(self.selection)
    }

    pub fn __select<Q>(self) -> Query<M, S, Q> {
        Query::of(self.selection)
    }
}

impl<M: Model, S, P: Projection<Model = M>> Query<M, S, P> {
    /// The query as data, with the order that its state has and the columns that `P` reads.
    #[must_use]
    pub fn selection(&self) -> Selection
    where
        S: QueryState<M>,
    {
        Selection {
            columns: P::USES.and_then(columns),
            order: S::Order::ORDER,
            ..self.selection.clone()
        }
    }

    /// What the query will send. Nothing is sent.
    ///
    /// # Errors
    /// [`Error::Query`] when a value can't stand in its segment, or the query would run more scans than allowed.
    pub fn plan(&self) -> Result<Plan, Error>
    where
        S: QueryState<M>,
    {
        plan(M::SCHEMA, &self.selection())
    }

    /// The plan in words, or why the query is refused.
    #[must_use]
    pub fn explain(&self) -> Explanation
    where
        S: QueryState<M>,
    {
        Explanation::new(M::SCHEMA, self.plan())
    }

    /// Runs the query; results come one by one, and nothing is sent before the first is asked for.
    pub fn stream(&self, backend: &dyn Backend) -> EventStream<P, S::Order>
    where
        S: QueryState<M>,
    {
        EventStream::of(backend, &self.selection())
    }

    /// Runs the query and collects its results.
    ///
    /// # Errors
    /// The first error of [`stream`](Query::stream).
    pub async fn fetch(&self, backend: &dyn Backend) -> Result<Vec<P>, Error>
    where
        S: QueryState<M>,
    {
        self.stream(backend).try_collect().await
    }

    /// How many events the query selects. Keys are read, values are not.
    ///
    /// # Errors
    /// The first error of [`stream`](Query::stream).
    pub async fn count(&self, backend: &dyn Backend) -> Result<u64, Error>
    where
        S: QueryState<M>,
    {
        let selection = Selection {
            keys_only: true,
            ..self.selection()
        };
        let rows = start::<M>(backend, &selection)?;
        rows.try_fold(0, |count, _| async move { Ok(count + 1) })
            .await
    }

    /// The newest `n` events, newest first.
    ///
    /// # Errors
    /// The first error of [`stream`](Query::stream).
    pub async fn latest(&self, n: u64, backend: &dyn Backend) -> Result<Vec<P>, Error>
    where
        S: QueryState<M>,
        S::Order: TimeOrder,
    {
        let selection = self.selection();
        let selection = Selection {
            descending: true,
            limit: Some(selection.limit.map_or(n, |limit| limit.min(n))),
            ..selection
        };
        let stream: EventStream<P, S::Order> = EventStream::of(backend, &selection);
        stream.try_collect().await
    }
}

/// The columns that a projection reads; none when it needs whole rows for their run-time columns.
fn columns(uses: &'static [FieldUse]) -> Option<Vec<usize>> {
    let mut columns = Vec::new();
    for one in uses {
        match one {
            FieldUse::Key => {}
            FieldUse::Column(index) => columns.push(*index),
            FieldUse::Map => return None,
        }
    }
    Some(columns)
}

fn start<M: Model>(backend: &dyn Backend, selection: &Selection) -> Result<QueryRows, Error> {
    let plan = plan(M::SCHEMA, selection)?;
    let presence = M::SCHEMA.presence_column();
    Ok(rows(backend, M::SCHEMA, plan, move |row: &Row| {
        presence.is_some_and(|(family, qualifier)| {
            let mut cells = row.cells.iter();
            cells.any(|cell| cell.qualifier == qualifier.as_bytes() && cell.family == *family)
        })
    }))
}

impl<M, S, P> Clone for Query<M, S, P> {
    fn clone(&self) -> Self {
        Self::of(self.selection.clone())
    }
}

impl<M, S, P> fmt::Debug for Query<M, S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Query").field(&self.selection).finish()
    }
}

/// The results of a query, in order `O`: [`ByTime`](super::ByTime) or [`ByKey`](super::ByKey).
///
/// It borrows nothing. Dropping it cancels the reads under way. A row whose columns are not what the model writes is an
/// error of that row: the stream goes on behind it. After an error of the backend it ends, and so does one that merges
/// several series at a row whose key is not the model's.
#[must_use = "nothing is read before the stream is polled"]
pub struct EventStream<P, O> {
    rows: Result<QueryRows, Option<Error>>,
    reader: RowReader<P>,
    order: PhantomData<fn() -> O>,
}

impl<P: Projection, O> EventStream<P, O> {
    fn of(backend: &dyn Backend, selection: &Selection) -> Self {
        Self {
            rows: start::<P::Model>(backend, selection).map_err(Some),
            reader: RowReader::new(),
            order: PhantomData,
        }
    }

    /// The next result; `None` at the end.
    ///
    /// # Errors
    /// [`Error::Query`] for a query that can't be planned, [`Error::Backend`] when a read fails, and the errors of
    /// [`RowReader::read`].
    pub async fn try_next(&mut self) -> Result<Option<P>, Error> {
        self.next().await.transpose()
    }
}

impl<P: Projection, O> Stream for EventStream<P, O> {
    type Item = Result<P, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let stream = self.get_mut();
        let rows = match &mut stream.rows {
            Ok(rows) => rows,
            Err(error) => return Poll::Ready(error.take().map(Err)),
        };
        loop {
            let row = match std::task::ready!(rows.poll_next_unpin(context)) {
                Some(Ok(row)) => row,
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            };
            if let Some(read) = stream.reader.read(&row).transpose() {
                return Poll::Ready(Some(read));
            }
        }
    }
}

impl<P, O> fmt::Debug for EventStream<P, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}
