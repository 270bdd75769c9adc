//! Arguments of a query's setters: values, sets, ranges and string prefixes.

use std::collections::{BTreeSet, HashSet};
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::time::SystemTime;

use crate::Timestamp;
use crate::key::{EscapableSegment, KeySegment, SegmentPrimitive, SegmentValue};

use crate::query::{Closed, Filtered, Open, SegmentSelection};

/// A value that a query can select in a segment of type `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value of a segment of type `{T}`",
    label = "not a `{T}`"
)]
pub trait SegmentArg<T> {
    /// The value as it is stored in keys.
    fn into_value(self) -> SegmentValue;
}

#[diagnostic::do_not_recommend]
impl<T: KeySegment> SegmentArg<T> for T {
    fn into_value(self) -> SegmentValue {
        self.store().into_value()
    }
}

#[diagnostic::do_not_recommend]
impl<T: KeySegment> SegmentArg<T> for &T {
    fn into_value(self) -> SegmentValue {
        self.store().into_value()
    }
}

#[diagnostic::do_not_recommend]
impl SegmentArg<String> for &str {
    fn into_value(self) -> SegmentValue {
        SegmentValue::String(self.to_owned())
    }
}

#[diagnostic::do_not_recommend]
impl SegmentArg<Timestamp> for SystemTime {
    fn into_value(self) -> SegmentValue {
        SegmentValue::Time(self.into())
    }
}

#[diagnostic::do_not_recommend]
impl SegmentArg<Timestamp> for jiff::Timestamp {
    fn into_value(self) -> SegmentValue {
        SegmentValue::Time(self.into())
    }
}

#[cfg(feature = "chrono")]
#[diagnostic::do_not_recommend]
impl<Z: chrono::TimeZone> SegmentArg<Timestamp> for chrono::DateTime<Z> {
    fn into_value(self) -> SegmentValue {
        SegmentValue::Time(self.into())
    }
}

#[cfg(feature = "time")]
#[diagnostic::do_not_recommend]
impl SegmentArg<Timestamp> for time::OffsetDateTime {
    fn into_value(self) -> SegmentValue {
        SegmentValue::Time(self.into())
    }
}

/// An argument for the setter of a segment of type `T`: a value, a set (array, slice, vector,
/// `BTreeSet`, `HashSet`, or an iterator in [`any_of`]), a range, a [`starts_with`], or an `Option`
/// of one of these; `None` selects everything.
///
/// The compiler infers `Kind`, which says whether the segments after it may be set too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` selects nothing of a segment of type `{T}`",
    label = "neither a value, a set nor a range of `{T}`",
    note = "give a value, a set or a vector of values, a range such as `from..to`, or `starts_with(\"...\")` for strings; an `Option` of it selects everything when it is `None`"
)]
pub trait Selects<T, Kind> {
    /// The selection as data.
    fn into_selection(self) -> SegmentSelection;
}

/// The kind of a selection.
pub trait SelectionKind {
    /// The query's state after this selection of segment `POSITION`; `SET` is `POSITION + 1`.
    type After<const POSITION: usize, const SET: usize>;

    /// The same after a segment that may have been left open.
    type AfterMaybe<const SET: usize>;
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
/// The strings with a prefix.
#[derive(Debug)]
pub struct Beginning;
/// An `Option` of kind `K`; `None` selects everything.
#[derive(Debug)]
pub struct Maybe<K>(PhantomData<fn() -> K>);

macro_rules! values {
    ($($kind:ty => $after:ident;)+) => {$(
        impl SelectionKind for $kind {
            type After<const POSITION: usize, const SET: usize> = $after<SET>;
            type AfterMaybe<const SET: usize> = Filtered<SET>;
        }
    )+};
}

// After an identifier that may be open, later segments filter rows, and order of time is lost.
values! {
    One => Open;
    Set => Open;
    Maybe<One> => Filtered;
    Maybe<Set> => Filtered;
}

macro_rules! ranges {
    ($($kind:ty,)+) => {$(
        impl SelectionKind for $kind {
            type After<const POSITION: usize, const SET: usize> = Closed<POSITION>;
            type AfterMaybe<const SET: usize> = Filtered<{ usize::MAX }>;
        }
    )+};
}

ranges!(Between, Beginning, Maybe<Between>, Maybe<Beginning>,);

#[diagnostic::do_not_recommend]
impl<T, V: SegmentArg<T>> Selects<T, One> for V {
    fn into_selection(self) -> SegmentSelection {
        SegmentSelection::Values(vec![self.into_value()])
    }
}

fn set<T, V: SegmentArg<T>>(values: impl IntoIterator<Item = V>) -> SegmentSelection {
    let values = values.into_iter().map(SegmentArg::into_value);
    SegmentSelection::Values(values.collect())
}

#[diagnostic::do_not_recommend]
impl<T, V: SegmentArg<T>, const N: usize> Selects<T, Set> for [V; N] {
    fn into_selection(self) -> SegmentSelection {
        set(self)
    }
}

macro_rules! sets {
    ($($set:ty $(, $hasher:ident)?;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, V: SegmentArg<T> $(, $hasher)?> Selects<T, Set> for $set {
            fn into_selection(self) -> SegmentSelection {
                set(self)
            }
        }
    )+};
}

sets! {
    Vec<V>;
    BTreeSet<V>;
    HashSet<V, S>, S;
    AnyOf<V>;
}

macro_rules! borrowed_sets {
    ($($set:ty $(, $hasher:ident)?;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, V: SegmentArg<T> + Clone $(, $hasher)?> Selects<T, Set> for &$set {
            fn into_selection(self) -> SegmentSelection {
                set(self.iter().cloned())
            }
        }
    )+};
}

borrowed_sets! {
    [V];
    Vec<V>;
    BTreeSet<V>;
    HashSet<V, S>, S;
}

#[diagnostic::do_not_recommend]
impl<T, V: SegmentArg<T> + Clone, const N: usize> Selects<T, Set> for &[V; N] {
    fn into_selection(self) -> SegmentSelection {
        set(self.iter().cloned())
    }
}

/// The values of an iterator: see [`any_of`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnyOf<V>(Vec<V>);

impl<V> IntoIterator for AnyOf<V> {
    type Item = V;
    type IntoIter = std::vec::IntoIter<V>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Selects the values of an iterator. Arrays, slices, vectors and sets can be passed directly.
///
/// ```
/// # use bigtable_model::{Model, query::any_of};
/// # #[derive(Model)]
/// # #[bigtable(table = "QUOTE", family = "MD")]
/// # struct Quote { #[bigtable(key)] symbol: String, bid: f64 }
/// let asked = "ZXZZT,ZWZZT";
/// let plan = Quote::query().symbol(any_of(asked.split(','))).events().plan()?;
/// assert_eq!(plan.scans[0].parts[0].keys, ["ZWZZT", "ZXZZT"]);
/// # Ok::<(), bigtable_model::Error>(())
/// ```
pub fn any_of<V>(values: impl IntoIterator<Item = V>) -> AnyOf<V> {
    AnyOf(values.into_iter().collect())
}

#[diagnostic::do_not_recommend]
impl<T> Selects<T, Between> for RangeFull {
    fn into_selection(self) -> SegmentSelection {
        SegmentSelection::ALL
    }
}

/// `None` selects everything.
#[diagnostic::do_not_recommend]
impl<T, K, V: Selects<T, K>> Selects<T, Maybe<K>> for Option<V> {
    fn into_selection(self) -> SegmentSelection {
        self.map_or(SegmentSelection::ALL, Selects::into_selection)
    }
}

macro_rules! range {
    ($range:ident, $self:ident, $start:expr, $end:expr) => {
        #[diagnostic::do_not_recommend]
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

#[diagnostic::do_not_recommend]
impl<T, V: SegmentArg<T>> Selects<T, Between> for (Bound<V>, Bound<V>) {
    fn into_selection(self) -> SegmentSelection {
        SegmentSelection::Range(
            self.0.map(SegmentArg::into_value),
            self.1.map(SegmentArg::into_value),
        )
    }
}

/// The strings with a prefix: see [`starts_with`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartsWith(String);

/// Selects the strings of a segment that begin with `text`. Later segments cannot be set.
///
/// ```
/// # use bigtable_model::{Model, query::starts_with};
/// # #[derive(Model)]
/// # #[bigtable(table = "QUOTE", family = "MD")]
/// # struct Quote { #[bigtable(key)] symbol: String, bid: f64 }
/// let plan = Quote::query().symbol(starts_with("ZX")).events().plan()?;
/// assert_eq!(plan.scans[0].parts[0].ranges[0].to_string(), r#"["ZX", "ZY")"#);
/// # Ok::<(), bigtable_model::Error>(())
/// ```
pub fn starts_with(text: impl Into<String>) -> StartsWith {
    StartsWith(text.into())
}

#[diagnostic::do_not_recommend]
impl<T: EscapableSegment> Selects<T, Beginning> for StartsWith {
    fn into_selection(self) -> SegmentSelection {
        SegmentSelection::Prefix(self.0)
    }
}
