//! As-of joins, with the event of another series that was valid at a time.

use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::TryStream;

use crate::{Error, Timestamp};

use super::sides::{Side, apart};
use crate::series::results::{Pull, Pulled};

/// Which event of the other series is valid at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AsOf {
    /// The last event that is not later.
    Backward,
    /// The first event that is not earlier.
    Forward,
    /// The nearer of the two; if both are equally near, the earlier.
    Nearest,
}

/// An event, and the event of another series that was valid at its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Joined<L, R> {
    /// The time of the event.
    pub at: Timestamp,
    /// The event.
    pub left: L,
    /// The valid event, if there is one within the tolerance.
    pub right: Option<R>,
}

/// The join of two streams.
pub(in crate::series) struct AsOfJoin<S: TryStream, T, R: TryStream, U> {
    left: Side<S, T>,
    right: Side<R, U>,
    /// The time of the last event on the right that is not later than the left event, with the
    /// first and the last event of that time.
    valid: Option<(Timestamp, R::Ok, R::Ok)>,
    direction: AsOf,
    tolerance: Duration,
}

impl<S, T, R, U> AsOfJoin<S, T, R, U>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
    R: TryStream<Error = Error, Ok: Clone> + Unpin,
    U: Fn(&R::Ok) -> Timestamp,
{
    pub(in crate::series) fn new(
        left: (S, T),
        right: (R, U),
        direction: AsOf,
        tolerance: Duration,
    ) -> Self {
        Self {
            left: Side::new(left.0, left.1),
            right: Side::new(right.0, right.1),
            valid: None,
            direction,
            tolerance,
        }
    }

    /// The event on the right that is valid at a time, once all events that are not later have been
    /// taken.
    fn find(&self, at: Timestamp) -> Option<R::Ok> {
        let is_near = |time: Timestamp| apart(at, time) <= self.tolerance.as_micros();
        let valid = self.valid.as_ref().filter(|(time, ..)| is_near(*time));
        let before = valid.map(|(time, _, last)| (*time, last));
        let after = match valid {
            Some((time, first, _)) if *time == at => Some((*time, first)),
            _ => self.right.peek().map(|(time, event)| (*time, event)),
        };
        let after = after.filter(|(time, _)| is_near(*time));
        let found = match (self.direction, before, after) {
            (AsOf::Backward, before, _) => before,
            (AsOf::Forward, _, after) => after,
            (AsOf::Nearest, Some(before), Some(after)) => {
                let is_later_nearer = apart(after.0, at) < apart(at, before.0);
                Some(if is_later_nearer { after } else { before })
            }
            (AsOf::Nearest, before, after) => before.or(after),
        };
        found.map(|(_, event)| event.clone())
    }
}

// No field is structurally pinned: the streams are `Unpin` when they are polled.
impl<S: TryStream, T, R: TryStream, U> Unpin for AsOfJoin<S, T, R, U> {}

impl<S, T, R, U> Pull for AsOfJoin<S, T, R, U>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
    R: TryStream<Error = Error, Ok: Clone> + Unpin,
    U: Fn(&R::Ok) -> Timestamp,
{
    type Item = Joined<S::Ok, R::Ok>;

    fn pull(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Self::Item, Pulled>>> {
        if let Err(error) = ready!(self.left.poll(context)) {
            return Poll::Ready(Some(Err(error)));
        }
        let Some(at) = self.left.head() else {
            return Poll::Ready(None);
        };
        loop {
            if let Err(error) = ready!(self.right.poll(context)) {
                return Poll::Ready(Some(Err(error)));
            }
            if self.right.head().is_none_or(|time| at < time) {
                break;
            }
            if let Some((time, event)) = self.right.take() {
                match &mut self.valid {
                    Some((valid, _, last)) if *valid == time => *last = event,
                    valid => *valid = Some((time, event.clone(), event)),
                }
            }
        }
        let right = self.find(at);
        let left = self.left.take();
        Poll::Ready(left.map(|(at, left)| Ok(Joined { at, left, right })))
    }
}
