//! The values of events that aggregates read.

use bytestring::ByteString;

use crate::Timestamp;

/// What an aggregate reads from an event: a value, or an `Option` of one; `None` was not measured
/// and is skipped.
///
/// Implement it for your own types to compare them: `Value` is the type itself.
pub trait Measured {
    /// The type of a value that was measured.
    type Value: Clone + PartialOrd;

    /// The value, if it was measured.
    fn measured(self) -> Option<Self::Value>;
}

impl<V: Measured<Value = V> + Clone + PartialOrd> Measured for Option<V> {
    type Value = V;

    #[inline]
    fn measured(self) -> Option<V> {
        self
    }
}

macro_rules! measured {
    ($($type:ty),+) => {$(
        impl Measured for $type {
            type Value = Self;

            #[inline]
            fn measured(self) -> Option<Self> {
                Some(self)
            }
        }
    )+};
}

measured!(
    f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool, Timestamp, String, ByteString
);
#[cfg(feature = "rust_decimal")]
measured!(rust_decimal::Decimal);

/// A number that can be summed.
///
/// Integers are summed exactly, in `i128`. Floats are summed with the rounding errors carried along
/// (after Neumaier): of n values the sum is within ε·|sum| + n²·ε²·Σ|value| of the exact one, where
/// ε is [`f64::EPSILON`].
pub trait Number: Measured<Value = Self> + Copy {
    /// The type of a sum.
    type Total: Copy;
    /// The state of a sum.
    #[doc(hidden)]
    type Sum: Copy + Default;

    /// As a float, rounded to the nearest.
    fn to_f64(self) -> f64;

    #[doc(hidden)]
    fn add_to(self, sum: &mut Self::Sum);
    #[doc(hidden)]
    fn merge(sum: &mut Self::Sum, later: &Self::Sum);
    #[doc(hidden)]
    fn sum_as_total(sum: &Self::Sum) -> Self::Total;
    #[doc(hidden)]
    fn total_f64(sum: &Self::Sum) -> f64;
    /// The growth of a counter since `earlier`: a smaller value means that it restarted at 0.
    #[doc(hidden)]
    fn grown_from(self, earlier: Self) -> f64;
}

/// A sum of floats, with its accumulated rounding error.
#[derive(Debug, Clone, Copy, Default)]
pub struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    #[inline]
    pub(crate) fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.lost += if self.sum.abs() >= value.abs() {
            (self.sum - sum) + value
        } else {
            (value - sum) + self.sum
        };
        self.sum = sum;
    }

    pub(crate) fn merge(&mut self, later: &Self) {
        self.add(later.sum);
        self.lost += later.lost;
    }

    /// For an infinite sum the rounding error is NaN.
    pub(crate) fn total(&self) -> f64 {
        if self.sum.is_finite() {
            self.sum + self.lost
        } else {
            self.sum
        }
    }
}

macro_rules! floats {
    ($($type:ty),+) => {$(
        impl Number for $type {
            type Total = f64;
            type Sum = Compensated;

            #[inline]
            fn to_f64(self) -> f64 {
                self.into()
            }

            #[inline]
            fn add_to(self, sum: &mut Compensated) {
                sum.add(self.into());
            }

            fn merge(sum: &mut Compensated, later: &Compensated) {
                sum.merge(later);
            }

            fn sum_as_total(sum: &Compensated) -> f64 {
                sum.total()
            }

            fn total_f64(sum: &Compensated) -> f64 {
                sum.total()
            }

            fn grown_from(self, earlier: Self) -> f64 {
                let (now, before) = (f64::from(self), f64::from(earlier));
                if now < before { now } else { now - before }
            }
        }
    )+};
}

floats!(f32, f64);

macro_rules! integers {
    ($($type:ty),+) => {$(
        impl Number for $type {
            type Total = i128;
            type Sum = i128;

            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }

            #[inline]
            fn add_to(self, sum: &mut i128) {
                *sum += i128::from(self);
            }

            fn merge(sum: &mut i128, later: &i128) {
                *sum += *later;
            }

            fn sum_as_total(sum: &i128) -> i128 {
                *sum
            }

            fn total_f64(sum: &i128) -> f64 {
                *sum as f64
            }

            fn grown_from(self, earlier: Self) -> f64 {
                let (now, before) = (i128::from(self), i128::from(earlier));
                (if now < before { now } else { now - before }) as f64
            }
        }
    )+};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);
