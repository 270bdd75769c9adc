//! Counts, sums, means and deviations; minimum and maximum, first and last.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::{Aggregate, Frame};
use crate::Timestamp;
use crate::aggregate::{
    Combine, Count, First, Last, Max, MeanOf, Measured, Min, Number, Sum, is_greater, is_less,
};

/// The number of events.
#[must_use]
pub fn count<E>() -> impl Aggregate<E, Output = u64> {
    Folded::<Count, _, _, _>::new(|_: &E| (), |count: &u64| *count)
}

/// The sum of a number: an `f64` for floats, an `i128` for integers; 0 if nothing was measured.
/// [`Number`] documents its precision. A NaN makes it NaN.
pub fn sum<E, V>(value: impl Fn(&E) -> V) -> impl Aggregate<E, Output = <V::Value as Number>::Total>
where
    V: Measured<Value: Number>,
{
    Folded::<Sum, _, <V::Value as Number>::Sum, _>::new(value, |sum| (*sum).into())
}

/// The arithmetic mean of a number; `None` if nothing was measured. It is the [`sum`] divided by
/// the count, rounded once more. A NaN makes it NaN.
pub fn mean<E, V>(value: impl Fn(&E) -> V) -> impl Aggregate<E, Output = Option<f64>>
where
    V: Measured<Value: Number>,
{
    mean_of(value)
}

/// A mean, as windows keep it.
pub(in crate::series) type Mean<F, N> = Folded<MeanOf, F, (<N as Number>::Sum, u64), Option<f64>>;

/// The mean; moving means use it too.
pub(in crate::series) fn mean_of<E, V, F: Fn(&E) -> V>(value: F) -> Mean<F, V::Value>
where
    V: Measured<Value: Number>,
{
    Folded::new(value, |(sum, count)| {
        let mean = || V::Value::total_to_f64((*sum).into()) / *count as f64;
        (*count > 0).then(mean)
    })
}

/// The standard deviation of a sample, with n − 1 in the denominator; `None` for fewer than two
/// values. It uses deviations from a running mean (after Welford): for n values it is within a
/// relative n·ε·κ of the exact result, where κ² is 1 + mean² / variance. A NaN or an infinite value
/// makes it NaN.
pub fn std_dev<E, V>(value: impl Fn(&E) -> V) -> impl Aggregate<E, Output = Option<f64>>
where
    V: Measured<Value: Number>,
{
    Folded::<Deviation, _, Deviation, _>::new(value, |state| {
        let others = state.count.checked_sub(2)? + 1;
        Some((state.squares / others as f64).sqrt())
    })
}

/// The minimum, the first of equal values; `None` if nothing was measured. A value that cannot be
/// compared, such as NaN, stays the minimum: the first such value of a window is its minimum.
pub fn min<E, V: Measured>(
    value: impl Fn(&E) -> V,
) -> impl Aggregate<E, Output = Option<V::Value>> {
    Folded::<Min, _, _, _>::new(value, Option::clone)
}

/// The maximum, the first of equal values; `None` if nothing was measured. A value that cannot be
/// compared, such as NaN, stays the maximum: the first such value of a window is its maximum.
pub fn max<E, V: Measured>(
    value: impl Fn(&E) -> V,
) -> impl Aggregate<E, Output = Option<V::Value>> {
    Folded::<Max, _, _, _>::new(value, Option::clone)
}

/// The first measured value; among events at one time, the first in the stream.
pub fn first<E, V: Measured>(
    value: impl Fn(&E) -> V,
) -> impl Aggregate<E, Output = Option<V::Value>> {
    Folded::<First, _, _, _>::new(value, Option::clone)
}

/// The last measured value; among events at one time, the last in the stream.
pub fn last<E, V: Measured>(
    value: impl Fn(&E) -> V,
) -> impl Aggregate<E, Output = Option<V::Value>> {
    Folded::<Last, _, _, _>::new(value, Option::clone)
}

/// The first value, the maximum, the minimum and the last value: the bar of a price chart. `None`
/// if nothing was measured; NaN is treated as by [`min`] and [`max`].
pub fn ohlc<E, V: Measured>(
    value: impl Fn(&E) -> V,
) -> impl Aggregate<E, Output = Option<Ohlc<V::Value>>> {
    Folded::<Bar, _, _, _>::new(value, Option::clone)
}

/// Values that a function reads from events, [combined](Combine) by `A` in a `C`.
pub(in crate::series) struct Folded<A, F, C, O> {
    value: F,
    finish: fn(&C) -> O,
    by: PhantomData<A>,
}

impl<A, F, C, O> Folded<A, F, C, O> {
    const fn new(value: F, finish: fn(&C) -> O) -> Self {
        let by = PhantomData;
        Self { value, finish, by }
    }
}

impl<E, V, A, F, C, O> Aggregate<E> for Folded<A, F, C, O>
where
    F: Fn(&E) -> V,
    A: Combine<V, C>,
    C: Default + Clone,
{
    type State = C;
    type Output = O;

    fn start(&self) -> C {
        C::default()
    }

    #[inline]
    fn add(&self, state: &mut C, _at: Timestamp, event: &E) {
        self.merge(state, &A::one((self.value)(event)));
    }

    #[inline]
    fn merge(&self, state: &mut C, later: &C) {
        // It cannot overflow: 128 bits hold the sum of more integers than can be counted.
        let _ = A::add(state, later);
    }

    fn finish(&self, state: &C, _frame: Frame<'_, C>) -> O {
        (self.finish)(state)
    }
}

/// The mean of some numbers, and the sum of their squared deviations from it.
#[derive(Debug, Clone, Copy, Default)]
struct Deviation {
    count: u64,
    mean: f64,
    squares: f64,
}

impl<V: Measured<Value: Number>> Combine<V, Self> for Deviation {
    #[inline]
    fn one(value: V) -> Self {
        value.into().map_or_else(Self::default, |value| {
            let mean = value.to_f64();
            Self {
                count: 1,
                mean,
                squares: if mean.is_finite() { 0.0 } else { f64::NAN },
            }
        })
    }

    #[inline]
    fn add(held: &mut Self, later: &Self) -> Option<()> {
        match (held.count, later.count) {
            (_, 0) => {}
            (0, _) => *held = *later,
            (one, other) => {
                let all = (one + other) as f64;
                let deviation = later.mean - held.mean;
                let step = deviation * other as f64 / all;
                held.count += later.count;
                held.mean += step;
                held.squares += later.squares + deviation * step * one as f64;
            }
        }
        Some(())
    }
}

/// Open, high, low and close of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ohlc<V> {
    /// The first value.
    pub open: V,
    /// The maximum.
    pub high: V,
    /// The minimum.
    pub low: V,
    /// The last value.
    pub close: V,
}

struct Bar;

impl<V: Measured> Combine<V, Option<Ohlc<V::Value>>> for Bar {
    #[inline]
    fn one(value: V) -> Option<Ohlc<V::Value>> {
        value.into().map(|value| Ohlc {
            open: value.clone(),
            high: value.clone(),
            low: value.clone(),
            close: value,
        })
    }

    #[inline]
    fn add(held: &mut Option<Ohlc<V::Value>>, later: &Option<Ohlc<V::Value>>) -> Option<()> {
        match (&mut *held, later) {
            (_, None) => {}
            (None, Some(_)) => held.clone_from(later),
            (Some(held), Some(later)) => {
                if is_greater(&held.high, &later.high) {
                    held.high.clone_from(&later.high);
                }
                if is_less(&held.low, &later.low) {
                    held.low.clone_from(&later.low);
                }
                held.close.clone_from(&later.close);
            }
        }
        Some(())
    }
}
