//! The types of sums.

use serde::{Deserialize, Serialize};

use crate::value::{CellValue, ValueError};

/// The type of a column that holds a sum or a count: integers, which fail on overflow, floats,
/// decimals, and `Option`s of these, which are `None` if nothing was measured.
pub trait Total {
    /// The type of the summed values.
    type Number;

    /// The sum of one value, or of none.
    fn total(value: Option<Self::Number>) -> Self;

    /// Adds another sum; `None` if the type cannot hold the result.
    #[must_use = "none is a sum that was not added"]
    fn add(&mut self, later: &Self) -> Option<()>;
}

macro_rules! totals {
    ($($type:ty),+; |$held:ident, $later:ident| $added:expr) => {$(
        impl Total for $type {
            type Number = Self;

            #[inline]
            fn total(value: Option<Self>) -> Self {
                value.unwrap_or_default()
            }

            #[inline]
            fn add(&mut self, later: &Self) -> Option<()> {
                let ($held, $later) = (*self, *later);
                *self = $added?;
                Some(())
            }
        }
    )+};
}

totals!(i8, i16, i32, i64, i128, u8, u16, u32, u64; |held, later| held.checked_add(later));
#[cfg(feature = "rust_decimal")]
totals!(rust_decimal::Decimal; |held, later| held.checked_add(later));
totals!(f32, f64; |held, later| Some(held + later));

impl<T: Total + Clone> Total for Option<T> {
    type Number = T::Number;

    fn total(value: Option<T::Number>) -> Self {
        value.map(|value| T::total(Some(value)))
    }

    fn add(&mut self, later: &Self) -> Option<()> {
        match (&mut *self, later) {
            (Some(held), Some(later)) => held.add(later)?,
            (None, Some(_)) => self.clone_from(later),
            (_, None) => {}
        }
        Some(())
    }
}

/// A sum of floats, with its accumulated rounding error, as windows keep it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    #[inline]
    pub(crate) fn push(&mut self, value: f64) {
        let sum = self.sum + value;
        self.lost += if self.sum.abs() >= value.abs() {
            (self.sum - sum) + value
        } else {
            (value - sum) + self.sum
        };
        self.sum = sum;
    }

    #[inline]
    pub(crate) fn merge(&mut self, later: &Self) {
        self.push(later.sum);
        self.lost += later.lost;
    }
}

impl Total for Compensated {
    type Number = f64;

    #[inline]
    fn total(value: Option<f64>) -> Self {
        let sum = value.unwrap_or_default();
        Self { sum, lost: 0.0 }
    }

    #[inline]
    fn add(&mut self, later: &Self) -> Option<()> {
        self.merge(later);
        Some(())
    }
}

impl From<Compensated> for f64 {
    /// For an infinite sum the rounding error is NaN.
    fn from(Compensated { sum, lost }: Compensated) -> Self {
        if sum.is_finite() { sum + lost } else { sum }
    }
}

/// The column of a mean: a sum and a count, from which means of longer spans can be computed.
///
/// The sum is a float: for n values it is within n·ε·Σ|value| of the exact sum, where ε is
/// [`f64::EPSILON`]. A cell holds 8 bytes of the sum and 8 of the count, each big-endian.
///
/// ```
/// use bigtable_model::rollup::Mean;
///
/// let mean = Mean { sum: 7.5, count: 3 };
/// assert_eq!(mean.value(), Some(2.5));
/// assert_eq!(Mean::default().value(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Mean {
    /// The sum of the values.
    pub sum: f64,
    /// The number of values.
    pub count: u64,
}

impl Mean {
    /// The mean; `None` if nothing was measured.
    #[must_use]
    #[allow(
        clippy::cast_precision_loss,
        reason = "there are fewer values than floats are exact for"
    )]
    pub fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

impl CellValue for Mean {
    const NAME: &'static str = "mean";

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
        self.sum.encode_value(out)?;
        self.count.encode_value(out)
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
        let ([sum, count], []) = bytes.as_chunks::<8>() else {
            let expected = "a sum and a count of 8 bytes each";
            return Err(ValueError::malformed(expected, bytes));
        };
        Ok(Self {
            sum: f64::decode_value(sum)?,
            count: u64::decode_value(count)?,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_mean_is_a_sum_and_a_count() {
        let mean = Mean {
            sum: -1.5,
            count: 258,
        };
        let mut bytes = Vec::new();
        mean.encode_value(&mut bytes).unwrap();
        let golden = b"\xbf\xf8\0\0\0\0\0\0\0\0\0\0\0\0\x01\x02";
        assert_eq!(bytes, golden);
        assert_eq!(Mean::decode_value(&bytes).unwrap(), mean);
        for len in [0, 15, 17] {
            let error = Mean::decode_value(&vec![0; len]).unwrap_err();
            assert!(error.to_string().contains("a sum and a count"), "{error}");
        }
    }
}
