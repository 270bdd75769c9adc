//! The streams that operations on series return.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::{Stream, StreamExt as _, TryStream, TryStreamExt as _};

use crate::{Error, Timestamp};

/// The results of an operation on a series; nothing is read before the first is polled.
///
/// An error of the source stream is passed on, and the operation continues. After its own error,
/// such as [`SeriesError::Unordered`](super::SeriesError::Unordered), it ends.
#[must_use = "nothing is read before the stream is polled"]
pub struct Results<P> {
    pull: P,
    over: bool,
}

/// The source of [`Results`]. The operations of this module implement it.
pub trait Pull: Unpin {
    /// A result.
    type Item;

    #[doc(hidden)]
    fn pull(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Self::Item, Pulled>>>;
}

/// An error and its origin.
#[derive(Debug)]
pub enum Pulled {
    /// From the source stream.
    Feed(Error),
    /// From the operation itself.
    Own(Error),
}

impl<P: Pull> Results<P> {
    pub(super) const fn new(pull: P) -> Self {
        Self { pull, over: false }
    }

    /// The next result; `None` at the end.
    ///
    /// # Errors
    /// Errors of the source stream, and [`Error::Series`].
    pub async fn try_next(&mut self) -> Result<Option<P::Item>, Error> {
        self.next().await.transpose()
    }

    /// All results, or the first error.
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

    /// A result that comes before an event is taken; called until it returns `None`.
    fn before(&mut self, at: Timestamp, event: &E) -> Result<Option<Self::Item>, Error>;

    /// Takes the event, and may return a result.
    fn take(&mut self, at: Timestamp, event: E) -> Result<Option<Self::Item>, Error>;

    /// A result after the last event; called until it returns `None`.
    fn end(&mut self) -> Result<Option<Self::Item>, Error>;
}

/// A machine fed by a stream.
pub(super) struct Fed<S: TryStream, T, M> {
    feed: S,
    time: T,
    machine: M,
    /// The next event, while results come before it.
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

// No field is structurally pinned: the feed is `Unpin` when it is polled.
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
