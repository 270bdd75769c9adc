//! The values of columns and parameters.

use std::cmp::Ordering;

use bytes::Bytes;
use bytestring::ByteString;

use super::{SqlDate, SqlTimestamp};

/// A value of a column or of a parameter, or a part of one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SqlValue {
    /// `NULL`, of any type.
    Null,
    /// `BYTES`, and protocol buffers.
    Bytes(Bytes),
    /// `STRING`
    String(ByteString),
    /// `INT64`, and enums of protocol buffers.
    Int64(i64),
    /// `FLOAT64`
    Float64(f64),
    /// `FLOAT32`
    Float32(f32),
    /// `BOOL`
    Bool(bool),
    /// `TIMESTAMP`
    Timestamp(SqlTimestamp),
    /// `DATE`
    Date(SqlDate),
    /// The elements of an `ARRAY`.
    Array(Vec<SqlValue>),
    /// The values of a `STRUCT`, one for each field of its type.
    Struct(Vec<SqlValue>),
    /// The entries of a `MAP`. In rows from a query, each key occurs once.
    Map(Vec<(SqlValue, SqlValue)>),
}

impl SqlValue {
    /// Whether it is `NULL`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value of a key of a map; `None` if this is not a map or has no such key.
    #[must_use]
    pub fn entry(&self, key: &[u8]) -> Option<&Self> {
        let Self::Map(entries) = self else {
            return None;
        };
        let is = |held: &Self| match held {
            Self::Bytes(bytes) => bytes == key,
            Self::String(text) => text.as_bytes() == key,
            _ => false,
        };
        (entries.iter().find(|(held, _)| is(held))).map(|(_, value)| value)
    }

    /// The kind of value, for errors.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Bytes(_) => "BYTES",
            Self::String(_) => "STRING",
            Self::Int64(_) => "INT64",
            Self::Float64(_) => "FLOAT64",
            Self::Float32(_) => "FLOAT32",
            Self::Bool(_) => "BOOL",
            Self::Timestamp(_) => "TIMESTAMP",
            Self::Date(_) => "DATE",
            Self::Array(_) => "an ARRAY",
            Self::Struct(_) => "a STRUCT",
            Self::Map(_) => "a MAP",
        }
    }

    /// A total order in which only identical values are equal: NULL first, then by kind.
    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::String(a), Self::String(b)) => a.cmp(b),
            (Self::Int64(a), Self::Int64(b)) => a.cmp(b),
            (Self::Float64(a), Self::Float64(b)) => a.total_cmp(b),
            (Self::Float32(a), Self::Float32(b)) => a.total_cmp(b),
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Timestamp(a), Self::Timestamp(b)) => a.cmp(b),
            (Self::Date(a), Self::Date(b)) => a.cmp(b),
            (Self::Array(a), Self::Array(b)) | (Self::Struct(a), Self::Struct(b)) => {
                order_of_lists(a.iter(), b.iter())
            }
            (Self::Map(a), Self::Map(b)) => {
                let parts = |entries: &'_ [(Self, Self)]| {
                    let parts = entries.iter().flat_map(|(key, value)| [key, value]);
                    parts.cloned().collect::<Vec<_>>()
                };
                order_of_lists(parts(a).iter(), parts(b).iter())
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bytes(_) => 1,
            Self::String(_) => 2,
            Self::Int64(_) => 3,
            Self::Float64(_) => 4,
            Self::Float32(_) => 5,
            Self::Bool(_) => 6,
            Self::Timestamp(_) => 7,
            Self::Date(_) => 8,
            Self::Array(_) => 9,
            Self::Struct(_) => 10,
            Self::Map(_) => 11,
        }
    }
}

fn order_of_lists<'a>(
    mut a: impl Iterator<Item = &'a SqlValue>,
    mut b: impl Iterator<Item = &'a SqlValue>,
) -> Ordering {
    loop {
        return match (a.next(), b.next()) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => match a.order(b) {
                Ordering::Equal => continue,
                unequal => unequal,
            },
        };
    }
}

/// Entries with unique keys: of several with the same key, the last one is kept.
#[cfg_attr(
    not(feature = "grpc"),
    allow(dead_code, reason = "answers come over gRPC")
)]
pub(crate) fn last_of_each_key(entries: Vec<(SqlValue, SqlValue)>) -> Vec<(SqlValue, SqlValue)> {
    let ascends = |pair: &[(SqlValue, SqlValue)]| match pair {
        [(a, _), (b, _)] => a.order(b).is_lt(),
        _ => true,
    };
    if entries.windows(2).all(ascends) {
        return entries;
    }
    let mut sorted = entries;
    // Equal keys keep their order.
    sorted.sort_by(|(a, _), (b, _)| a.order(b));
    sorted.dedup_by(|later, kept| {
        let same = kept.0.order(&later.0).is_eq();
        if same {
            std::mem::swap(kept, later);
        }
        same
    });
    sorted
}
