//! The streams of a query's results.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::{Stream, StreamExt as _};

use super::Selection;
use super::execute::QueryEvents;
use super::typed::start;
use crate::Error;
use crate::backend::Backend;
use crate::model::Projection;

/// The results of a query, in order `O`: [`ByTime`](super::ByTime), [`ByKey`](super::ByKey) or
/// [`Unordered`](super::Unordered).
///
/// It borrows nothing. Dropping it cancels the reads under way. An event whose columns are not what the model writes, and a row whose
/// key is not the model's, is one error: the stream goes on behind it. After an error of the backend it ends.
#[must_use = "nothing is read before the stream is polled"]
pub struct EventStream<P, O> {
    events: Result<QueryEvents, Option<Error>>,
    types: PhantomData<fn() -> (P, O)>,
}

impl<P: Projection, O> EventStream<P, O> {
    pub(crate) fn of(backend: &dyn Backend, selection: &Selection) -> Self {
        Self {
            events: start::<P::Model>(backend, selection).map_err(Some),
            types: PhantomData,
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
        let events = match &mut self.get_mut().events {
            Ok(events) => events,
            Err(error) => return Poll::Ready(error.take().map(Err)),
        };
        let next = ready!(events.poll_next(context));
        Poll::Ready(match (next, events.current()) {
            (Some(Ok(())), Some((row, index))) => Some(row.read(index)),
            (Some(Err(error)), _) => Some(Err(error)),
            (None | Some(Ok(())), _) => None,
        })
    }
}

impl<P, O> fmt::Debug for EventStream<P, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("events", &self.events)
            .finish_non_exhaustive()
    }
}
