//! Minimum and maximum, first and last.

use super::measured::Measured;
use super::{Aggregate, Frame};
use crate::Timestamp;

/// The minimum; `None` if nothing was measured. Of equal values it is the first. A value that
/// cannot be compared, such as NaN, stays the minimum: the first such value of a window is its
/// minimum.
pub fn min<E, V: Measured>(
    value: impl Fn(&E) -> V,
) -> impl Aggregate<E, Output = Option<V::Value>> {
    One {
        value,
        takes: is_less::<V::Value>,
    }
}

/// The maximum; `None` if nothing was measured. Of equal values it is the first. A value that
/// cannot be compared, such as NaN, stays the maximum: the first such value of a window is its
/// maximum.
pub fn max<E, V: Measured>(
    value: impl Fn(&E) -> V,
) -> impl Aggregate<E, Output = Option<V::Value>> {
    One {
        value,
        takes: is_greater::<V::Value>,
    }
}

/// The first measured value: of events at one time, the first in the stream.
pub fn first<E, V: Measured>(
    value: impl Fn(&E) -> V,
) -> impl Aggregate<E, Output = Option<V::Value>> {
    One {
        value,
        takes: never::<V::Value>,
    }
}

/// The last measured value: of events at one time, the last in the stream.
pub fn last<E, V: Measured>(
    value: impl Fn(&E) -> V,
) -> impl Aggregate<E, Output = Option<V::Value>> {
    One {
        value,
        takes: always::<V::Value>,
    }
}

/// The first value, the maximum, the minimum and the last value: the bar of a price chart. `None`
/// if nothing was measured; NaN is treated as by [`min`] and [`max`].
pub fn ohlc<E, V: Measured>(
    value: impl Fn(&E) -> V,
) -> impl Aggregate<E, Output = Option<Ohlc<V::Value>>> {
    Bar { value }
}

/// Open, high, low and close of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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

/// Whether a value cannot be compared, not even with itself.
#[inline]
fn is_nan<V: PartialOrd>(value: &V) -> bool {
    value.partial_cmp(value).is_none()
}

#[inline]
pub(crate) fn is_less<V: PartialOrd>(held: &V, next: &V) -> bool {
    next < held || is_nan(next) && !is_nan(held)
}

#[inline]
pub(crate) fn is_greater<V: PartialOrd>(held: &V, next: &V) -> bool {
    next > held || is_nan(next) && !is_nan(held)
}

const fn never<V>(_held: &V, _next: &V) -> bool {
    false
}

const fn always<V>(_held: &V, _next: &V) -> bool {
    true
}

/// One of the values. `takes` says whether the next value replaces the held one.
struct One<F, T> {
    value: F,
    takes: T,
}

impl<E, V, F, T> Aggregate<E> for One<F, T>
where
    V: Measured,
    F: Fn(&E) -> V,
    T: Fn(&V::Value, &V::Value) -> bool,
{
    type State = Option<V::Value>;
    type Output = Option<V::Value>;

    fn start(&self) -> Self::State {
        None
    }

    #[inline]
    fn add(&self, state: &mut Self::State, _at: Timestamp, event: &E) {
        if let Some(next) = (self.value)(event).measured() {
            match state {
                Some(held) if !(self.takes)(held, &next) => {}
                _ => *state = Some(next),
            }
        }
    }

    fn merge(&self, state: &mut Self::State, later: &Self::State) {
        match (&*state, later) {
            (_, None) => {}
            (Some(held), Some(next)) if !(self.takes)(held, next) => {}
            (_, Some(next)) => *state = Some(next.clone()),
        }
    }

    fn finish(&self, state: &Self::State, _frame: Frame<'_, Self::State>) -> Self::Output {
        state.clone()
    }
}

struct Bar<F> {
    value: F,
}

impl<E, V: Measured, F: Fn(&E) -> V> Aggregate<E> for Bar<F> {
    type State = Option<Ohlc<V::Value>>;
    type Output = Option<Ohlc<V::Value>>;

    fn start(&self) -> Self::State {
        None
    }

    #[inline]
    fn add(&self, state: &mut Self::State, _at: Timestamp, event: &E) {
        let Some(next) = (self.value)(event).measured() else {
            return;
        };
        match state {
            Some(bar) => bar.add(&next, &next, &next),
            None => {
                *state = Some(Ohlc {
                    open: next.clone(),
                    high: next.clone(),
                    low: next.clone(),
                    close: next,
                });
            }
        }
    }

    fn merge(&self, state: &mut Self::State, later: &Self::State) {
        match (&mut *state, later) {
            (Some(bar), Some(later)) => bar.add(&later.high, &later.low, &later.close),
            (None, Some(_)) => state.clone_from(later),
            (_, None) => {}
        }
    }

    fn finish(&self, state: &Self::State, _frame: Frame<'_, Self::State>) -> Self::Output {
        state.clone()
    }
}

impl<V: PartialOrd + Clone> Ohlc<V> {
    #[inline]
    fn add(&mut self, high: &V, low: &V, close: &V) {
        if is_greater(&self.high, high) {
            self.high = high.clone();
        }
        if is_less(&self.low, low) {
            self.low = low.clone();
        }
        self.close = close.clone();
    }
}
