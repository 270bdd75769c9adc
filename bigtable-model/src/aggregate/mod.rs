//! Counts, sums, means, minima, maxima, first and last values: one definition for the windows of
//! [`series`](crate::series) and the columns of [roll-ups](crate::rollup).

mod measured;
mod total;

pub use measured::{Measured, Number};
pub(crate) use total::Compensated;
pub use total::{Mean, Total};

/// A user-defined aggregate: a column of type `C` computed from values of type `F`, for
/// `#[rollup(with(Longest, title))]`.
///
/// Combining the parts of a span must give the same result as the whole span.
///
/// ```
/// use bigtable_model::rollup::Combine;
///
/// /// The longest text.
/// struct Longest;
///
/// impl Combine<String, String> for Longest {
///     fn one(value: String) -> String {
///         value
///     }
///
///     fn add(held: &mut String, later: &String) -> Option<()> {
///         if later.len() > held.len() {
///             held.clone_from(later);
///         }
///         Some(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` of values of type `{F}` is not held by a column of type `{C}`",
    label = "another type is needed here",
    note = "`min`, `max`, `first` and `last` are held by the type of the field, or an `Option` of it, and by an `Option` where the field is one",
    note = "`sum` and `count` are held by a number that can hold the field's, `mean` by `rollup::Mean`",
    note = "types of your own are compared once they implement `series::Measured`"
)]
pub trait Combine<F, C> {
    /// The value for a single event.
    fn one(value: F) -> C;

    /// Adds the value of later events; `None` if the column cannot hold the result, which fails
    /// with the name of the column.
    #[must_use = "none is a value that was not added"]
    fn add(held: &mut C, later: &C) -> Option<()>;
}

/// The number of events, or of events with a measured value.
#[derive(Debug)]
pub struct Count;

/// The sum.
#[derive(Debug)]
pub struct Sum;

/// The arithmetic mean.
#[derive(Debug)]
pub struct MeanOf;

/// The minimum.
#[derive(Debug)]
pub struct Min;

/// The maximum.
#[derive(Debug)]
pub struct Max;

/// The first value by time.
#[derive(Debug)]
pub struct First;

/// The last value by time.
#[derive(Debug)]
pub struct Last;

#[diagnostic::do_not_recommend]
impl<C: Total<Number: From<bool>>> Combine<(), C> for Count {
    fn one((): ()) -> C {
        C::total(Some(true.into()))
    }

    fn add(held: &mut C, later: &C) -> Option<()> {
        held.add(later)
    }
}

#[diagnostic::do_not_recommend]
impl<F: Measured, C: Total<Number: From<bool>>> Combine<F, C> for Count {
    fn one(value: F) -> C {
        C::total(Some(value.measured().is_some().into()))
    }

    fn add(held: &mut C, later: &C) -> Option<()> {
        held.add(later)
    }
}

#[diagnostic::do_not_recommend]
impl<F: Measured, C: Total<Number: From<F::Value>>> Combine<F, C> for Sum {
    fn one(value: F) -> C {
        C::total(value.into().map(<C::Number>::from))
    }

    fn add(held: &mut C, later: &C) -> Option<()> {
        held.add(later)
    }
}

/// As a roll-up stores it.
#[diagnostic::do_not_recommend]
impl<F: Measured<Value: Number>> Combine<F, Mean> for MeanOf {
    fn one(value: F) -> Mean {
        let value = value.measured().map(|value| value.to_f64());
        Mean {
            sum: f64::total(value),
            count: value.is_some().into(),
        }
    }

    fn add(held: &mut Mean, later: &Mean) -> Option<()> {
        held.sum.add(&later.sum)?;
        held.count.add(&later.count)
    }
}

/// As a window keeps it: an exact sum and a count.
#[diagnostic::do_not_recommend]
impl<F: Measured<Value: Number>> Combine<F, (<F::Value as Number>::Sum, u64)> for MeanOf {
    fn one(value: F) -> (<F::Value as Number>::Sum, u64) {
        let count = value.measured().is_some().into();
        (Sum::one(value), count)
    }

    fn add(
        (sum, count): &mut (<F::Value as Number>::Sum, u64),
        (later, more): &(<F::Value as Number>::Sum, u64),
    ) -> Option<()> {
        sum.add(later)?;
        count.add(more)
    }
}

macro_rules! picks {
    ($($name:ident, $takes:expr;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<F: Measured + Into<C>, C: Measured + Clone> Combine<F, C> for $name {
            fn one(value: F) -> C {
                value.into()
            }

            fn add(held: &mut C, later: &C) -> Option<()> {
                // A value that was not measured replaces no value.
                let Some(next) = later.measured() else {
                    return Some(());
                };
                let takes: fn(&C::Value, &C::Value) -> bool = $takes;
                if held.measured().is_none_or(|held| takes(held, next)) {
                    held.clone_from(later);
                }
                Some(())
            }
        }
    )+};
}

picks! {
    Min, is_less;
    Max, is_greater;
    First, |_, _| false;
    Last, |_, _| true;
}

/// Whether the next value replaces the minimum. A value that cannot be compared, such as NaN,
/// becomes the minimum and stays it.
#[inline]
pub(crate) fn is_less<V: PartialOrd>(held: &V, next: &V) -> bool {
    next < held || is_nan(next) && !is_nan(held)
}

/// Whether the next value replaces the maximum. A value that cannot be compared, such as NaN,
/// becomes the maximum and stays it.
#[inline]
pub(crate) fn is_greater<V: PartialOrd>(held: &V, next: &V) -> bool {
    next > held || is_nan(next) && !is_nan(held)
}

/// Whether a value cannot be compared, not even with itself.
#[inline]
fn is_nan<V: PartialOrd>(value: &V) -> bool {
    value.partial_cmp(value).is_none()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// The aggregate of values, added one after another.
    fn of<A: Combine<F, C>, F: Clone, C>(values: &[F]) -> Result<C, &'static str> {
        let (first, others) = values.split_first().unwrap();
        let mut held = A::one(first.clone());
        for one in others {
            A::add(&mut held, &A::one(one.clone())).ok_or("overflow")?;
        }
        Ok(held)
    }

    #[test]
    fn values_come_to_what_they_are_asked_for() {
        let values = [3.0, 1.5, 4.0, 1.5];
        assert_eq!(of::<Min, f64, f64>(&values), Ok(1.5));
        assert_eq!(of::<Max, f64, Option<f64>>(&values), Ok(Some(4.0)));
        assert_eq!(of::<First, f64, f64>(&values), Ok(3.0));
        assert_eq!(of::<Last, f64, f64>(&values), Ok(1.5));
        assert_eq!(of::<Sum, f64, f64>(&values), Ok(10.0));
        assert_eq!(of::<Count, f64, u32>(&values), Ok(4));
        assert_eq!(of::<Count, (), i64>(&[(), ()]), Ok(2));
        let mean = of::<MeanOf, f64, Mean>(&values).unwrap();
        assert_eq!((mean.count, mean.sum, mean.value()), (4, 10.0, Some(2.5)));
    }

    #[test]
    fn what_was_not_measured_is_left_out() {
        let values = [None, Some(7_u32), None, Some(5), None];
        assert_eq!(of::<Min, _, Option<u32>>(&values), Ok(Some(5)));
        assert_eq!(of::<First, _, Option<u32>>(&values), Ok(Some(7)));
        assert_eq!(of::<Last, _, Option<u32>>(&values), Ok(Some(5)));
        assert_eq!(of::<Sum, _, u64>(&values), Ok(12));
        assert_eq!(of::<Sum, _, Option<u64>>(&values), Ok(Some(12)));
        assert_eq!(of::<Sum, _, Option<u64>>(&[None::<u32>]), Ok(None));
        assert_eq!(of::<Sum, _, u64>(&[None::<u32>]), Ok(0));
        assert_eq!(of::<Count, _, u64>(&values), Ok(2));
        assert_eq!(of::<MeanOf, _, Mean>(&values).unwrap().value(), Some(6.0));
        assert_eq!(of::<MeanOf, _, Mean>(&[None::<u8>]).unwrap().value(), None);
    }

    #[test]
    fn a_sum_that_does_not_fit_is_an_error() {
        let overflow = Err("overflow");
        assert_eq!(of::<Sum, u8, u8>(&[200, 55]), Ok(255));
        assert_eq!(of::<Sum, u8, u8>(&[200, 56]), overflow);
        assert_eq!(of::<Sum, u8, u64>(&[200, 56]), Ok(256));
        assert_eq!(
            of::<Sum, _, Option<i64>>(&[Some(i64::MIN), None, Some(-1)]),
            Err("overflow")
        );
    }

    #[test]
    fn windows_keep_sums_that_a_column_cannot_hold() {
        let values = [u64::MAX, 1, u64::MAX];
        assert_eq!(of::<Sum, u64, u64>(&values), Err("overflow"));
        assert_eq!(of::<Sum, u64, i128>(&values), Ok((1 << 65) - 1));
        assert_eq!(
            of::<MeanOf, u64, (i128, u64)>(&values),
            Ok(((1 << 65) - 1, 3))
        );
        // Less than the precision of a float of the sum.
        let values = [1e100, 1.0, -1e100];
        assert_eq!(of::<Sum, f64, f64>(&values), Ok(0.0));
        let exact: f64 = of::<Sum, f64, Compensated>(&values).unwrap().into();
        assert_eq!(exact, 1.0);
    }

    #[test]
    fn a_nan_spoils_what_it_is_part_of() {
        let values = [1.0, f64::NAN, 2.0];
        assert!(of::<Min, f64, f64>(&values).unwrap().is_nan());
        assert!(of::<Max, f64, f64>(&values).unwrap().is_nan());
        assert!(of::<Sum, f64, f64>(&values).unwrap().is_nan());
        assert_eq!(of::<Last, f64, f64>(&values), Ok(2.0));
    }
}
