//! What can be given to a query's setters: values, sets, ranges and string prefixes.

use std::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};
use std::time::SystemTime;

use crate::Timestamp;
use crate::key::{EscapableSegment, KeySegment, SegmentPrimitive, SegmentValue};

use crate::query::{Closed, Open, SegmentSelection};

/// A value that can be asked for in a segment of type `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value of a segment of type `{T}`",
    label = "not a `{T}`"
)]
pub trait SegmentArg<T> {
    /// The value as it stands in keys.
    fn into_value(self) -> SegmentValue;
}

impl<T: KeySegment> SegmentArg<T> for T {
    fn into_value(self) -> SegmentValue {
        self.store().into_value()
    }
}

impl<T: KeySegment> SegmentArg<T> for &T {
    fn into_value(self) -> SegmentValue {
        self.store().into_value()
    }
}

impl SegmentArg<String> for &str {
    fn into_value(self) -> SegmentValue {
        SegmentValue::String(self.to_owned())
    }
}

impl SegmentArg<Timestamp> for SystemTime {
    fn into_value(self) -> SegmentValue {
        SegmentValue::Time(self.into())
    }
}

impl SegmentArg<Timestamp> for jiff::Timestamp {
    fn into_value(self) -> SegmentValue {
        SegmentValue::Time(self.into())
    }
}

#[cfg(feature = "chrono")]
impl<Z: chrono::TimeZone> SegmentArg<Timestamp> for chrono::DateTime<Z> {
    fn into_value(self) -> SegmentValue {
        SegmentValue::Time(self.into())
    }
}

#[cfg(feature = "time")]
impl SegmentArg<Timestamp> for time::OffsetDateTime {
    fn into_value(self) -> SegmentValue {
        SegmentValue::Time(self.into())
    }
}

/// What a setter of a segment of type `T` takes: a value, a set (array, slice or vector), a range, or a [`starts_with`].
///
/// `Kind` is found by the compiler: it tells whether the segments behind may be set too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` selects nothing of a segment of type `{T}`",
    label = "neither a value, a set nor a range of `{T}`",
    note = "give a value, an array or a vector of values, a range such as `from..to`, or `starts_with(\"...\")` for strings"
)]
pub trait Selects<T, Kind> {
    /// The selection as data.
    fn into_selection(self) -> SegmentSelection;
}

/// What kind of selection it is.
pub trait SelectionKind {
    /// The query's state after segment `POSITION` is selected so, where `SET` is `POSITION + 1`.
    type After<const POSITION: usize, const SET: usize>;
}

/// One value.
#[derive(Debug)]
pub struct One;
/// A set of values.
#[derive(Debug)]
pub struct Set;
/// A range of values.
#[derive(Debug)]
pub struct Between;
/// The strings with one beginning.
#[derive(Debug)]
pub struct Beginning;

impl SelectionKind for One {
    type After<const POSITION: usize, const SET: usize> = Open<SET>;
}
impl SelectionKind for Set {
    type After<const POSITION: usize, const SET: usize> = Open<SET>;
}
impl SelectionKind for Between {
    type After<const POSITION: usize, const SET: usize> = Closed<POSITION>;
}
impl SelectionKind for Beginning {
    type After<const POSITION: usize, const SET: usize> = Closed<POSITION>;
}

impl<T, V: SegmentArg<T>> Selects<T, One> for V {
    fn into_selection(self) -> SegmentSelection {
        SegmentSelection::Values(vec![self.into_value()])
    }
}

fn set<T, V: SegmentArg<T>>(values: impl IntoIterator<Item = V>) -> SegmentSelection {
    let values = values.into_iter().map(SegmentArg::into_value);
    SegmentSelection::Values(values.collect())
}

impl<T, V: SegmentArg<T>, const N: usize> Selects<T, Set> for [V; N] {
    fn into_selection(self) -> SegmentSelection {
        set(self)
    }
}

impl<T, V: SegmentArg<T>> Selects<T, Set> for Vec<V> {
    fn into_selection(self) -> SegmentSelection {
        set(self)
    }
}

impl<T, V: SegmentArg<T> + Clone> Selects<T, Set> for &[V] {
    fn into_selection(self) -> SegmentSelection {
        set(self.iter().cloned())
    }
}

macro_rules! range {
    ($range:ident, $self:ident, $start:expr, $end:expr) => {
        impl<T, V: SegmentArg<T> + Clone> Selects<T, Between> for $range<V> {
            fn into_selection($self) -> SegmentSelection {
                SegmentSelection::Range($start, $end)
            }
        }
    };
}

range!(
    Range,
    self,
    Bound::Included(self.start.into_value()),
    Bound::Excluded(self.end.into_value())
);
range!(
    RangeFrom,
    self,
    Bound::Included(self.start.into_value()),
    Bound::Unbounded
);
range!(
    RangeTo,
    self,
    Bound::Unbounded,
    Bound::Excluded(self.end.into_value())
);
range!(
    RangeToInclusive,
    self,
    Bound::Unbounded,
    Bound::Included(self.end.into_value())
);
range!(
    RangeInclusive,
    self,
    Bound::Included(self.start().clone().into_value()),
    Bound::Included(self.end().clone().into_value())
);

impl<T, V: SegmentArg<T>> Selects<T, Between> for (Bound<V>, Bound<V>) {
    fn into_selection(self) -> SegmentSelection {
        SegmentSelection::Range(
            self.0.map(SegmentArg::into_value),
            self.1.map(SegmentArg::into_value),
        )
    }
}

/// The strings that begin with one: see [`starts_with`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartsWith(String);

/// Selects the strings of a segment that begin with `text`. It closes the query's key.
///
/// ```
/// # use bigtable_model::{Model, query::starts_with};
/// # #[derive(Model)]
/// # #[bigtable(table = "QUOTE", family = "MD")]
/// # struct Quote { #[bigtable(key)] symbol: String, bid: f64 }
/// let plan = Quote::query().symbol(starts_with("ZX")).plan()?;
/// assert_eq!(plan.scans[0].parts[0].ranges[0].to_string(), r#"["ZX", "ZY")"#);
/// # Ok::<(), bigtable_model::Error>(())
/// ```
pub fn starts_with(text: impl Into<String>) -> StartsWith {
    StartsWith(text.into())
}

impl<T: EscapableSegment> Selects<T, Beginning> for StartsWith {
    fn into_selection(self) -> SegmentSelection {
        SegmentSelection::Prefix(self.0)
    }
}
