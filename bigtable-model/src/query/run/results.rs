//! The streams of a query's results.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::future::BoxFuture;
use futures::{Stream, StreamExt as _};

use super::execute::{QueryEvents, events};
use super::start::planned;
use crate::Error;
use crate::backend::Backend;
use crate::model::{Model, Projection, RowEvents, Schema};
use crate::query::plan::planner::plan_known;
use crate::query::plan::united::need_list;
use crate::query::{BadRows, Selection};

/// The results of a query, in order `O`: [`ByTime`](crate::query::ByTime),
/// [`ByKey`](crate::query::ByKey) or [`Unordered`](crate::query::Unordered).
///
/// It borrows nothing. Dropping it cancels reads in flight. A row, event or cell that does not fit
/// the model is one error: the stream continues after it, and it does not count towards a limit.
/// [`Query::on_bad_row`](crate::query::Query::on_bad_row) skips them. After an error of the backend
/// the stream ends.
#[must_use = "nothing is read before the stream is polled"]
pub struct EventStream<P, O> {
    events: Events,
    results: PhantomData<fn() -> (P, O)>,
}

/// The state of a stream.
enum Events {
    Running(QueryEvents),
    /// Listing the tables that the plan needs.
    Listing(BoxFuture<'static, Result<QueryEvents, Error>>),
    /// There is no plan; the error is returned once.
    Refused(Option<Error>),
}

impl Events {
    fn of(
        backend: &dyn Backend,
        schema: &'static Schema,
        selection: &Selection,
        bad_rows: &BadRows,
    ) -> Self {
        if !need_list(schema, selection) {
            let plan = plan_known(schema, selection, None);
            return Self::from(plan.and_then(|plan| events(backend, schema, plan, bad_rows)));
        }
        let backend = backend.handle();
        let (selection, bad_rows) = (selection.clone(), bad_rows.clone());
        Self::Listing(Box::pin(async move {
            let plan = planned(&*backend, schema, &selection).await?;
            events(&*backend, schema, plan, &bad_rows)
        }))
    }
}

impl From<Result<QueryEvents, Error>> for Events {
    fn from(started: Result<QueryEvents, Error>) -> Self {
        match started {
            Ok(events) => Self::Running(events),
            Err(error) => Self::Refused(Some(error)),
        }
    }
}

impl<P: Projection, O> EventStream<P, O> {
    pub(crate) fn of(backend: &dyn Backend, selection: &Selection, bad_rows: &BadRows) -> Self {
        Self::at(Events::of(backend, P::Model::SCHEMA, selection, bad_rows))
    }

    /// The stream of a plan that is already made.
    pub(in crate::query) fn of_events(events: Result<QueryEvents, Error>) -> Self {
        Self::at(Events::from(events))
    }

    /// The stream of a plan that is made at the first poll.
    pub(in crate::query) fn begun(events: BoxFuture<'static, Result<QueryEvents, Error>>) -> Self {
        Self::at(Events::Listing(events))
    }

    fn at(events: Events) -> Self {
        Self {
            events,
            results: PhantomData,
        }
    }

    /// The tables by period that the stream found missing so far, in order. A missing table is not
    /// an error: it has no events.
    #[must_use]
    pub fn missing_tables(&self) -> Vec<String> {
        match &self.events {
            Events::Running(events) => events.missing_tables(),
            Events::Listing(_) | Events::Refused(_) => Vec::new(),
        }
    }

    /// The next result; `None` at the end.
    ///
    /// # Errors
    /// [`Error::Query`] for a query that cannot be planned, [`Error::Backend`] if a read fails;
    /// [`Error::ForeignKey`], [`Error::MissingColumn`], [`Error::BadCell`] or
    /// [`Error::ForeignCell`] for a row or an event that does not fit the model.
    pub async fn try_next(&mut self) -> Result<Option<P>, Error> {
        self.next().await.transpose()
    }
}

impl<P: Projection, O> Stream for EventStream<P, O> {
    type Item = Result<P, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let state = &mut self.get_mut().events;
        if let Events::Listing(listing) = state {
            *state = Events::from(ready!(listing.as_mut().poll(context)));
        }
        let events = match state {
            Events::Running(events) => events,
            Events::Listing(_) => return Poll::Pending,
            Events::Refused(error) => return Poll::Ready(error.take().map(Err)),
        };
        events.poll_next(RowEvents::read::<P>, context)
    }
}

/// The stream has no pointers into itself.
impl<P, O> Unpin for EventStream<P, O> {}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running(_) => f.write_str("Running"),
            Self::Listing(_) => f.write_str("Listing"),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl<P, O> fmt::Debug for EventStream<P, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("events", &self.events)
            .finish_non_exhaustive()
    }
}
