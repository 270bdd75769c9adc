//! What the columns of a roll-up hold: the derive's aggregates, and user-defined ones.

use std::marker::PhantomData;

use crate::error::RollupError;
use crate::series::{Measured, Number, is_greater, is_less};

use super::total::{self, Total};

/// A user-defined aggregate: a column of type `C` computed from values of type `F`, for
/// `#[rollup(with(Longest, title))]`.
///
/// Combining the parts of a span must give the same result as the whole span.
///
/// ```
/// use bigtable_model::rollup::{Combine, RollupError};
///
/// /// The longest text.
/// struct Longest;
///
/// impl Combine<String, String> for Longest {
///     fn one(value: String) -> String {
///         value
///     }
///
///     fn add(held: &mut String, later: &String, _: &'static str) -> Result<(), RollupError> {
///         if later.len() > held.len() {
///             held.clone_from(later);
///         }
///         Ok(())
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

    /// Adds the value of later events. `column` is the name of the roll-up's field.
    ///
    /// # Errors
    /// If the column cannot hold the result.
    fn add(held: &mut C, later: &C, column: &'static str) -> Result<(), RollupError>;
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

    fn add(held: &mut C, later: &C, column: &'static str) -> Result<(), RollupError> {
        sum(held, later, column)
    }
}

#[diagnostic::do_not_recommend]
impl<F: Measured, C: Total<Number: From<bool>>> Combine<F, C> for Count {
    fn one(value: F) -> C {
        C::total(Some(value.measured().is_some().into()))
    }

    fn add(held: &mut C, later: &C, column: &'static str) -> Result<(), RollupError> {
        sum(held, later, column)
    }
}

#[diagnostic::do_not_recommend]
impl<F: Measured, C: Total<Number: From<F::Value>>> Combine<F, C> for Sum {
    fn one(value: F) -> C {
        C::total(value.measured().map(Into::into))
    }

    fn add(held: &mut C, later: &C, column: &'static str) -> Result<(), RollupError> {
        sum(held, later, column)
    }
}

fn sum<C: Total>(held: &mut C, later: &C, column: &'static str) -> Result<(), RollupError> {
    let added = held.add(later);
    added.ok_or(RollupError::Overflow { column })
}

#[diagnostic::do_not_recommend]
impl<F: Measured<Value: Number>, C: MeanColumn> Combine<F, C> for MeanOf {
    fn one(value: F) -> C {
        C::total(value.measured().map(Number::to_f64))
    }

    fn add(held: &mut C, later: &C, column: &'static str) -> Result<(), RollupError> {
        sum(held, later, column)
    }
}

macro_rules! picks {
    ($($name:ident, $takes:expr;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<F: Measured, C: Measured + Clone + From<F>> Combine<F, C> for $name {
            fn one(value: F) -> C {
                value.into()
            }

            fn add(held: &mut C, later: &C, _: &'static str) -> Result<(), RollupError> {
                pick(held, later, $takes);
                Ok(())
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

/// The column of a mean. A trait, so that a column of another type gets the usual error.
pub trait MeanColumn: Total<Number = f64> {}

impl MeanColumn for total::Mean {}

/// Replaces the held value if `takes` says so, but never by a value that was not measured.
fn pick<C: Measured + Clone>(held: &mut C, later: &C, takes: fn(&C::Value, &C::Value) -> bool) {
    let next = match later.clone().measured() {
        Some(next) => next,
        None => return,
    };
    match held.clone().measured() {
        Some(known) if !takes(&known, &next) => {}
        _ => held.clone_from(later),
    }
}

/// The aggregate of a column of type `C`, as generated code finds it for events of type `E`.
#[doc(hidden)]
pub trait ColumnAggregate<E, C> {
    /// The value for a single event.
    fn of(&self, event: &E) -> C;

    /// Adds the value of later events.
    ///
    /// # Errors
    /// If the column cannot hold the result.
    fn merge(&self, held: &mut C, later: &C, column: &'static str) -> Result<(), RollupError>;
}

/// Reads values from events.
#[doc(hidden)]
#[derive(Debug)]
pub struct Values<E, F, V> {
    value: V,
    kind: PhantomData<fn(E) -> F>,
}

/// The values that a function reads from events.
#[doc(hidden)]
pub const fn values<E, F, V: Fn(&E) -> F>(value: V) -> Values<E, F, V> {
    let kind = PhantomData;
    Values { value, kind }
}

impl<E, F, V: Fn(&E) -> F> Values<E, F, V> {
    /// Their aggregate `A` in a column of type `C`. Bounds are on this function, so that an
    /// unsupported type gives one error, at this call.
    pub fn held<A: Combine<F, C>, C>(self) -> Held<F, C, V> {
        Held {
            value: self.value,
            one: A::one,
            add: A::add,
        }
    }
}

/// An aggregate of values in a column of type `C`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Held<F, C, V> {
    value: V,
    one: fn(F) -> C,
    add: fn(&mut C, &C, &'static str) -> Result<(), RollupError>,
}

impl<E, F, C, V: Fn(&E) -> F> ColumnAggregate<E, C> for Held<F, C, V> {
    #[inline]
    fn of(&self, event: &E) -> C {
        (self.one)((self.value)(event))
    }

    #[inline]
    fn merge(&self, held: &mut C, later: &C, column: &'static str) -> Result<(), RollupError> {
        (self.add)(held, later, column)
    }
}

/// The type of a roll-up's field that holds the beginning of a bucket.
#[diagnostic::on_unimplemented(
    message = "the beginning of a bucket is a `Timestamp`, not `{Self}`",
    label = "write `Timestamp`"
)]
#[doc(hidden)]
pub trait BucketStart: Sized {
    /// The field.
    fn from_time(start: crate::Timestamp) -> Self;
}

impl BucketStart for crate::Timestamp {
    fn from_time(start: crate::Timestamp) -> Self {
        start
    }
}

/// The beginning of a bucket.
#[doc(hidden)]
#[must_use]
pub fn bucket_start<T: BucketStart>(start: crate::Timestamp) -> T {
    T::from_time(start)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// The aggregate of values, added one after another.
    fn of<A: Combine<F, C>, F: Clone, C>(values: &[F]) -> Result<C, RollupError> {
        let (first, others) = values.split_first().unwrap();
        let mut held = A::one(first.clone());
        for one in others {
            A::add(&mut held, &A::one(one.clone()), "column")?;
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
        let mean = of::<MeanOf, f64, total::Mean>(&values).unwrap();
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
        assert_eq!(
            of::<MeanOf, _, total::Mean>(&values).unwrap().value(),
            Some(6.0)
        );
        assert_eq!(
            of::<MeanOf, _, total::Mean>(&[None::<u8>]).unwrap().value(),
            None
        );
    }

    #[test]
    fn a_sum_that_does_not_fit_is_an_error() {
        let column = "column";
        let overflow = Err(RollupError::Overflow { column });
        assert_eq!(of::<Sum, u8, u8>(&[200, 55]), Ok(255));
        assert_eq!(of::<Sum, u8, u8>(&[200, 56]), overflow);
        assert_eq!(of::<Sum, u8, u64>(&[200, 56]), Ok(256));
        assert_eq!(
            of::<Sum, _, Option<i64>>(&[Some(i64::MIN), None, Some(-1)]),
            Err(RollupError::Overflow { column })
        );
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
