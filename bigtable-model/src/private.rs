//! What generated code calls. Not part of the public interface: anything here may change with any
//! release.

pub use std::borrow::Cow;
pub use std::clone::Clone;
pub use std::cmp::{Eq, Ord, Ordering, PartialEq, PartialOrd};
pub use std::convert::From;
pub use std::default::Default;
pub use std::fmt::{Debug, Display, Formatter, Result as Formatted};
pub use std::marker::{Copy, PhantomData};
pub use std::ops::Deref;
pub use std::option::Option::{self, None, Some};
pub use std::result::Result::{self, Err, Ok};
pub use std::vec::Vec;

pub use futures::future::BoxFuture;

pub use crate::backend::Backend;
pub use crate::condition::{Condition, VersionedModel};
pub use crate::data::{AggregateKind, GcRule, RowMutations};
pub use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan, Offset};
pub use crate::key::{
    CalendarField, CalendarFormat, CalendarItem, CodePlace, Escaped, KeyError, KeyLayout,
    KeyReader, KeySegment, KeyWriter, OwnHash, Salt, SaltHash, SaltedKeyReader, SaltedKeyWriter,
    Segment, SegmentError, SegmentFormat, SegmentKind, SegmentOptions, SegmentPrimitive,
    SegmentRole, SegmentValue, TimeUnit,
};
pub use crate::key::{bucket_segment, identifier, time_segment};
pub use crate::mirror::Mirror;
pub use crate::model::former;
pub use crate::model::{
    Aggregate, Append, AppendField, Batched, CellTime, Coded, Column, ColumnArg, ColumnError,
    ColumnKind, ColumnSchema, Counter, Editable, EventCells, EventWriter, FamilyRule, Field,
    FieldAccess, FieldUse, InPayload, KeyField, Layout, MapAccess, MapField, Model, ModelKey,
    ModelSchema, NumberField, Owner, PayloadAccess, PeriodTables, Presence, Projection, ProtoField,
    ProtoModel, ReadError, RequiredField, RequiredInPayload, Samples, Schema, SerializedField,
    SerializedModel, TableName, TablesByPeriod, Update, map_access, read_payload, restored,
};
pub use crate::model::{also_named, column, copying, of_kind};
pub use crate::query::{
    Accepts, ByKey, ByTime, Closed, Filtered, FullScan, One, Open, Query, QueryState,
    SelectionKind, Selects, TimeOrder, Unset,
};
pub use crate::rollup::column::{ColumnAggregate, bucket_start, values};
pub use crate::rollup::{Level, Rollup, RollupError, check_names_rollup, in_own_tables, rolled_up};
#[cfg(feature = "json")]
pub use crate::value::Json;
#[cfg(not(feature = "json"))]
pub use crate::value::JsonFeatureIsOff as Json;
#[cfg(not(feature = "json"))]
pub use crate::value::payload::JsonFeatureIsOff as JsonPayload;
#[cfg(feature = "json")]
pub use crate::value::payload::JsonPayload;
#[cfg(not(feature = "postcard"))]
pub use crate::value::payload::PostcardFeatureIsOff as PostcardPayload;
#[cfg(feature = "postcard")]
pub use crate::value::payload::PostcardPayload;
#[cfg(not(feature = "prost"))]
pub use crate::value::payload::ProstFeatureIsOff as ProtoPayload;
#[cfg(feature = "prost")]
pub use crate::value::payload::ProtoPayload;
pub use crate::value::payload::{PayloadField, PayloadFormat};
pub use crate::value::{CellValue, Native, Takes, Text, ValueError};
pub use crate::{Error, Timestamp};

/// What is done with a key by functions that are not shown.
pub type KeyResult<T> = Result<T, KeyError>;

/// The aggregates of a roll-up's columns.
pub mod rollup {
    pub use crate::rollup::column::{Count, First, Last, Max, MeanOf, Min, Sum};
}

/// What stands in for code that could not be generated: the mistake stops the build.
///
/// # Panics
/// Always.
#[allow(clippy::unreachable, reason = "the build failed")]
pub fn refused() -> ! {
    unreachable!("the build reported a mistake")
}

/// A constant string.
#[must_use]
pub const fn borrowed(text: &'static str) -> Cow<'static, str> {
    Cow::Borrowed(text)
}

/// The name of a model's one table.
#[must_use]
pub const fn fixed_table(table: &'static str) -> TableName {
    TableName::Fixed(Cow::Borrowed(table))
}

/// A constant list.
#[must_use]
pub const fn borrowed_slice<T: Clone>(list: &'static [T]) -> Cow<'static, [T]> {
    Cow::Borrowed(list)
}

/// Of a segment that declares nothing.
pub const NO_OPTIONS: SegmentOptions = SegmentOptions::NONE;

/// A key of these segments, by what stands before them and between them, and whether that is around
/// them too.
#[must_use]
pub const fn key_layout(
    (prefix, separator, enclosed): (&'static str, &'static str, bool),
    segments: &'static [Segment],
) -> KeyLayout {
    KeyLayout {
        prefix: borrowed(prefix),
        separator: borrowed(separator),
        enclosed,
        segments: borrowed_slice(segments),
    }
}

/// Stops the build at an identifier whose options do not go with its type.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_segment(
    kind: SegmentKind,
    options: SegmentOptions,
    last: bool,
    (names, separator): (Option<&[&str]>, &str),
) {
    if let Some(message) = SegmentFormat::refusal(kind, options, last) {
        panic!("{}", message);
    }
    if let Some(message) = SegmentFormat::unstorable(kind, options, names, separator) {
        panic!("{}", message);
    }
}

/// Stops the build at a segment that Bigtable's own encodings have no form for, of a model that is
/// to have one.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_structured(format: SegmentFormat, separator: &str) {
    if let Some(problem) = format.inexpressible(separator) {
        panic!("{}", problem.advice());
    }
    // It borrows constants, and constants have no destructors to run.
    std::mem::forget(format);
}

/// Stops the build at a time in front of the key that is an identifier: only its type tells.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_first(kind: SegmentKind, message: &'static str) {
    if kind.is_time() {
        panic!("{}", message);
    }
}

/// Stops the build at a field marked `time` whose type or options do not make it one.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_time(kind: SegmentKind, options: SegmentOptions, last: bool) {
    if !kind.is_time() {
        panic!("`time` is for a field that holds a time: write `key` for other types");
    }
    if too_narrow(options) {
        panic!(
            "no time of today has so few digits: a time takes 10 in `s`, 13 in `ms`, 16 in `us`"
        );
    }
    check_segment(kind, options, last, (None, ""));
}

const fn too_narrow(options: SegmentOptions) -> bool {
    let unit = match options.unit {
        Some(unit) => unit,
        None => TimeUnit::Micros,
    };
    matches!((options.width, options.format), (Some(width), None) if width < unit.digits())
}

/// Stops the build at a model of which nothing marks an event: each of its columns may be absent.
#[track_caller]
pub const fn check_presence(columns: &[ColumnSchema]) {
    check_found(presence_column(columns), columns);
}

/// The same of a model with many events in a row.
#[track_caller]
pub const fn check_presence_in_bucket(columns: &[ColumnSchema], time: usize) {
    check_found(presence_column_in_bucket(columns, time), columns);
}

#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
const fn check_found(column: usize, columns: &[ColumnSchema]) {
    if column == columns.len() {
        panic!(
            "every column may be absent, so that nothing marks an event: add `marker = \"EVENT\"` to the struct, or a column that is not an `Option`"
        );
    }
}

/// Stops the build at a column that is declared to mark events and may be absent.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_declared_presence(optional: bool) {
    if optional {
        panic!(
            "the column that marks an event is never absent: remove the `Option`, or write `presence` on another column, or `marker = \"EVENT\"` on the struct"
        );
    }
}

/// The first column that every event has; none is the number of columns.
#[must_use]
#[allow(clippy::indexing_slicing, reason = "the index is below the length")]
pub const fn presence_column(columns: &[ColumnSchema]) -> usize {
    let mut index = 0;
    while index < columns.len() && columns[index].optional {
        index += 1;
    }
    index
}

/// The first column that every event has in a row of many: copies of identifiers are the row's,
/// that of the time is the event's.
#[must_use]
#[allow(clippy::indexing_slicing, reason = "the index is below the length")]
pub const fn presence_column_in_bucket(columns: &[ColumnSchema], time: usize) -> usize {
    let mut index = 0;
    while index < columns.len() {
        let of_event = match columns[index].copy_of {
            Some(segment) => segment == time,
            None => true,
        };
        if of_event && !columns[index].optional {
            break;
        }
        index += 1;
    }
    index
}

/// Stops the build at a value that may be absent where it is all there is of an event.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_value(optional: bool) {
    if optional {
        panic!(
            "in `layout = \"qualifiers\"` the value marks the event and is never absent: remove the `Option`, or write `layout = \"cells\"`"
        );
    }
}

/// Stops the build at a key that breaks a rule of whole keys.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "it is called in constants only: the panic is a build error"
)]
pub const fn check_key(layout: KeyLayout) {
    if let Some(message) = layout.refusal() {
        panic!("{}", message);
    }
    // It borrows constants, and constants have no destructors to run.
    std::mem::forget(layout);
}

/// The state of a query after a segment is set. Every state has one, whether it [accepts](Accepts)
/// the segment or not, so that the compiler tells of the latter.
pub trait Next {
    /// The state after the segment at `POSITION` is set by a selection of this kind, where `SET` is
    /// `POSITION + 1`.
    type After<Kind: SelectionKind, const POSITION: usize, const SET: usize>;
}

/// That state.
pub type After<State, Kind, const POSITION: usize, const SET: usize> =
    <State as Next>::After<Kind, POSITION, SET>;

impl<const N: usize> Next for Open<N> {
    type After<Kind: SelectionKind, const POSITION: usize, const SET: usize> =
        Kind::After<POSITION, SET>;
}

impl<const N: usize> Next for Closed<N> {
    type After<Kind: SelectionKind, const POSITION: usize, const SET: usize> =
        Kind::After<POSITION, SET>;
}

impl<const N: usize> Next for Filtered<N> {
    type After<Kind: SelectionKind, const POSITION: usize, const SET: usize> =
        Kind::AfterMaybe<SET>;
}

impl Next for FullScan {
    type After<Kind: SelectionKind, const POSITION: usize, const SET: usize> = Self;
}

/// The order of two keys by their bytes, and of two events in one row by their times. Values that
/// no key holds come first.
#[must_use]
pub fn compare_encoded(
    layout: &KeyLayout,
    a: &[(&str, SegmentValue)],
    b: &[(&str, SegmentValue)],
) -> Ordering {
    let encode = |values: &[(&str, SegmentValue)]| {
        let values: Vec<_> = values.iter().map(|(_, value)| value.clone()).collect();
        let mut key = Vec::new();
        layout.encode(&values, &mut key).ok().map(|()| key)
    };
    let in_turn = || {
        let pairs = a.iter().zip(b);
        let orders = pairs.map(|((_, a), (_, b))| compare_values(a, b));
        orders.fold(Ordering::Equal, Ordering::then)
    };
    encode(a).cmp(&encode(b)).then_with(in_turn)
}

/// The order of values that no key tells apart: times as they follow one another.
fn compare_values(a: &SegmentValue, b: &SegmentValue) -> Ordering {
    match (a, b) {
        (SegmentValue::Time(a), SegmentValue::Time(b)) => a.cmp(b),
        (a, b) => format!("{a:?}").cmp(&format!("{b:?}")),
    }
}

/// A segment whose bytes may hold escapes, as the model's type makes it of the text. That it is
/// text is checked where its format is chosen.
///
/// # Errors
/// When the type refuses it.
pub fn restored_text<T>(
    name: &'static str,
    escaped: Escaped<'_>,
    restore: impl FnOnce(&str) -> Result<T, SegmentError>,
) -> Result<T, KeyError> {
    restored(name, restore(&escaped.to_cow()))
}

/// A segment whose bytes may hold escapes, as data.
#[must_use]
pub fn escaped_value(escaped: Escaped<'_>) -> SegmentValue {
    SegmentValue::String(escaped.to_cow().into_owned())
}

/// `exchange=NASDAQ symbol=ZXZZT at=2015-03-16T19:53:32.156Z`.
///
/// # Errors
/// Those of the formatter.
pub fn display_segments(f: &mut Formatter<'_>, segments: &[(&str, SegmentValue)]) -> Formatted {
    for (index, (name, value)) in segments.iter().enumerate() {
        let space = if index == 0 { "" } else { " " };
        write!(f, "{space}{name}={value}")?;
    }
    Ok(())
}

/// The values as fields of a struct.
///
/// # Errors
/// Those of the formatter.
pub fn debug_segments(
    f: &mut Formatter<'_>,
    title: &str,
    segments: &[(&str, SegmentValue)],
) -> Formatted {
    let mut fields = f.debug_struct(title);
    for (name, value) in segments {
        fields.field(name, &format_args!("{value}"));
    }
    fields.finish()
}

/// A segment that is written with escapes, in place of what is read of a key. That it is text is
/// checked where its format is chosen.
#[inline]
pub fn not_escaped<'a, P: SegmentPrimitive<'a>>(text: P) -> Escaped<'a> {
    Escaped::plain(text.as_text().unwrap_or_default())
}

/// An event's time. That the type holds times is checked where its format is chosen.
#[inline]
pub fn time_of<'a, P: SegmentPrimitive<'a>>(time: P) -> Option<Timestamp> {
    time.as_time()
}

/// Puts an event's time in the place of its bucket's.
#[inline]
pub fn put_time<'a, P: SegmentPrimitive<'a>>(place: &mut P, time: Timestamp) {
    if let Some(time) = P::from_time(time) {
        *place = time;
    }
}

/// Writes the copy of a key segment as text: a time as it stands in the key, anything else by
/// `Display`.
///
/// # Errors
/// When the segment can't hold the value.
pub fn write_segment_text<'a, P: SegmentPrimitive<'a>>(
    event: &mut EventWriter,
    index: usize,
    segment: &Segment,
    stored: P,
) -> Result<(), ColumnError> {
    event.set_segment_text(index, segment, stored.into_value())
}

/// The refusal of a name that no variant has.
#[cold]
#[must_use]
pub fn unknown_variant(name: &str, title: &str, known: &[&str]) -> SegmentError {
    let known = known.join(", ");
    SegmentError::Refused(format!("`{name}` is no `{title}`: there are {known}"))
}

/// An alias, since the compiler would name the type by this module where it was re-exported.
pub type CellBytes = bytes::Bytes;

/// The name in a cell; none where it is no text.
#[must_use]
pub fn name_in_cell(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// A cell that holds the name of no variant.
#[cold]
#[must_use]
pub fn unknown_name(bytes: &[u8], title: &str, known: &[&str]) -> ValueError {
    let known = known.join(", ");
    ValueError::malformed(format!("a name of `{title}`: {known}"), bytes)
}

/// Sends an update.
///
/// # Errors
/// Those of [`Update::to_mutations`], and the backend's answer.
pub fn send_update<M: Model>(
    update: Update<M>,
    backend: &dyn Backend,
) -> BoxFuture<'_, Result<(), Error>> {
    let write = update.write(Timestamp::now());
    Box::pin(async move { crate::send::send_update(backend, M::SCHEMA, write?).await })
}

/// Sends an update under a condition.
///
/// # Errors
/// Those of [`send_update`], and of a condition that can't be sent.
pub fn send_update_if<M: Model>(
    update: Update<M>,
    backend: &dyn Backend,
    condition: Condition<M>,
) -> BoxFuture<'_, Result<bool, Error>> {
    let write = update.checked(Timestamp::now(), condition.test());
    Box::pin(async move { crate::send::send_checked(backend, M::SCHEMA, write?).await })
}

/// Sends an update of the event at a version.
///
/// # Errors
/// Those of [`send_update_if`], and that the event is at another version.
pub fn send_update_if_unchanged<M: VersionedModel>(
    update: Update<M>,
    backend: &dyn Backend,
    version: M::Version,
) -> BoxFuture<'_, Result<M::Version, Error>> {
    let write = update.at_version(Timestamp::now(), version);
    Box::pin(async move { crate::send::send_update_at(backend, M::SCHEMA, write?).await })
}
