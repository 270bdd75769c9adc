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
    #[serde(with = "single")]
    Float32(f32),
    #[serde(with = "double")]
    Float(f64),
    Bool(bool),
    Char(char),
    Uuid([u8; 16]),
    Time(Timestamp),
}

impl SegmentValue {
    /// The name of this variant's kind of value.
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
    /// for values of different kinds.
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

/// As in a described key: text plain or quoted, bytes quoted, times in RFC 3339.
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

/// Floats as data: numbers, except that infinities and NaN are the hexadecimal digits of their bits
/// in text formats such as JSON, which lack them.
macro_rules! float {
    ($module:ident, $float:ident, $bits:ident, $write:ident, $width:literal) => {
        mod $module {
            use serde::{Deserialize, Deserializer, Serializer, de};

            /// A number, or the bits of one.
            #[derive(Deserialize)]
            #[serde(untagged)]
            enum Text {
                Number($float),
                Bits(String),
            }

            pub(super) fn serialize<S: Serializer>(
                value: &$float,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                match serializer.is_human_readable() && !value.is_finite() {
                    true => serializer.collect_str(&format_args!($width, value.to_bits())),
                    false => serializer.$write(*value),
                }
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<$float, D::Error> {
                if !deserializer.is_human_readable() {
                    return $float::deserialize(deserializer);
                }
                match Text::deserialize(deserializer)? {
                    Text::Number(number) => Ok(number),
                    Text::Bits(text) => {
                        let bits = $bits::from_str_radix(&text, 16);
                        bits.map($float::from_bits).map_err(de::Error::custom)
                    }
                }
            }
        }
    };
}

float!(single, f32, u32, serialize_f32, "{:08x}");
float!(double, f64, u64, serialize_f64, "{:016x}");

#[cfg(all(test, feature = "json"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use proptest::prelude::*;

    /// Whether both have the same bits.
    fn are_same(one: &SegmentValue, other: &SegmentValue) -> bool {
        match (one, other) {
            (SegmentValue::Float(one), SegmentValue::Float(other)) => {
                one.to_bits() == other.to_bits()
            }
            (SegmentValue::Float32(one), SegmentValue::Float32(other)) => {
                one.to_bits() == other.to_bits()
            }
            (one, other) => one == other,
        }
    }

    fn bits() -> impl Strategy<Value = u64> {
        let special = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0];
        let special = prop::sample::select(special.map(f64::to_bits).to_vec());
        let nan = any::<u64>().prop_map(|bits| bits | f64::INFINITY.to_bits());
        prop_oneof![any::<u64>(), special, nan]
    }

    fn bits_32() -> impl Strategy<Value = u32> {
        let nan = any::<u32>().prop_map(|bits| bits | f32::INFINITY.to_bits());
        prop_oneof![any::<u32>(), nan]
    }

    proptest! {
        #[test]
        fn values_come_back_as_data(
            double in bits(),
            single in bits_32(),
            unsigned: u128,
            signed: i128,
        ) {
            for value in [
                SegmentValue::Float(f64::from_bits(double)),
                SegmentValue::Float32(f32::from_bits(single)),
                SegmentValue::Unsigned(unsigned),
                SegmentValue::Signed(signed),
            ] {
                let json = serde_json::to_string(&value).unwrap();
                let read: SegmentValue = serde_json::from_str(&json).unwrap();
                prop_assert!(are_same(&read, &value), "{json}");
            }
        }
    }
}
