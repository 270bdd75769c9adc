//! The streams that operations on series give.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::{Stream, StreamExt as _, TryStream, TryStreamExt as _};

use crate::{Error, Timestamp};

/// What an operation on a series gives, one by one; nothing is read before the first is asked for.
///
/// An error of the stream that feeds it is handed on, and the operation goes on with what follows.
/// After an error of its own, such as [`SeriesError::Unordered`](super::SeriesError::Unordered), it
/// ends.
#[must_use = "nothing is read before the stream is polled"]
pub struct Results<P> {
    pull: P,
    over: bool,
}

/// What [`Results`] are pulled from. The operations of this module implement it.
pub trait Pull: Unpin {
    /// A result.
    type Item;

    #[doc(hidden)]
    fn pull(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Self::Item, Pulled>>>;
}

/// An error, and whose.
#[derive(Debug)]
pub enum Pulled {
    /// Of the stream that feeds the operation.
    Feed(Error),
    /// The operation's own.
    Own(Error),
}

impl<P: Pull> Results<P> {
    pub(super) const fn new(pull: P) -> Self {
        Self { pull, over: false }
    }

    /// The next result; `None` at the end.
    ///
    /// # Errors
    /// Those of the stream that feeds it, and [`Error::Series`].
    pub async fn try_next(&mut self) -> Result<Option<P::Item>, Error> {
        self.next().await.transpose()
    }

    /// All results; the first error ends it.
    ///
    /// # Errors
    /// The first of [`try_next`](Results::try_next).
    pub async fn fetch(self) -> Result<Vec<P::Item>, Error> {
        self.try_collect().await
    }
}

impl<P: Pull> Stream for Results<P> {
    type Item = Result<P::Item, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.over {
            return Poll::Ready(None);
        }
        let next = ready!(this.pull.pull(context));
        this.over = matches!(next, None | Some(Err(Pulled::Own(_))));
        Poll::Ready(next.map(|next| {
            next.map_err(|error| match error {
                Pulled::Feed(error) | Pulled::Own(error) => error,
            })
        }))
    }
}

impl<P> fmt::Debug for Results<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Results").finish_non_exhaustive()
    }
}

/// An operation on one stream, event by event.
pub(super) trait Machine<E> {
    /// A result.
    type Item;

    /// A result that comes before an event is taken; asked again until there is none.
    fn before(&mut self, at: Timestamp, event: &E) -> Result<Option<Self::Item>, Error>;

    /// Takes the event, which may make a result.
    fn take(&mut self, at: Timestamp, event: E) -> Result<Option<Self::Item>, Error>;

    /// A result that is left when there are no more events; asked again until there is none.
    fn end(&mut self) -> Result<Option<Self::Item>, Error>;
}

/// A machine fed by a stream.
pub(super) struct Fed<S: TryStream, T, M> {
    feed: S,
    time: T,
    machine: M,
    /// The event that is next, while results come before it.
    waiting: Option<(Timestamp, S::Ok)>,
    drained: bool,
}

impl<S: TryStream, T, M> Fed<S, T, M> {
    pub(super) const fn new(feed: S, time: T, machine: M) -> Self {
        Self {
            feed,
            time,
            machine,
            waiting: None,
            drained: false,
        }
    }
}

// No field is pinned where it stands: the feed is polled only where it can be moved.
impl<S: TryStream, T, M> Unpin for Fed<S, T, M> {}

impl<S, T, M> Pull for Fed<S, T, M>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
    M: Machine<S::Ok>,
{
    type Item = M::Item;

    fn pull(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<M::Item, Pulled>>> {
        loop {
            if self.drained {
                return Poll::Ready(self.machine.end().map_err(Pulled::Own).transpose());
            }
            let (at, event) = match self.waiting.take() {
                Some(waiting) => waiting,
                None => match ready!(Pin::new(&mut self.feed).try_poll_next(context)) {
                    Some(Ok(event)) => ((self.time)(&event), event),
                    Some(Err(error)) => return Poll::Ready(Some(Err(Pulled::Feed(error)))),
                    None => {
                        self.drained = true;
                        continue;
                    }
                },
            };
            let made = match self.machine.before(at, &event) {
                Ok(None) => self.machine.take(at, event),
                made => {
                    self.waiting = Some((at, event));
                    made
                }
            };
            if let Some(made) = made.map_err(Pulled::Own).transpose() {
                return Poll::Ready(Some(made));
            }
        }
    }
}
