//! Functions that generated code calls. Not part of the public interface: anything here may change
//! in any release.

mod checks;
mod keys;
mod names;
mod states;

pub use std::borrow::Cow;
pub use std::clone::Clone;
pub use std::cmp::{Eq, Ord, Ordering, PartialEq, PartialOrd};
pub use std::convert::From;
pub use std::default::Default;
pub use std::fmt::{Debug, Display, Formatter, Result as Formatted};
pub use std::marker::{Copy, PhantomData};
pub use std::option::Option::{self, None, Some};
pub use std::result::Result::{self, Err, Ok};
pub use std::string::String;
pub use std::vec::Vec;

pub use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use futures::future::BoxFuture;

pub use crate::backend::Backend;
pub use crate::condition::{Condition, VersionedModel};
pub use crate::data::{AggregateKind, GcRule, RowMutations};
pub use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan, Offset};
pub use crate::key::{
    CalendarField, CalendarFormat, CalendarItem, CodePlace, Escaped, HotSeries, KeyError,
    KeyLayout, KeyReader, KeySegment, KeyWriter, OwnHash, Salt, SaltHash, SaltedKeyReader,
    SaltedKeyWriter, Segment, SegmentError, SegmentFormat, SegmentKind, SegmentOptions,
    SegmentPrimitive, SegmentRole, SegmentValue, TimeUnit,
};
pub use crate::key::{bucket_segment, identifier, tie_breaker, time_segment};
pub use crate::mirror::Mirror;
pub use crate::model::former;
pub use crate::model::{
    Aggregate, Append, AppendField, Batched, CellTime, Coded, Column, ColumnArg, ColumnError,
    ColumnKind, ColumnSchema, Counter, Editable, EventCells, EventWriter, FamilyRule, Field,
    FieldAccess, FieldUse, FieldsWriter, InPayload, IntoUpdate, KeyField, Layout, MapAccess,
    MapField, Model, ModelKey, ModelSchema, NumberField, Owner, PayloadAccess, PeriodTables,
    Presence, Projection, ProtoField, ProtoModel, ReadError, RequiredField, RequiredInPayload,
    Samples, Schema, SerializedField, SerializedModel, TableName, TablesByPeriod, Update,
    map_access, read_payload, restored,
};
pub use crate::model::{also_named, column, copying, of_kind, sensitive};
pub use crate::query::{
    Accepts, AsQuery, ByKey, ByTime, Closed, Filtered, FullScan, One, Open, Query, QueryState,
    SelectionKind, Selects, Start,
};
pub use crate::rollup::column::{ColumnAggregate, bucket_start, values};
pub use crate::rollup::{Level, Rollup, RollupError, check_names_rollup, in_own_tables, rolled_up};
#[cfg(feature = "json")]
pub use crate::value::Json;
#[cfg(not(feature = "json"))]
pub use crate::value::JsonFeatureIsOff as Json;
#[cfg(feature = "postcard")]
pub use crate::value::Postcard;
#[cfg(not(feature = "postcard"))]
pub use crate::value::payload::PostcardFeatureIsOff as Postcard;
#[cfg(not(feature = "prost"))]
pub use crate::value::payload::ProstFeatureIsOff as Proto;
#[cfg(feature = "prost")]
pub use crate::value::payload::Proto;
pub use crate::value::payload::{PayloadField, PayloadFormat};
pub use crate::value::{CellValue, Native, Takes, Text, ValueError};
pub use crate::{Error, Timestamp};
pub use std::time::Duration;

pub use crate::__key_text as key_text;
pub use checks::{
    check_declared_presence, check_few, check_first, check_hot, check_key, check_presence,
    check_presence_in_bucket, check_segment, check_structured, check_time, check_value,
    presence_column, presence_column_in_bucket,
};
pub use keys::{
    compare_encoded, debug_segments, deserialize_key, display_segments, escaped_value, hash_key,
    not_escaped, put_time, restored_text, serialize_key, time_of, write_segment_text,
};
pub use names::{CellBytes, name_in_cell, unknown_name, unknown_variant};
pub use states::{After, Next};

/// The result of a generated key function.
pub type KeyResult<T> = Result<T, KeyError>;

/// The aggregates of a roll-up's columns.
pub mod rollup {
    pub use crate::aggregate::{Count, First, Last, Max, MeanOf, Min, Sum};
}

/// Replaces code that could not be generated, since the mistake stops the build.
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

/// A constant list without elements.
#[must_use]
pub const fn empty_slice<T: Clone>() -> Cow<'static, [T]> {
    Cow::Borrowed(&[])
}

/// The options of a segment that declares none.
pub const NO_OPTIONS: SegmentOptions = SegmentOptions::NONE;

/// A key of these segments, with their prefix and separator, and whether the separator also
/// encloses them.
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
