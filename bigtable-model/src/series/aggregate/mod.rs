//! What is computed of the events of a window.

mod measured;
mod number;
mod order;
mod sketch;
mod time;
mod tuples;

use crate::Timestamp;
use crate::error::SeriesError;

pub use measured::{Measured, Number};
pub(in crate::series) use number::Mean;
pub use number::{count, mean, std_dev, sum};
pub use order::{Ohlc, first, last, max, min, ohlc};
pub(crate) use order::{is_greater, is_less};
pub use sketch::{QUANTILE_ERROR, quantile, quantiles};
pub use time::{increase, rate, time_weighted_mean};

/// What is computed of the events of a window, event by event.
///
/// The functions of this module make aggregates, and a tuple of up to eight aggregates is an
/// aggregate whose output is a tuple. To write your own, say what is remembered of some events
/// (`State`), how an event is added to it, and how the states of two runs of events make the state
/// of both: windows that overlap are made of parts.
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
    message = "`{Self}` is no aggregate of `{E}`",
    label = "not an aggregate of these events",
    note = "the functions of `bigtable_model::series` make aggregates, such as `mean(|event: &{E}| event.value)`; a tuple has at most eight"
)]
pub trait Aggregate<E> {
    /// What is remembered of some events that follow one another.
    type State: Clone;

    /// What a window has in the end.
    type Output;

    /// The state of no events.
    fn start(&self) -> Self::State;

    /// Adds an event, which is not earlier than those before it.
    fn add(&self, state: &mut Self::State, at: Timestamp, event: &E);

    /// Adds the events of another state, which come after its own.
    fn merge(&self, state: &mut Self::State, later: &Self::State);

    /// What the events of a window come to.
    fn finish(&self, state: &Self::State, frame: Frame<'_, Self::State>) -> Self::Output;

    /// Puts what a window has to know of the time before it into `before`: `earlier` is the state
    /// of events that it does not hold any more. Nothing, unless an aggregate needs it.
    fn carry(&self, before: &mut Self::State, earlier: &Self::State) {
        let _ = (before, earlier);
    }

    /// Why it cannot be computed, which the stream of windows fails with.
    ///
    /// # Errors
    /// For an aggregate that cannot be, such as a quantile of 2.
    fn check(&self) -> Result<(), SeriesError> {
        Ok(())
    }
}

/// The window around a state.
#[derive(Debug)]
pub struct Frame<'a, S> {
    /// When the window begins.
    pub start: Timestamp,
    /// When it ends.
    pub end: Timestamp,
    /// What was [carried](Aggregate::carry) of the events before the window.
    pub before: &'a S,
}

impl<'a, S> Frame<'a, S> {
    /// The same window around a part of its state.
    fn of<P>(&self, part: impl FnOnce(&'a S) -> &'a P) -> Frame<'a, P> {
        Frame {
            start: self.start,
            end: self.end,
            before: part(self.before),
        }
    }
}

/// An aggregate of what is read of the events.
///
/// The function gives one of the event's fields, or what it computes of them.
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
