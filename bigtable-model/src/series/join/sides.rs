//! One side of a join.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::TryStream;

use crate::error::SeriesError;
use crate::{Error, Timestamp};

use crate::series::results::Pulled;

/// A stream of events with times, and its next event.
pub(super) struct Side<S: TryStream, T> {
    feed: S,
    time: T,
    head: Option<(Timestamp, S::Ok)>,
    last: Timestamp,
    drained: bool,
}

impl<S, T> Side<S, T>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
{
    pub(super) const fn new(feed: S, time: T) -> Self {
        Self {
            feed,
            time,
            head: None,
            last: Timestamp::MIN,
            drained: false,
        }
    }

    /// Waits for the next event; [`head`](Side::head) then has its time, unless the stream has
    /// ended.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Pulled>> {
        if self.head.is_some() || self.drained {
            return Poll::Ready(Ok(()));
        }
        match ready!(Pin::new(&mut self.feed).try_poll_next(context)) {
            Some(Ok(event)) => {
                let at = (self.time)(&event);
                if at < self.last {
                    let error = SeriesError::Unordered {
                        at,
                        after: self.last,
                        series: None,
                    };
                    return Poll::Ready(Err(Pulled::Own(error.into())));
                }
                self.last = at;
                self.head = Some((at, event));
            }
            Some(Err(error)) => return Poll::Ready(Err(Pulled::Feed(error))),
            None => self.drained = true,
        }
        Poll::Ready(Ok(()))
    }

    /// The time of the next event.
    pub(super) fn head(&self) -> Option<Timestamp> {
        self.head.as_ref().map(|(at, _)| *at)
    }

    /// Takes the next event.
    pub(super) const fn take(&mut self) -> Option<(Timestamp, S::Ok)> {
        self.head.take()
    }

    /// The next event.
    pub(super) const fn peek(&self) -> Option<&(Timestamp, S::Ok)> {
        self.head.as_ref()
    }
}

/// The distance of two times in microseconds.
pub(super) fn apart(one: Timestamp, other: Timestamp) -> u128 {
    (i128::from(one.as_micros()) - i128::from(other.as_micros())).unsigned_abs()
}
