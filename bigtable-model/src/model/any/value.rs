//! Values of types that the program does not have.

use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;

use crate::Timestamp;

/// A value of a field whose type is not known at compile time.
///
/// `From` converts numbers, texts, times and so on. A text is read as the field's type: a number by
/// its digits, a time by RFC 3339, a UUID in hex.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant holds what it is named after")]
pub enum Value {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Utf8(ByteString),
    Bytes(Bytes),
    Time(Timestamp),
    Integers(Vec<i64>),
    Floats(Vec<f64>),
}

/// Shows texts unquoted, times in RFC 3339, bytes in hex.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Utf8(value) => f.pad(value),
            Self::Bytes(value) => value.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
            Self::Time(value) => value.fmt(f),
            Self::Integers(values) => f.debug_list().entries(values).finish(),
            Self::Floats(values) => f.debug_list().entries(values).finish(),
        }
    }
}

macro_rules! from {
    ($($type:ty => |$value:ident| $made:expr,)*) => {$(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $made
            }
        }
    )*};
}

from! {
    bool => |value| Self::Bool(value),
    i64 => |value| Self::Integer(value),
    i32 => |value| Self::Integer(value.into()),
    u32 => |value| Self::Integer(value.into()),
    u16 => |value| Self::Integer(value.into()),
    u8 => |value| Self::Integer(value.into()),
    f64 => |value| Self::Float(value),
    f32 => |value| Self::Float(value.into()),
    &str => |value| Self::Utf8(value.into()),
    String => |value| Self::Utf8(value.into()),
    ByteString => |value| Self::Utf8(value),
    Bytes => |value| Self::Bytes(value),
    &[u8] => |value| Self::Bytes(Bytes::copy_from_slice(value)),
    Vec<u8> => |value| Self::Bytes(value.into()),
    Timestamp => |value| Self::Time(value),
    Vec<i64> => |value| Self::Integers(value),
    Vec<f64> => |value| Self::Floats(value),
}

impl Value {
    /// The kind of value, in words.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a floating-point number",
            Self::Utf8(_) => "a text",
            Self::Bytes(_) => "bytes",
            Self::Time(_) => "a time",
            Self::Integers(_) => "a list of integers",
            Self::Floats(_) => "a list of floating-point numbers",
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            Self::Utf8(text) => text.parse().ok(),
            _ => None,
        }
    }

    pub(crate) fn as_integer(&self) -> Option<i128> {
        match self {
            Self::Integer(value) => Some((*value).into()),
            Self::Utf8(text) => text.parse().ok(),
            _ => None,
        }
    }

    pub(crate) fn as_float(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            // Integers up to 2^53 are floating-point numbers too.
            #[allow(clippy::cast_precision_loss, reason = "it is small enough")]
            Self::Integer(value) if value.unsigned_abs() <= 1 << 53 => Some(*value as f64),
            Self::Utf8(text) => text.parse().ok(),
            _ => None,
        }
    }

    pub(crate) fn as_time(&self) -> Option<Timestamp> {
        match self {
            Self::Time(value) => Some(*value),
            Self::Utf8(text) => text.parse().ok(),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Utf8(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Utf8(text) => Some(text.as_bytes()),
            _ => None,
        }
    }
}

/// The number as a 32-bit float, if that is exact.
#[allow(clippy::cast_possible_truncation, reason = "it is compared afterwards")]
pub(crate) fn single(value: f64) -> Option<f32> {
    let single = value as f32;
    (f64::from(single).to_bits() == value.to_bits() || value.is_nan()).then_some(single)
}
