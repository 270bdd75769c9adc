//! Types of key fields as values.

use bigtable_model::{KeySegment, Timestamp};
use uuid::Uuid;

use super::value::Value;

/// A type whose values convert to plain ones.
pub(super) trait Natural: Sized + Clone {
    fn of(value: &Value) -> Self;
    fn value(&self) -> Value;
}

macro_rules! natural {
    ($($type:ty: $variant:ident($value:ident) => $of:expr, $self:ident => $to:expr;)*) => {$(
        impl Natural for $type {
            fn of(value: &Value) -> Self {
                match value {
                    Value::$variant($value) => $of,
                    other => panic!("{other:?}"),
                }
            }

            fn value(&self) -> Value {
                let $self = self;
                Value::$variant($to)
            }
        }
    )*};
}

natural! {
    String: Text(text) => text.clone(), text => text.clone();
    u8: Unsigned(number) => u8::try_from(*number).unwrap(), number => (*number).into();
    u64: Unsigned(number) => u64::try_from(*number).unwrap(), number => (*number).into();
    u128: Unsigned(number) => *number, number => *number;
    i16: Signed(number) => i16::try_from(*number).unwrap(), number => (*number).into();
    i64: Signed(number) => i64::try_from(*number).unwrap(), number => (*number).into();
    f64: Double(number) => *number, number => *number;
    f32: Single(number) => *number, number => *number;
    bool: Bool(is) => *is, is => *is;
    char: Char(one) => *one, one => *one;
    [u8; 2]: Bytes(bytes) => bytes.as_slice().try_into().unwrap(), bytes => bytes.to_vec();
    Uuid: Uuid(bytes) => Uuid::from_bytes(*bytes), uuid => *uuid.as_bytes();
    Timestamp: Time(micros) => Timestamp::from_micros(*micros), time => time.as_micros();
    Symbol: Text(text) => Symbol(text.clone()), symbol => symbol.0.clone();
}

/// A newtype.
#[derive(Debug, Clone, PartialEq, KeySegment)]
pub(super) struct Symbol(pub(super) String);

/// An enum, which is ordered by the names of its variants.
#[derive(Debug, Clone, Copy, PartialEq, KeySegment)]
pub(super) enum Venue {
    Nyse,
    #[bigtable(name = "NYSE-ARCA")]
    Arca,
    Amex,
    Iex,
}

impl Venue {
    pub(super) const NAMES: [&str; 4] = ["Nyse", "NYSE-ARCA", "Amex", "Iex"];
}

impl Natural for Venue {
    fn of(value: &Value) -> Self {
        match value {
            Value::Text(name) => match name.as_str() {
                "Nyse" => Self::Nyse,
                "NYSE-ARCA" => Self::Arca,
                "Amex" => Self::Amex,
                "Iex" => Self::Iex,
                other => panic!("{other}"),
            },
            other => panic!("{other:?}"),
        }
    }

    fn value(&self) -> Value {
        let name = match self {
            Self::Nyse => Self::NAMES[0],
            Self::Arca => Self::NAMES[1],
            Self::Amex => Self::NAMES[2],
            Self::Iex => Self::NAMES[3],
        };
        Value::Text(name.to_owned())
    }
}
