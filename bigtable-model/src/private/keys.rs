//! How generated code orders, shows and reads keys.

use std::cmp::Ordering;
use std::fmt::{Formatter, Result as Formatted};
use std::hash::{Hash as _, Hasher};
use std::marker::PhantomData;

use serde::{Deserializer, Serializer, de, ser};

use crate::Timestamp;
use crate::error::in_words;
use crate::key::{
    Escaped, KeyError, KeyLayout, Segment, SegmentError, SegmentPrimitive, SegmentRole,
    SegmentValue,
};
use crate::model::{ColumnError, EventWriter, ModelKey, restored};

/// The order of two keys by their bytes, and of two events in one row by their times. Values that
/// no key can hold come first.
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

/// The order of values that no key distinguishes: times in time order.
fn compare_values(a: &SegmentValue, b: &SegmentValue) -> Ordering {
    match (a, b) {
        (SegmentValue::Time(a), SegmentValue::Time(b)) => a.cmp(b),
        (a, b) => format!("{a:?}").cmp(&format!("{b:?}")),
    }
}

/// A segment whose bytes may hold escapes, converted from text by the model's type. The choice of
/// its format checks that it is text.
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

/// A segment that is written with escapes, in the form read from a key. The choice of its format
/// checks that it is text.
#[inline]
pub fn not_escaped<'a, P: SegmentPrimitive<'a>>(text: P) -> Escaped<'a> {
    Escaped::plain(text.as_text().unwrap_or_default())
}

/// An event's time. The choice of its format checks that the type holds times.
#[inline]
pub fn time_of<'a, P: SegmentPrimitive<'a>>(time: P) -> Option<Timestamp> {
    time.as_time()
}

/// Replaces the bucket's time with an event's.
#[inline]
pub fn put_time<'a, P: SegmentPrimitive<'a>>(place: &mut P, time: Timestamp) {
    if let Some(time) = P::from_time(time) {
        *place = time;
    }
}

/// Writes the copy of a key segment as text: a time as in the key, anything else by `Display`.
///
/// # Errors
/// When the segment cannot hold the value.
pub fn write_segment_text<'a, P: SegmentPrimitive<'a>>(
    event: &mut EventWriter,
    index: usize,
    segment: &Segment,
    stored: P,
) -> Result<(), ColumnError> {
    event.set_segment_text(index, segment, stored.into_value())
}

/// Equal keys have the same bytes and, within one row, the same time.
pub fn hash_key<K: ModelKey, H: Hasher>(key: &K, state: &mut H) {
    let layout = K::LAYOUT;
    key.encode().ok().hash(state);
    if let Some((_, segment)) = layout.time_segment() {
        let time = key.time().filter(|_| segment.role == SegmentRole::Bucket);
        time.map(|time| segment.stored_time(time)).hash(state);
    }
}

/// Serialises a key as its text.
///
/// # Errors
/// For a key that no row can have.
pub fn serialize_key<K: ModelKey, S: Serializer>(
    key: &K,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match key.to_text() {
        Ok(text) => serializer.serialize_str(&text),
        Err(error) => Err(<S::Error as ser::Error>::custom(in_words(&error))),
    }
}

/// Reads a key from its text.
///
/// # Errors
/// For a text that is no key.
pub fn deserialize_key<'de, K: ModelKey, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<K, D::Error> {
    deserializer.deserialize_str(KeyText(PhantomData))
}

struct KeyText<K>(PhantomData<fn() -> K>);

impl<K: ModelKey> de::Visitor<'_> for KeyText<K> {
    type Value = K;

    fn expecting(&self, f: &mut Formatter<'_>) -> Formatted {
        write!(
            f,
            "the text of a row key of {} values",
            K::LAYOUT.valued().count()
        )
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<K, E> {
        K::from_text(text).map_err(|error| E::custom(in_words(&error)))
    }
}

/// Implements the traits of a key that need its text or its hash, for the parameters of its type,
/// the type, and their bounds.
#[doc(hidden)]
#[macro_export]
macro_rules! __key_text {
    ([$($parameters:tt)*] $key:ty, [$($clause:tt)*]) => {
        impl<$($parameters)*> ::std::str::FromStr for $key $($clause)* {
            type Err = $crate::__private::KeyError;

            #[inline]
            fn from_str(text: &str) -> $crate::__private::KeyResult<Self> {
                $crate::__private::ModelKey::from_text(text)
            }
        }

        impl<$($parameters)*> ::std::hash::Hash for $key $($clause)* {
            fn hash<__H: ::std::hash::Hasher>(&self, state: &mut __H) {
                $crate::__private::hash_key(self, state);
            }
        }

        impl<$($parameters)*> $crate::__private::Serialize for $key $($clause)* {
            fn serialize<__S: $crate::__private::Serializer>(
                &self,
                serializer: __S,
            ) -> ::std::result::Result<__S::Ok, __S::Error> {
                $crate::__private::serialize_key(self, serializer)
            }
        }

        impl<'__de, $($parameters)*> $crate::__private::Deserialize<'__de> for $key $($clause)* {
            fn deserialize<__D: $crate::__private::Deserializer<'__de>>(
                deserializer: __D,
            ) -> ::std::result::Result<Self, __D::Error> {
                $crate::__private::deserialize_key(deserializer)
            }
        }
    };
}
