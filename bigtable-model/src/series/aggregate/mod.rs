//! Aggregates over the events of a window.

mod folded;
mod sketch;
mod time;
mod tuples;

use crate::Timestamp;
use crate::error::SeriesError;

pub(in crate::series) use folded::{Mean, mean_of};
pub use folded::{Ohlc, count, first, last, max, mean, min, ohlc, std_dev, sum};
pub use sketch::{QUANTILE_ERROR, quantile, quantiles};
pub use time::{increase, rate, time_weighted_mean};

/// An aggregate over the events of a window, computed event by event.
///
/// The functions of this module return aggregates, and a tuple of up to eight aggregates is an
/// aggregate whose output is a tuple. To write your own, define what is kept of the events
/// (`State`), how to add an event to it, and how to merge the states of two consecutive runs of
/// events: overlapping windows are merged from parts.
///
/// ```
/// use bigtable_model::Timestamp;
/// use bigtable_model::series::{self, Aggregate, Frame, Length, SeriesExt as _, Windows};
///
/// /// How often the price went up.
/// struct Rises;
///
/// impl Aggregate<f64> for Rises {
///     /// The number of rises, the first price and the last one.
///     type State = Option<(u64, f64, f64)>;
///     type Output = u64;
///
///     fn start(&self) -> Self::State {
///         None
///     }
///
///     fn add(&self, state: &mut Self::State, _at: Timestamp, price: &f64) {
///         self.merge(state, &Some((0, *price, *price)));
///     }
///
///     fn merge(&self, state: &mut Self::State, later: &Self::State) {
///         *state = match (*state, *later) {
///             (Some((rises, first, last)), Some((more, next, end))) => {
///                 Some((rises + more + u64::from(last < next), first, end))
///             }
///             (one, other) => one.or(other),
///         };
///     }
///
///     fn finish(&self, state: &Self::State, _frame: Frame<'_, Self::State>) -> u64 {
///         state.map_or(0, |(rises, ..)| rises)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_model::Error> {
/// let prices = series::of([(0, 1.0), (1, 3.0), (2, 2.0), (61, 5.0)]);
/// let minutes = prices
///     .timed(|(second, _)| Timestamp::from_seconds(*second))
///     .windows(Windows::tumbling(Length::minutes(1)))
///     .aggregate(series::of_value(|(_, price): &(i64, f64)| *price, Rises));
/// let rises: Vec<u64> = minutes.fetch().await?.into_iter().map(|minute| minute.value).collect();
/// assert_eq!(rises, [1, 0]);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an aggregate of `{E}`",
    label = "not an aggregate of these events",
    note = "the functions of `bigtable_model::series` return aggregates, such as `mean(|event: &{E}| event.value)`; a tuple has at most eight"
)]
pub trait Aggregate<E> {
    /// What is kept of some consecutive events.
    type State: Clone;

    /// The result for a window.
    type Output;

    /// The state of no events.
    fn start(&self) -> Self::State;

    /// Adds an event, which is not earlier than the previous ones.
    fn add(&self, state: &mut Self::State, at: Timestamp, event: &E);

    /// Adds the events of another state, which come after its own.
    fn merge(&self, state: &mut Self::State, later: &Self::State);

    /// The result for the events of a window.
    fn finish(&self, state: &Self::State, frame: Frame<'_, Self::State>) -> Self::Output;

    /// Adds to `before` what a window needs from events that have left it; `earlier` is their
    /// state. Does nothing by default.
    fn carry(&self, before: &mut Self::State, earlier: &Self::State) {
        let _ = (before, earlier);
    }

    /// Checks the aggregate; the stream of windows fails with the error.
    ///
    /// # Errors
    /// If the aggregate is impossible, such as a quantile of 2.
    fn check(&self) -> Result<(), SeriesError> {
        Ok(())
    }
}

/// The window of a state.
#[derive(Debug)]
pub struct Frame<'a, S> {
    /// The start of the window.
    pub start: Timestamp,
    /// The end of the window.
    pub end: Timestamp,
    /// The state [carried](Aggregate::carry) from events before the window.
    pub before: &'a S,
}

impl<'a, S> Frame<'a, S> {
    /// The same window for a part of its state.
    fn of<P>(&self, part: impl FnOnce(&'a S) -> &'a P) -> Frame<'a, P> {
        Frame {
            start: self.start,
            end: self.end,
            before: part(self.before),
        }
    }
}

/// An aggregate over values computed from events.
///
/// The function returns a field of the event, or a value computed from it.
pub fn of_value<E, V, A>(
    value: impl Fn(&E) -> V,
    aggregate: A,
) -> impl Aggregate<E, Output = A::Output>
where
    A: Aggregate<V>,
{
    OfValue {
        value,
        aggregate,
        types: std::marker::PhantomData,
    }
}

struct OfValue<F, A, V> {
    value: F,
    aggregate: A,
    types: std::marker::PhantomData<fn() -> V>,
}

impl<E, V, F: Fn(&E) -> V, A: Aggregate<V>> Aggregate<E> for OfValue<F, A, V> {
    type State = A::State;
    type Output = A::Output;

    fn start(&self) -> Self::State {
        self.aggregate.start()
    }

    fn add(&self, state: &mut Self::State, at: Timestamp, event: &E) {
        self.aggregate.add(state, at, &(self.value)(event));
    }

    fn merge(&self, state: &mut Self::State, later: &Self::State) {
        self.aggregate.merge(state, later);
    }

    fn finish(&self, state: &Self::State, frame: Frame<'_, Self::State>) -> Self::Output {
        self.aggregate.finish(state, frame)
    }

    fn carry(&self, before: &mut Self::State, earlier: &Self::State) {
        self.aggregate.carry(before, earlier);
    }

    fn check(&self) -> Result<(), SeriesError> {
        self.aggregate.check()
    }
}

/// An aggregate with a value in place of `None`: `or_value(mean(..), 0.0)` is 0 for a window
/// without events.
pub fn or_value<E, A, T>(aggregate: A, value: T) -> impl Aggregate<E, Output = T>
where
    A: Aggregate<E, Output = Option<T>>,
    T: Clone,
{
    OrValue { aggregate, value }
}

struct OrValue<A, T> {
    aggregate: A,
    value: T,
}

impl<E, T: Clone, A: Aggregate<E, Output = Option<T>>> Aggregate<E> for OrValue<A, T> {
    type State = A::State;
    type Output = T;

    fn start(&self) -> Self::State {
        self.aggregate.start()
    }

    fn add(&self, state: &mut Self::State, at: Timestamp, event: &E) {
        self.aggregate.add(state, at, event);
    }

    fn merge(&self, state: &mut Self::State, later: &Self::State) {
        self.aggregate.merge(state, later);
    }

    fn finish(&self, state: &Self::State, frame: Frame<'_, Self::State>) -> T {
        let value = self.aggregate.finish(state, frame);
        value.unwrap_or_else(|| self.value.clone())
    }

    fn carry(&self, before: &mut Self::State, earlier: &Self::State) {
        self.aggregate.carry(before, earlier);
    }

    fn check(&self) -> Result<(), SeriesError> {
        self.aggregate.check()
    }
}
