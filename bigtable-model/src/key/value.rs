#[cfg(any(feature = "testing", test))]
use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::key::encoding::hex;

/// A segment's value as data, for layouts, queries and plans without a model type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "each variant holds the value of the kind that it is named after"
)]
pub enum SegmentValue {
    String(String),
    Bytes(Vec<u8>),
    Unsigned(u128),
    Signed(i128),
    Float32(f32),
    Float(f64),
    Bool(bool),
    Char(char),
    Uuid([u8; 16]),
    Time(Timestamp),
}

impl SegmentValue {
    /// What a value of this variant is called.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self {
            Self::String(_) => "string",
            Self::Bytes(_) => "byte string",
            Self::Unsigned(_) => "unsigned integer",
            Self::Signed(_) => "signed integer",
            Self::Float32(_) => "f32",
            Self::Float(_) => "f64",
            Self::Bool(_) => "bool",
            Self::Char(_) => "char",
            Self::Uuid(_) => "UUID",
            Self::Time(_) => "time",
        }
    }

    /// The order of two values of one kind, not of their bytes: floats are in total order. `None`
    /// for values of two kinds.
    #[cfg(any(feature = "testing", test))]
    pub(crate) fn natural_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(match (self, other) {
            (Self::String(one), Self::String(other)) => one.cmp(other),
            (Self::Bytes(one), Self::Bytes(other)) => one.cmp(other),
            (Self::Unsigned(one), Self::Unsigned(other)) => one.cmp(other),
            (Self::Signed(one), Self::Signed(other)) => one.cmp(other),
            (Self::Float32(one), Self::Float32(other)) => one.total_cmp(other),
            (Self::Float(one), Self::Float(other)) => one.total_cmp(other),
            (Self::Bool(one), Self::Bool(other)) => one.cmp(other),
            (Self::Char(one), Self::Char(other)) => one.cmp(other),
            (Self::Uuid(one), Self::Uuid(other)) => one.cmp(other),
            (Self::Time(one), Self::Time(other)) => one.cmp(other),
            _ => return None,
        })
    }
}

/// As in a described key: text plain or quoted, bytes quoted, times by RFC 3339.
impl fmt::Display for SegmentValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(text) if is_plain(text) => f.write_str(text),
            Self::String(text) => write!(f, "{text:?}"),
            Self::Bytes(bytes) => write!(f, "\"{}\"", bytes.escape_ascii()),
            Self::Unsigned(value) => write!(f, "{value}"),
            Self::Signed(value) => write!(f, "{value}"),
            Self::Float32(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Char(value) => write!(f, "{value:?}"),
            Self::Uuid(bytes) => {
                let mut text = Vec::new();
                hex::push_uuid(bytes, &mut text);
                f.write_str(&String::from_utf8_lossy(&text))
            }
            Self::Time(time) => write!(f, "{time}"),
        }
    }
}

fn is_plain(text: &str) -> bool {
    let quoted = |part: char| part.is_whitespace() || part.is_control() || part == '"';
    !text.is_empty() && !text.contains(quoted)
}
