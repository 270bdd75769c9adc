//! Events as Rust has them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::model::Codec;
use crate::value::Value;

/// An event as stored: times are rounded down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The identifiers' values.
    pub names: Vec<Value>,
    /// Microseconds since 1970.
    pub time: i64,
    pub cells: Vec<Option<Cell>>,
}

/// A column's value.
#[derive(Debug, Clone)]
pub enum Cell {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Bool(bool),
    Char(char),
    Micros(i64),
    Pair(i64, String),
    /// At least one column named at run time.
    Entries(BTreeMap<String, i64>),
}

/// Floats are compared by all their bits.
impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Signed(a), Self::Signed(b)) | (Self::Micros(a), Self::Micros(b)) => a.cmp(b),
            (Self::Unsigned(a), Self::Unsigned(b)) => a.cmp(b),
            (Self::Float(a), Self::Float(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Char(a), Self::Char(b)) => a.cmp(b),
            (Self::Pair(a, s), Self::Pair(b, t)) => (a, s).cmp(&(b, t)),
            (Self::Entries(a), Self::Entries(b)) => a.cmp(b),
            (a, b) => panic!("{a:?} beside {b:?}"),
        }
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cell {}

impl Cell {
    /// The order of the bytes in cells: numbers stored as text sort as text.
    pub fn compare_stored(&self, other: &Self, codec: Codec) -> Ordering {
        match (codec, self, other) {
            (Codec::SignedText, Self::Signed(a), Self::Signed(b)) => {
                a.to_string().cmp(&b.to_string())
            }
            (codec, a, b) => {
                assert!(codec.sorts(), "{codec:?} has no order");
                a.cmp(b)
            }
        }
    }
}

impl Codec {
    /// Whether the bytes in cells sort like the values.
    pub fn sorts(self) -> bool {
        matches!(
            self,
            Self::Unsigned | Self::Text | Self::Bytes | Self::Bool | Self::Char
        )
    }
}
