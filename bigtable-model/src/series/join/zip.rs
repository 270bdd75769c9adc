//! Pairs of events of two series.

use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::TryStream;

use crate::{Error, Timestamp};

use super::sides::{Side, apart};
use crate::series::results::{Pull, Pulled};

/// Two events with nearby times, or a single event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zipped<L, R> {
    /// An event of each series.
    Both(L, R),
    /// An event of the first series.
    Left(L),
    /// An event of the second series.
    Right(R),
}

/// Two streams side by side.
pub(in crate::series) struct Zip<S: TryStream, T, R: TryStream, U> {
    left: Side<S, T>,
    right: Side<R, U>,
    tolerance: Duration,
}

impl<S, T, R, U> Zip<S, T, R, U>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
    R: TryStream<Error = Error> + Unpin,
    U: Fn(&R::Ok) -> Timestamp,
{
    pub(in crate::series) fn new(left: (S, T), right: (R, U), tolerance: Duration) -> Self {
        Self {
            left: Side::new(left.0, left.1),
            right: Side::new(right.0, right.1),
            tolerance,
        }
    }
}

// No field is structurally pinned: the streams are `Unpin` when they are polled.
impl<S: TryStream, T, R: TryStream, U> Unpin for Zip<S, T, R, U> {}

impl<S, T, R, U> Pull for Zip<S, T, R, U>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
    R: TryStream<Error = Error> + Unpin,
    U: Fn(&R::Ok) -> Timestamp,
{
    type Item = Zipped<S::Ok, R::Ok>;

    fn pull(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Self::Item, Pulled>>> {
        if let Err(error) = ready!(self.left.poll(context)) {
            return Poll::Ready(Some(Err(error)));
        }
        if let Err(error) = ready!(self.right.poll(context)) {
            return Poll::Ready(Some(Err(error)));
        }
        let (takes_left, takes_right) = match (self.left.head(), self.right.head()) {
            (Some(left), Some(right)) if apart(left, right) <= self.tolerance.as_micros() => {
                (true, true)
            }
            (Some(left), Some(right)) => (left < right, right < left),
            (left, right) => (left.is_some(), right.is_some()),
        };
        let left = takes_left.then(|| self.left.take()).flatten();
        let right = takes_right.then(|| self.right.take()).flatten();
        Poll::Ready(match (left, right) {
            (Some((_, left)), Some((_, right))) => Some(Ok(Zipped::Both(left, right))),
            (Some((_, left)), None) => Some(Ok(Zipped::Left(left))),
            (None, Some((_, right))) => Some(Ok(Zipped::Right(right))),
            (None, None) => None,
        })
    }
}
