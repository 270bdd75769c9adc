//! Aggregates that use the times of events: rates of counters and time-weighted means.

use super::{Aggregate, Frame};
use crate::Timestamp;
use crate::aggregate::{Compensated, Measured, Number};

/// The growth of a counter; `None` if nothing was measured.
///
/// A counter only grows, unless it restarts at 0: a value below the previous one counts in full.
/// Growth since the last value before the window belongs to the window, so the increases of
/// consecutive windows add up to the growth of the series. A NaN makes it NaN.
pub fn increase<E, V>(value: impl Fn(&E) -> V) -> impl Aggregate<E, Output = Option<f64>>
where
    V: Measured<Value: Number>,
{
    Counter {
        value,
        finish: |growth, _| Some(growth),
    }
}

/// The growth of a counter per second: its [`increase`] divided by the time from the value before
/// the window, or else from the first value in it, to the last value. `None` if that time is 0. A
/// NaN makes it NaN.
pub fn rate<E, V>(value: impl Fn(&E) -> V) -> impl Aggregate<E, Output = Option<f64>>
where
    V: Measured<Value: Number>,
{
    Counter {
        value,
        finish: |growth, micros| (micros > 0.0).then_some(growth * 1e6 / micros),
    }
}

struct Counter<F> {
    value: F,
    finish: fn(f64, f64) -> Option<f64>,
}

/// The values of a counter: the first, the last, and its growth between them.
#[derive(Debug, Clone, Copy)]
struct Growth<V> {
    first: (Timestamp, V),
    last: (Timestamp, V),
    by: Compensated,
}

impl<V: Number> Growth<V> {
    fn merge(&mut self, later: &Self) {
        self.by.push(later.first.1.grown_from(self.last.1));
        self.by.merge(&later.by);
        self.last = later.last;
    }
}

impl<E, V: Measured<Value: Number>, F: Fn(&E) -> V> Aggregate<E> for Counter<F> {
    type State = Option<Growth<V::Value>>;
    type Output = Option<f64>;

    fn start(&self) -> Self::State {
        None
    }

    fn add(&self, state: &mut Self::State, at: Timestamp, event: &E) {
        let Some(value) = (self.value)(event).into() else {
            return;
        };
        match state {
            Some(growth) => {
                growth.by.push(value.grown_from(growth.last.1));
                growth.last = (at, value);
            }
            None => {
                let mut by = Compensated::default();
                // A NaN makes the growth NaN, even as the only value.
                if value.to_f64().is_nan() {
                    by.push(f64::NAN);
                }
                *state = Some(Growth {
                    first: (at, value),
                    last: (at, value),
                    by,
                });
            }
        }
    }

    fn merge(&self, state: &mut Self::State, later: &Self::State) {
        match (&mut *state, later) {
            (Some(growth), Some(later)) => growth.merge(later),
            (None, Some(_)) => *state = *later,
            (_, None) => {}
        }
    }

    fn finish(&self, state: &Self::State, frame: Frame<'_, Self::State>) -> Option<f64> {
        let growth = state.as_ref()?;
        let mut by = growth.by;
        let mut from = growth.first.0;
        if let Some(before) = frame.before {
            by.push(growth.first.1.grown_from(before.last.1));
            from = before.last.0;
        }
        (self.finish)(by.into(), micros(from, growth.last.0))
    }

    fn carry(&self, before: &mut Self::State, earlier: &Self::State) {
        if earlier.is_some() {
            *before = *earlier;
        }
    }
}

/// The time-weighted mean of a number: each value holds until the next one, and the last one until
/// the window ends.
///
/// The value at the start of the window is the last value before it. The first window of a series
/// is measured from its first value. A window without events, which
/// [`with_empty`](crate::series::Windows::with_empty) adds, has the value that held before it.
/// `None` if nothing has been measured yet. A NaN makes it NaN as long as it holds. Its rounding
/// error is at most 1e-13 of the same mean of the values' magnitudes.
pub fn time_weighted_mean<E, V>(value: impl Fn(&E) -> V) -> impl Aggregate<E, Output = Option<f64>>
where
    V: Measured<Value: Number>,
{
    TimeWeighted { value }
}

struct TimeWeighted<F> {
    value: F,
}

/// Values over time: the time of the first value, the last value, and the sum of the others, each
/// multiplied by the microseconds for which it held.
#[derive(Debug, Clone, Copy)]
struct Held {
    first: Timestamp,
    last: (Timestamp, f64),
    area: Compensated,
}

impl Held {
    /// Lets the last value hold until a time.
    fn until(&mut self, at: Timestamp) {
        let micros = micros(self.last.0, at);
        // A value that held for no time does not count, not even a NaN.
        if micros > 0.0 {
            self.area.push(self.last.1 * micros);
        }
    }

    fn merge(&mut self, later: &Self) {
        self.until(later.first);
        self.area.merge(&later.area);
        self.last = later.last;
    }
}

impl<E, V: Measured<Value: Number>, F: Fn(&E) -> V> Aggregate<E> for TimeWeighted<F> {
    type State = Option<Held>;
    type Output = Option<f64>;

    fn start(&self) -> Self::State {
        None
    }

    fn add(&self, state: &mut Self::State, at: Timestamp, event: &E) {
        if let Some(value) = (self.value)(event).into() {
            let next = Held {
                first: at,
                last: (at, value.to_f64()),
                area: Compensated::default(),
            };
            match state {
                Some(held) => held.merge(&next),
                None => *state = Some(next),
            }
        }
    }

    fn merge(&self, state: &mut Self::State, later: &Self::State) {
        match (&mut *state, later) {
            (Some(held), Some(later)) => held.merge(later),
            (None, Some(_)) => *state = *later,
            (_, None) => {}
        }
    }

    fn finish(&self, state: &Self::State, frame: Frame<'_, Self::State>) -> Option<f64> {
        let before = frame.before.map(|before| Held {
            first: frame.start,
            last: (frame.start, before.last.1),
            area: Compensated::default(),
        });
        let mut all = match (before, state) {
            (Some(mut before), Some(held)) => {
                before.merge(held);
                before
            }
            (one, other) => one.or(*other)?,
        };
        let last = all.last.1;
        all.until(frame.end);
        let micros = micros(all.first, frame.end);
        Some(if micros > 0.0 {
            f64::from(all.area) / micros
        } else {
            last
        })
    }

    fn carry(&self, before: &mut Self::State, earlier: &Self::State) {
        if earlier.is_some() {
            *before = *earlier;
        }
    }
}

/// The microseconds from one time to another, which is not earlier.
fn micros(from: Timestamp, to: Timestamp) -> f64 {
    (i128::from(to.as_micros()) - i128::from(from.as_micros())) as f64
}
