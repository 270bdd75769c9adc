//! Counts, sums, means and deviations.

use super::measured::{Measured, Number};
use super::{Aggregate, Frame};
use crate::Timestamp;

/// The number of events.
#[must_use]
pub fn count<E>() -> impl Aggregate<E, Output = u64> {
    Count
}

/// The sum of a number: an `f64` for floats, an `i128` for integers; 0 if nothing was measured.
/// [`Number`] documents its precision. A NaN makes it NaN.
pub fn sum<E, V>(value: impl Fn(&E) -> V) -> impl Aggregate<E, Output = <V::Value as Number>::Total>
where
    V: Measured<Value: Number>,
{
    Sum { value }
}

/// The arithmetic mean of a number; `None` if nothing was measured. It is the [`sum`] divided by
/// the count, rounded once more. A NaN makes it NaN.
pub fn mean<E, V>(value: impl Fn(&E) -> V) -> impl Aggregate<E, Output = Option<f64>>
where
    V: Measured<Value: Number>,
{
    Mean { value }
}

/// The standard deviation of a sample, with n − 1 in the denominator; `None` for fewer than two
/// values. It uses deviations from a running mean (after Welford): for n values it is within a
/// relative n·ε·κ of the exact result, where κ² is 1 + mean² / variance. A NaN or an infinite value
/// makes it NaN.
pub fn std_dev<E, V>(value: impl Fn(&E) -> V) -> impl Aggregate<E, Output = Option<f64>>
where
    V: Measured<Value: Number>,
{
    StdDev { value }
}

struct Count;

impl<E> Aggregate<E> for Count {
    type State = u64;
    type Output = u64;

    fn start(&self) -> u64 {
        0
    }

    #[inline]
    fn add(&self, state: &mut u64, _at: Timestamp, _event: &E) {
        *state += 1;
    }

    fn merge(&self, state: &mut u64, later: &u64) {
        *state += later;
    }

    fn finish(&self, state: &u64, _frame: Frame<'_, u64>) -> u64 {
        *state
    }
}

struct Sum<F> {
    value: F,
}

impl<E, V: Measured<Value: Number>, F: Fn(&E) -> V> Aggregate<E> for Sum<F> {
    type State = <V::Value as Number>::Sum;
    type Output = <V::Value as Number>::Total;

    fn start(&self) -> Self::State {
        Self::State::default()
    }

    #[inline]
    fn add(&self, state: &mut Self::State, _at: Timestamp, event: &E) {
        if let Some(value) = (self.value)(event).measured() {
            value.add_to(state);
        }
    }

    fn merge(&self, state: &mut Self::State, later: &Self::State) {
        V::Value::merge(state, later);
    }

    fn finish(&self, state: &Self::State, _frame: Frame<'_, Self::State>) -> Self::Output {
        V::Value::sum_as_total(state)
    }
}

/// Moving means use it too.
pub(in crate::series) struct Mean<F> {
    pub(in crate::series) value: F,
}

impl<E, V: Measured<Value: Number>, F: Fn(&E) -> V> Aggregate<E> for Mean<F> {
    type State = (u64, <V::Value as Number>::Sum);
    type Output = Option<f64>;

    fn start(&self) -> Self::State {
        Self::State::default()
    }

    #[inline]
    fn add(&self, (count, sum): &mut Self::State, _at: Timestamp, event: &E) {
        if let Some(value) = (self.value)(event).measured() {
            *count += 1;
            value.add_to(sum);
        }
    }

    fn merge(&self, (count, sum): &mut Self::State, (more, later): &Self::State) {
        *count += more;
        V::Value::merge(sum, later);
    }

    fn finish(&self, (count, sum): &Self::State, _: Frame<'_, Self::State>) -> Option<f64> {
        (*count > 0).then(|| V::Value::total_f64(sum) / *count as f64)
    }
}

struct StdDev<F> {
    value: F,
}

/// The mean of some numbers, and the sum of their squared deviations from it.
#[derive(Debug, Clone, Copy, Default)]
struct Deviation {
    count: u64,
    mean: f64,
    squares: f64,
}

impl<E, V: Measured<Value: Number>, F: Fn(&E) -> V> Aggregate<E> for StdDev<F> {
    type State = Deviation;
    type Output = Option<f64>;

    fn start(&self) -> Deviation {
        Deviation::default()
    }

    #[inline]
    fn add(&self, state: &mut Deviation, _at: Timestamp, event: &E) {
        if let Some(value) = (self.value)(event).measured() {
            let value = value.to_f64();
            state.count += 1;
            let deviation = value - state.mean;
            state.mean += deviation / state.count as f64;
            state.squares += deviation * (value - state.mean);
        }
    }

    fn merge(&self, state: &mut Deviation, later: &Deviation) {
        if later.count == 0 {
            return;
        }
        if state.count == 0 {
            *state = *later;
            return;
        }
        let (one, other) = (state.count as f64, later.count as f64);
        let deviation = later.mean - state.mean;
        let share = other / (one + other);
        state.count += later.count;
        state.mean += deviation * share;
        state.squares += later.squares + deviation * deviation * one * share;
    }

    fn finish(&self, state: &Deviation, _frame: Frame<'_, Deviation>) -> Option<f64> {
        let others = state.count.checked_sub(2)? + 1;
        Some((state.squares / others as f64).sqrt())
    }
}
