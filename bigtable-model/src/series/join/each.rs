//! As-of joins of many series at once.

use std::collections::BTreeMap;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::TryStream;

use crate::series::grid::refused;
use crate::series::results::{Pull, Pulled};
use crate::{Error, Timestamp};

use super::asof::{AsOf, Joined};
use super::sides::{Side, apart};

/// Joins each series of a stream with the series of the same name in another stream.
pub(in crate::series) struct EachAsOf<S: TryStream, T, F, R: TryStream, U, G, K> {
    left: (Side<S, T>, F),
    right: (Side<R, U>, G),
    /// The last event of each series on the right that is not later than the left event.
    valid: BTreeMap<K, (Timestamp, R::Ok)>,
    direction: AsOf,
    tolerance: Duration,
}

impl<S, T, F, R, U, G, K> EachAsOf<S, T, F, R, U, G, K>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
    R: TryStream<Error = Error, Ok: Clone> + Unpin,
    U: Fn(&R::Ok) -> Timestamp,
{
    pub(in crate::series) fn new(
        left: (S, T, F),
        right: (R, U, G),
        direction: AsOf,
        tolerance: Duration,
    ) -> Self {
        Self {
            left: (Side::new(left.0, left.1), left.2),
            right: (Side::new(right.0, right.1), right.2),
            valid: BTreeMap::new(),
            direction,
            tolerance,
        }
    }
}

// No field is structurally pinned: the streams are `Unpin` when they are polled.
impl<S: TryStream, T, F, R: TryStream, U, G, K> Unpin for EachAsOf<S, T, F, R, U, G, K> {}

impl<S, T, F, R, U, G, K> Pull for EachAsOf<S, T, F, R, U, G, K>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
    F: Fn(&S::Ok) -> K,
    R: TryStream<Error = Error, Ok: Clone> + Unpin,
    U: Fn(&R::Ok) -> Timestamp,
    G: Fn(&R::Ok) -> K,
    K: Ord,
{
    type Item = Joined<S::Ok, R::Ok>;

    fn pull(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Self::Item, Pulled>>> {
        if self.direction != AsOf::Backward {
            let reason = "an event would wait for the next one of its series: join each series by itself, or `AsOf::Backward`";
            let error = refused("an as-of join of many series with later events", reason);
            return Poll::Ready(Some(Err(Pulled::Own(error.into()))));
        }
        let ((left, of_left), (right, of_right)) = (&mut self.left, &mut self.right);
        if let Err(error) = ready!(left.poll(context)) {
            return Poll::Ready(Some(Err(error)));
        }
        let Some(at) = left.head() else {
            return Poll::Ready(None);
        };
        loop {
            if let Err(error) = ready!(right.poll(context)) {
                return Poll::Ready(Some(Err(error)));
            }
            if right.head().is_none_or(|time| at < time) {
                break;
            }
            if let Some((time, event)) = right.take() {
                self.valid.insert(of_right(&event), (time, event));
            }
        }
        Poll::Ready(left.take().map(|(at, left)| {
            let valid = self.valid.get(&of_left(&left));
            let near = valid.filter(|(time, _)| apart(at, *time) <= self.tolerance.as_micros());
            let right = near.map(|(_, event)| event.clone());
            Ok(Joined { at, left, right })
        }))
    }
}
