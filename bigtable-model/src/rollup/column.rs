//! The aggregates of a roll-up's columns, as generated code calls them.

use std::marker::PhantomData;

use crate::Timestamp;
use crate::aggregate::Combine;
use crate::error::RollupError;
use crate::key::KeySegment;

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
    add: fn(&mut C, &C) -> Option<()>,
}

impl<E, F, C, V: Fn(&E) -> F> ColumnAggregate<E, C> for Held<F, C, V> {
    #[inline]
    fn of(&self, event: &E) -> C {
        (self.one)((self.value)(event))
    }

    #[inline]
    fn merge(&self, held: &mut C, later: &C, column: &'static str) -> Result<(), RollupError> {
        (self.add)(held, later).ok_or(RollupError::Overflow { column })
    }
}

/// The type of a roll-up's field for the start of a bucket: a type of times that stores all of its
/// values unchanged.
#[diagnostic::on_unimplemented(
    message = "the beginning of a bucket is a time, not `{Self}`",
    label = "write `Timestamp`, or another type of times"
)]
#[doc(hidden)]
pub trait BucketStart: for<'a> KeySegment<Stored<'a> = Timestamp> {
    /// The beginning of 1970.
    fn epoch() -> Self;
}

impl BucketStart for Timestamp {
    fn epoch() -> Self {
        Self::UNIX_EPOCH
    }
}

impl BucketStart for std::time::SystemTime {
    fn epoch() -> Self {
        Self::UNIX_EPOCH
    }
}

impl BucketStart for jiff::Timestamp {
    fn epoch() -> Self {
        Self::UNIX_EPOCH
    }
}

#[cfg(feature = "chrono")]
impl<Z: chrono::TimeZone> BucketStart for chrono::DateTime<Z>
where
    Self: for<'a> KeySegment<Stored<'a> = Timestamp> + From<chrono::DateTime<chrono::Utc>>,
{
    fn epoch() -> Self {
        chrono::DateTime::<chrono::Utc>::UNIX_EPOCH.into()
    }
}

#[cfg(feature = "time")]
impl BucketStart for time::OffsetDateTime {
    fn epoch() -> Self {
        Self::UNIX_EPOCH
    }
}

/// The start of a bucket, or of 1970 if the type cannot hold it: such a bucket is not written,
/// since a comparison detects it first.
#[doc(hidden)]
#[must_use]
pub fn bucket_start<T: BucketStart>(start: Timestamp) -> T {
    T::restore(start).unwrap_or_else(|_| T::epoch())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregate::Sum;

    #[test]
    fn a_sum_that_does_not_fit_names_its_column() {
        let shares = values(|shares: &u8| *shares).held::<Sum, u8>();
        let mut held = shares.of(&200);
        assert_eq!(shares.merge(&mut held, &55, "shares"), Ok(()));
        let error = RollupError::Overflow { column: "shares" };
        assert_eq!(shares.merge(&mut held, &1, "shares"), Err(error));
    }
}
