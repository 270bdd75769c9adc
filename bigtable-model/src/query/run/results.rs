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
use crate::model::{Model, Projection};
use crate::query::Selection;
use crate::query::plan::planner::plan_known;
use crate::query::plan::tables::need_list;

/// The results of a query, in order `O`: [`ByTime`](crate::query::ByTime), [`ByKey`](crate::query::ByKey) or
/// [`Unordered`](crate::query::Unordered).
///
/// It borrows nothing. Dropping it cancels the reads under way. An event whose columns are not what the model writes, and a row whose
/// key is not the model's, is one error: the stream goes on behind it. After an error of the backend it ends.
#[must_use = "nothing is read before the stream is polled"]
pub struct EventStream<P, O> {
    events: Events,
    types: PhantomData<fn() -> (P, O)>,
}

/// What a stream is at.
enum Events {
    Running(QueryEvents),
    /// Asking which tables there are, without which there is no plan.
    Listing(BoxFuture<'static, Result<QueryEvents, Error>>),
    /// There is no plan; the error is handed out once.
    Refused(Option<Error>),
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
    pub(crate) fn of(backend: &dyn Backend, selection: &Selection) -> Self {
        let schema = P::Model::SCHEMA;
        if !need_list(schema, selection) {
            return Self::over(backend, selection, None);
        }
        let (backend, selection) = (backend.handle(), selection.clone());
        Self::at(Events::Listing(Box::pin(async move {
            let plan = planned(&*backend, schema, &selection).await?;
            events(&*backend, schema, plan)
        })))
    }

    /// With the tables that there are, where they were listed.
    pub(in crate::query) fn over(
        backend: &dyn Backend,
        selection: &Selection,
        live: Option<&[String]>,
    ) -> Self {
        let schema = P::Model::SCHEMA;
        let plan = plan_known(schema, selection, live);
        Self::at(Events::from(
            plan.and_then(|plan| events(backend, schema, plan)),
        ))
    }

    /// Of a plan that is at hand.
    pub(in crate::query) fn of_events(events: Result<QueryEvents, Error>) -> Self {
        Self::at(Events::from(events))
    }

    /// Of a plan that is made when it is polled.
    pub(in crate::query) fn begun(
        events: impl Future<Output = Result<QueryEvents, Error>> + Send + 'static,
    ) -> Self {
        Self::at(Events::Listing(Box::pin(events)))
    }

    fn at(events: Events) -> Self {
        Self {
            events,
            types: PhantomData,
        }
    }

    /// The tables by period that the stream found missing so far, in order; at its end those of all that it looked into. That a
    /// table is missing is no error: its events are none.
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
    /// [`Error::Query`] for a query that can't be planned, [`Error::Backend`] when a read fails, and the errors of
    /// [`RowEvents::read`](crate::model::RowEvents::read).
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
        let next = ready!(events.poll_next(context));
        Poll::Ready(match (next, events.current()) {
            (Some(Ok(())), Some((row, index))) => {
                Some(row.read(index).map_err(|error| events.in_table(error)))
            }
            (Some(Err(error)), _) => Some(Err(error)),
            (None | Some(Ok(())), _) => None,
        })
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running(events) => events.fmt(f),
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
