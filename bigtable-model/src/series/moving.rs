//! Moving averages.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::time::Duration;

use crate::aggregate::{Measured, Number};
use crate::error::SeriesError;
use crate::{Error, Timestamp};

use super::aggregate::{Aggregate, Frame, Mean, mean_of};
use super::grouping::{Course, Follows, Grouping};
use super::panes::{Pane, Panes};
use super::results::Machine;

/// A moving average: an output at each event, computed from this event and the previous ones.
///
/// [`moving_mean`] and [`exponential_mean`] create one, and a tuple of up to eight is one whose
/// output is a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a moving average over `{E}`",
    label = "not a moving average of these events",
    note = "use `moving_mean` or `exponential_mean`; for aggregates use `Windows::sliding`"
)]
pub trait Moving<E> {
    /// What is kept of the events.
    type State;

    /// The result at each event.
    type Output;

    /// The state before the first event.
    fn start(&self) -> Self::State;

    /// Adds the next event, which is not earlier than the previous ones.
    fn next(&self, state: &mut Self::State, at: Timestamp, event: &E) -> Self::Output;

    /// Checks the parameters; the stream of results fails with the error.
    ///
    /// # Errors
    /// If they are impossible, such as the mean of the last 0 values.
    fn check(&self) -> Result<(), SeriesError> {
        Ok(())
    }
}

/// The simple moving average: the mean of the last `values` values; `None` until there are so many.
/// Events without a value are skipped. It is as exact as [`mean`](super::mean); a NaN makes it NaN
/// as long as it is one of the values.
pub fn moving_mean<E, V>(
    values: u32,
    value: impl Fn(&E) -> V,
) -> impl Moving<E, Output = Option<f64>>
where
    V: Measured<Value: Number>,
{
    Simple {
        values,
        mean: mean_of(value),
    }
}

/// The exponential moving average over about `values` values: each value has the weight α = 2 /
/// (`values` + 1), the average so far has the rest. It starts with the first value and is `None`
/// before that. Events without a value do not change it. A NaN makes it NaN from then on.
pub fn exponential_mean<E, V>(
    values: u32,
    value: impl Fn(&E) -> V,
) -> impl Moving<E, Output = Option<f64>>
where
    V: Measured<Value: Number>,
{
    Exponential {
        decay: Decay::Values(values),
        value,
    }
}

/// The exponential moving average of values at irregular times: after a time t the average so far
/// has the weight e^(−t/`time`), the new value has the rest. It starts with the first value and is
/// `None` before that. Events without a value do not change it. A NaN makes it NaN from then on.
pub fn exponential_mean_over<E, V>(
    time: Duration,
    value: impl Fn(&E) -> V,
) -> impl Moving<E, Output = Option<f64>>
where
    V: Measured<Value: Number>,
{
    Exponential {
        decay: Decay::Time(time),
        value,
    }
}

struct Simple<F, N: Number> {
    values: u32,
    mean: Mean<F, N>,
}

impl<E, V: Measured<Value: Number>, F: Fn(&E) -> V> Moving<E> for Simple<F, V::Value> {
    type State = Panes<(<V::Value as Number>::Sum, u64)>;
    type Output = Option<f64>;

    fn start(&self) -> Self::State {
        Panes::new()
    }

    fn next(&self, state: &mut Self::State, at: Timestamp, event: &E) -> Option<f64> {
        let pane = Pane::one(&self.mean, 0, at, event);
        // Events without a value are not part of it.
        if pane.state.1 > 0 {
            state.push(&self.mean, pane);
        }
        let mut before = self.mean.start();
        let values = usize::try_from(self.values).unwrap_or(usize::MAX);
        if state.len() > values {
            state.drop_first(&self.mean, &mut before);
        }
        if state.len() < values {
            return None;
        }
        let frame = Frame {
            start: at,
            end: at,
            before: &before,
        };
        self.mean.finish(&state.merged(&self.mean)?.state, frame)
    }

    fn check(&self) -> Result<(), SeriesError> {
        at_least_one(self.values, "the moving mean")
    }
}

struct Exponential<F> {
    decay: Decay,
    value: F,
}

enum Decay {
    Values(u32),
    Time(Duration),
}

impl Decay {
    /// The weight of a new value.
    fn share(&self, since: Timestamp, at: Timestamp) -> f64 {
        match self {
            Self::Values(values) => 2.0 / (f64::from(*values) + 1.0),
            Self::Time(time) => {
                let micros = i128::from(at.as_micros()) - i128::from(since.as_micros());
                -(-(micros as f64) / (time.as_secs_f64() * 1e6)).exp_m1()
            }
        }
    }
}

impl<E, V: Measured<Value: Number>, F: Fn(&E) -> V> Moving<E> for Exponential<F> {
    type State = Option<(Timestamp, f64)>;
    type Output = Option<f64>;

    fn start(&self) -> Self::State {
        None
    }

    fn next(&self, state: &mut Self::State, at: Timestamp, event: &E) -> Option<f64> {
        if let Some(value) = (self.value)(event).into() {
            let value = value.to_f64();
            let average = match *state {
                Some((since, average)) => average + (value - average) * self.decay.share(since, at),
                None => value,
            };
            *state = Some((at, average));
        }
        state.map(|(_, average)| average)
    }

    fn check(&self) -> Result<(), SeriesError> {
        match self.decay {
            Decay::Values(values) => at_least_one(values, "the exponential mean"),
            Decay::Time(Duration::ZERO) => Err(SeriesError::Refused {
                what: "the exponential mean over no time".to_owned(),
                reason: "give a time above 0".to_owned(),
            }),
            Decay::Time(_) => Ok(()),
        }
    }
}

fn at_least_one(values: u32, what: &str) -> Result<(), SeriesError> {
    match values {
        0 => Err(SeriesError::Refused {
            what: format!("{what} of 0 values"),
            reason: "give at least one".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// An event, and the moving averages of its series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved<E, V, K = ()> {
    /// The series; `()` if the stream is one series.
    pub series: K,
    /// The event's time.
    pub at: Timestamp,
    /// The event.
    pub event: E,
    /// The average up to the event, or several as a tuple.
    pub value: V,
}

/// Computes moving averages of a stream's series.
pub(super) struct Mover<E, G: Grouping<E>, M: Moving<E>> {
    moving: M,
    grouping: G,
    course: Course<G::Series>,
    lanes: BTreeMap<G::Series, M::State>,
    events: PhantomData<fn(E)>,
}

impl<E, G: Grouping<E>, M: Moving<E>> Mover<E, G, M> {
    pub(super) const fn new(grouping: G, moving: M) -> Self {
        Self {
            moving,
            grouping,
            course: Course::new(),
            lanes: BTreeMap::new(),
            events: PhantomData,
        }
    }
}

impl<E, G: Grouping<E>, M: Moving<E>> Machine<E> for Mover<E, G, M> {
    type Item = Moved<E, M::Output, G::Series>;

    fn before(&mut self, _at: Timestamp, _event: &E) -> Result<Option<Self::Item>, Error> {
        Ok(None)
    }

    fn take(&mut self, at: Timestamp, event: E) -> Result<Option<Self::Item>, Error> {
        let series = self.grouping.series(&event);
        if self.course.follows::<E, G>(&series, at)? == Follows::NextRun {
            self.course.end_run();
            self.lanes.clear();
        }
        self.course.take::<E, G>(&series, at);
        if !self.lanes.contains_key(&series) {
            self.moving.check()?;
            self.lanes.insert(series.clone(), self.moving.start());
        }
        let state = self.lanes.get_mut(&series);
        Ok(state.map(|state| {
            let value = self.moving.next(state, at, &event);
            Moved {
                series,
                at,
                event,
                value,
            }
        }))
    }

    fn end(&mut self) -> Result<Option<Self::Item>, Error> {
        self.moving.check()?;
        Ok(None)
    }
}

macro_rules! tuple {
    ($($name:ident $at:tt),+) => {
        impl<Event, $($name: Moving<Event>),+> Moving<Event> for ($($name,)+) {
            type State = ($($name::State,)+);
            type Output = ($($name::Output,)+);

            fn start(&self) -> Self::State {
                ($(self.$at.start(),)+)
            }

            fn next(&self, state: &mut Self::State, at: Timestamp, event: &Event) -> Self::Output {
                ($(self.$at.next(&mut state.$at, at, event),)+)
            }

            fn check(&self) -> Result<(), SeriesError> {
                $(self.$at.check()?;)+
                Ok(())
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
