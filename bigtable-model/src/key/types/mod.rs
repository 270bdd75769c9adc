//! The kinds of segments, and the types stored as each: one file for each kind.
//!
//! To add a kind, write its file, with the functions that [`SegmentKind`] asks for, and name it in
//! the enum, in `ask!` and in `Display` here; a new form of value or format is one variant of
//! [`SegmentValue`] or [`SegmentFormat`].

pub(super) mod array;
mod boolean;
mod byte_string;
mod character;
pub(super) mod date;
mod float;
mod foreign;
pub(super) mod instant;
pub(super) mod integer;
pub(super) mod primitive;
pub(super) mod segment;
mod text;
mod uuid;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{SegmentError, SegmentFormat, SegmentOptions, SegmentValue};

/// The kind of a segment's values, independent of their format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SegmentKind {
    /// UTF-8 text.
    String,
    /// Any number of bytes.
    Bytes,
    /// A fixed number of bytes.
    ByteArray {
        /// How many.
        len: u16,
    },
    /// An unsigned integer.
    Unsigned {
        /// 8 to 128.
        bits: u16,
    },
    /// A signed integer.
    Signed {
        /// 8 to 128.
        bits: u16,
    },
    /// A floating-point number.
    Float {
        /// 32 or 64.
        bits: u16,
    },
    /// `false` before `true`.
    Bool,
    /// A Unicode scalar value.
    Char,
    /// A UUID.
    Uuid,
    /// An instant.
    Time,
    /// A day: the instant at which it begins in UTC.
    Date,
}

/// Calls the function of this name in the file of a kind.
macro_rules! ask {
    ($kind:expr, $question:ident($($with:expr),*)) => {{
        let kind = $kind;
        match kind {
            SegmentKind::String => text::$question(kind, $($with),*),
            SegmentKind::Bytes => byte_string::$question(kind, $($with),*),
            SegmentKind::ByteArray { .. } => array::$question(kind, $($with),*),
            SegmentKind::Unsigned { .. } | SegmentKind::Signed { .. } => {
                integer::$question(kind, $($with),*)
            }
            SegmentKind::Float { .. } => float::$question(kind, $($with),*),
            SegmentKind::Bool => boolean::$question(kind, $($with),*),
            SegmentKind::Char => character::$question(kind, $($with),*),
            SegmentKind::Uuid => uuid::$question(kind, $($with),*),
            SegmentKind::Time => instant::$question(kind, $($with),*),
            SegmentKind::Date => date::$question(kind, $($with),*),
        }
    }};
}

impl SegmentKind {
    /// Whether values are times: instants or days.
    #[must_use]
    pub const fn is_time(self) -> bool {
        matches!(self, Self::Time | Self::Date)
    }

    /// Why `options` do not fit, and what to write instead.
    pub(super) const fn refusal(self, options: SegmentOptions, last: bool) -> Option<&'static str> {
        ask!(self, refusal(options, last))
    }

    /// The format for valid options.
    pub(super) const fn format(self, options: SegmentOptions) -> SegmentFormat {
        ask!(self, format(options))
    }

    /// Whether `format` can hold the values and keeps their order.
    pub(super) const fn takes(self, format: &SegmentFormat) -> bool {
        ask!(self, takes(format))
    }

    /// Whether values of this kind are also values of the other, if they fit.
    pub(crate) const fn is_like(self, other: Self) -> bool {
        ask!(self, is_like(other))
    }

    /// Appends a value; `None` for a value of another kind.
    pub(super) fn encode(
        self,
        value: &SegmentValue,
        format: &SegmentFormat,
        separator: u8,
        out: &mut Vec<u8>,
    ) -> Option<Result<(), SegmentError>> {
        ask!(self, encode(value, format, separator, out))
    }

    /// Decodes a value from exactly its bytes.
    pub(super) fn decode(
        self,
        format: &SegmentFormat,
        separator: u8,
        bytes: &[u8],
    ) -> Result<SegmentValue, SegmentError> {
        ask!(self, decode(format, separator, bytes))
    }

    /// Sample values; the first that a segment can hold is used.
    pub(crate) fn samples(self) -> Vec<SegmentValue> {
        ask!(self, samples())
    }

    /// A random value that `format` can hold.
    #[cfg(feature = "testing")]
    pub(crate) fn random(
        self,
        format: &SegmentFormat,
        separator: u8,
        rng: &mut fastrand::Rng,
    ) -> SegmentValue {
        ask!(self, random(format, separator, rng))
    }
}

impl fmt::Display for SegmentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String => f.write_str("string"),
            Self::Bytes => f.write_str("byte string"),
            Self::ByteArray { len } => write!(f, "array of {len} bytes"),
            Self::Unsigned { bits } => write!(f, "u{bits}"),
            Self::Signed { bits } => write!(f, "i{bits}"),
            Self::Float { bits } => write!(f, "f{bits}"),
            Self::Bool => f.write_str("bool"),
            Self::Char => f.write_str("char"),
            Self::Uuid => f.write_str("UUID"),
            Self::Time => f.write_str("time"),
            Self::Date => f.write_str("date"),
        }
    }
}

/// For kinds whose values have one width.
const NO_WIDTH: &str = "`width` is for strings, integers and times: remove it";

/// For kinds that ordered code writes in its own way.
const NO_BINARY: &str = "in ordered code numbers and times are binary without a word, `bool` and `char` are text: remove `binary`";
