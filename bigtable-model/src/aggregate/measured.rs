//! The values of events that aggregates read.

use bytestring::ByteString;

use super::total::{Compensated, Total};
use crate::Timestamp;

/// A value that an aggregate reads from an event, or an `Option` of one: `None` means not measured,
/// and is skipped.
///
/// Implement it for your own types to compare them: `Value` is the type itself.
pub trait Measured: Into<Option<<Self as Measured>::Value>> {
    /// The type of a value that was measured.
    type Value: Measured<Value = Self::Value> + Clone + PartialOrd;

    /// The value, if it was measured.
    fn measured(&self) -> Option<&Self::Value>;
}

impl<V: Measured<Value = V> + Clone + PartialOrd> Measured for Option<V> {
    type Value = V;

    #[inline]
    fn measured(&self) -> Option<&V> {
        self.as_ref()
    }
}

macro_rules! measured {
    ($($type:ty),+) => {$(
        impl Measured for $type {
            type Value = Self;

            #[inline]
            fn measured(&self) -> Option<&Self> {
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
/// Integers are summed exactly, in `i128`. Floats are summed along with their rounding errors
/// (after Neumaier): for n values the sum is within ε·|sum| + n²·ε²·Σ|value| of the exact
/// one, where ε is [`f64::EPSILON`].
pub trait Number: Measured<Value = Self> + Copy {
    /// The type of a sum.
    type Total: Copy;
    /// A sum as a window keeps it.
    #[doc(hidden)]
    type Sum: Total<Number: From<Self>> + Into<Self::Total> + Copy + Default;

    /// The nearest float.
    fn to_f64(self) -> f64;

    #[doc(hidden)]
    fn total_to_f64(total: Self::Total) -> f64;
    /// The growth of a counter since `earlier`: a smaller value means that it restarted at 0.
    #[doc(hidden)]
    fn grown_from(self, earlier: Self) -> f64;
}

macro_rules! numbers {
    ($total:ty, $sum:ty; $($type:ty),+) => {$(
        #[allow(clippy::unnecessary_cast, reason = "an `f64` is one of the types")]
        impl Number for $type {
            type Total = $total;
            type Sum = $sum;

            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }

            #[inline]
            fn total_to_f64(total: $total) -> f64 {
                total as f64
            }

            fn grown_from(self, earlier: Self) -> f64 {
                let (now, before) = (<$total>::from(self), <$total>::from(earlier));
                (if now < before { now } else { now - before }) as f64
            }
        }
    )+};
}

numbers!(f64, Compensated; f32, f64);
numbers!(i128, i128; i8, i16, i32, i64, u8, u16, u32, u64);
