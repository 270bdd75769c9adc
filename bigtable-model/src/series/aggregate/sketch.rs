//! Quantiles.

use sketches_ddsketch::{Config, DDSketch};

use super::{Aggregate, Frame};
use crate::Timestamp;
use crate::aggregate::{Measured, Number};
use crate::error::SeriesError;

/// The relative error of a quantile: one per cent of the value.
pub const QUANTILE_ERROR: f64 = 0.01;

/// The quantile of a number, such as 0.5 for the median; see [`quantiles`].
pub fn quantile<E, V>(part: f64, value: impl Fn(&E) -> V) -> impl Aggregate<E, Output = Option<f64>>
where
    V: Measured<Value: Number>,
{
    Quantiles {
        parts: [part],
        value,
        finish: |[quantile]| quantile,
    }
}

/// Several quantiles of a number, each between 0 and 1; `None` if nothing was measured.
///
/// They are computed by a [DDSketch](https://arxiv.org/abs/1908.10693): the quantile `q` of n
/// sorted values is the value with index ⌊q·(n − 1)⌋, counted from 0, within [`QUANTILE_ERROR`] of
/// that value. The quantiles 0 and 1 are exact. Values closer to 0 than 1e-300 count as 0; the
/// error of values beyond 1.7e308 is within 2%. A window takes 8 bytes for each step of 2% between
/// its smallest and largest magnitude on either side of 0: some KiB for values of a few orders of
/// magnitude, at most 1.1 MiB. A NaN or an infinite value makes all of them NaN.
pub fn quantiles<const N: usize, E, V>(
    parts: [f64; N],
    value: impl Fn(&E) -> V,
) -> impl Aggregate<E, Output = Option<[f64; N]>>
where
    V: Measured<Value: Number>,
{
    Quantiles {
        parts,
        value,
        finish: |all| all,
    }
}

/// The smallest magnitude that is distinguished from 0.
const LEAST: f64 = 1e-300;

/// More bins than exist between the smallest and the largest magnitude, so the sketch never trades
/// precision for space.
const BINS: u32 = 1 << 17;

struct Quantiles<F, O, const N: usize> {
    parts: [f64; N],
    value: F,
    finish: fn([f64; N]) -> O,
}

#[derive(Clone)]
struct Sketch {
    values: DDSketch,
    /// Whether a value was not finite, which the sketch cannot hold.
    spoilt: bool,
}

impl<E, V, F, O, const N: usize> Aggregate<E> for Quantiles<F, O, N>
where
    V: Measured<Value: Number>,
    F: Fn(&E) -> V,
{
    type State = Sketch;
    type Output = Option<O>;

    fn start(&self) -> Sketch {
        Sketch {
            values: DDSketch::new(Config::new(QUANTILE_ERROR, BINS, LEAST)),
            spoilt: false,
        }
    }

    fn add(&self, state: &mut Sketch, _at: Timestamp, event: &E) {
        if let Some(value) = (self.value)(event).into() {
            let value = value.to_f64();
            if value.is_finite() {
                state.values.add(value);
            } else {
                state.spoilt = true;
            }
        }
    }

    fn merge(&self, state: &mut Sketch, later: &Sketch) {
        // Both have the same configuration, so they can be merged.
        let _ = state.values.merge(&later.values);
        state.spoilt |= later.spoilt;
    }

    fn finish(&self, state: &Sketch, _frame: Frame<'_, Sketch>) -> Self::Output {
        if state.spoilt {
            return Some((self.finish)([f64::NAN; N]));
        }
        let (least, greatest) = (state.values.min()?, state.values.max()?);
        let at = |part: f64| {
            let found = state.values.quantile(part).ok().flatten();
            found.map_or(f64::NAN, |value| value.clamp(least, greatest))
        };
        Some((self.finish)(self.parts.map(at)))
    }

    fn check(&self) -> Result<(), SeriesError> {
        match self.parts.iter().find(|part| !(0.0..=1.0).contains(*part)) {
            None => Ok(()),
            Some(part) => Err(SeriesError::Refused {
                what: format!("the quantile {part}"),
                reason: "give a number from 0 to 1".to_owned(),
            }),
        }
    }
}
