//! Values as Rust has them, and their order.

use std::cmp::Ordering;

/// A value of a key's segment.
#[derive(Debug, Clone)]
pub enum Value {
    /// Also the name of an enum's variant.
    Text(String),
    Bytes(Vec<u8>),
    Unsigned(u128),
    Signed(i128),
    Single(f32),
    Double(f64),
    Bool(bool),
    Char(char),
    Uuid([u8; 16]),
    /// Microseconds since 1970.
    Time(i64),
}

/// Text and bytes sort byte by byte, numbers by size, characters by code point. Floats sort by all
/// their bits: negative NaN, negative numbers, -0.0, 0.0, positive numbers, positive NaN.
impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Unsigned(a), Self::Unsigned(b)) => a.cmp(b),
            (Self::Signed(a), Self::Signed(b)) => a.cmp(b),
            (Self::Single(a), Self::Single(b)) => a.total_cmp(b),
            (Self::Double(a), Self::Double(b)) => a.total_cmp(b),
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Char(a), Self::Char(b)) => u32::from(*a).cmp(&u32::from(*b)),
            (Self::Uuid(a), Self::Uuid(b)) => a.cmp(b),
            (Self::Time(a), Self::Time(b)) => a.cmp(b),
            (a, b) => panic!("{a:?} beside {b:?}"),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}
