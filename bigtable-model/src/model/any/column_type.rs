//! The type of a column as data: decodes and encodes values without the struct.

use bytes::Bytes;
use bytestring::ByteString;
use serde::{Deserialize, Serialize};

use super::{Value, single};
use crate::Timestamp;
use crate::key::encoding::hex;
use crate::value::{CellValue as _, Takes, ValueError};

/// How a stored form is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Bool,
    Char,
    Integer,
    Double,
    Single,
    Text,
    Bytes,
    Array(usize),
    Time,
    Uuid,
    Integers,
    Doubles,
    Singles,
    Date,
    Decimal,
    /// Text that only code can check.
    OwnText,
    /// Bytes that only code can read.
    Own,
}

impl Form {
    /// The form with the name that codecs use.
    fn of(name: &str) -> Self {
        let array = || {
            let len = name.strip_prefix("bytes[")?.strip_suffix(']')?;
            len.parse().ok().map(Self::Array)
        };
        match name {
            "bool" => Self::Bool,
            "char" => Self::Char,
            "int64" => Self::Integer,
            "float64" => Self::Double,
            "float32" => Self::Single,
            "utf8" | "text" => Self::Text,
            "bytes" => Self::Bytes,
            "micros" => Self::Time,
            "uuid" => Self::Uuid,
            "int64[]" => Self::Integers,
            "float64[]" => Self::Doubles,
            "float32[]" => Self::Singles,
            "date" => Self::Date,
            "decimal" => Self::Decimal,
            "json" => Self::OwnText,
            _ => array().unwrap_or(Self::Own),
        }
    }

    /// Decodes a cell's value; texts and bytes share it.
    pub(crate) fn decode(
        self,
        bytes: &[u8],
        shared: impl FnOnce() -> Bytes,
    ) -> Result<Value, ValueError> {
        Ok(match self {
            Self::Bool => Value::Bool(bool::decode_value(bytes)?),
            Self::Char => Value::Utf8(char::decode_value(bytes)?.to_string().into()),
            Self::Integer => Value::Integer(i64::decode_value(bytes)?),
            Self::Double => Value::Float(f64::decode_value(bytes)?),
            Self::Single => Value::Float(f32::decode_value(bytes)?.into()),
            Self::Text | Self::OwnText | Self::Date | Self::Decimal => {
                Value::Utf8(ByteString::decode_shared_value(&shared())?)
            }
            Self::Array(len) if bytes.len() != len => {
                let expected = format!("exactly {len} bytes");
                return Err(ValueError::malformed(expected, bytes));
            }
            Self::Bytes | Self::Array(_) | Self::Own => Value::Bytes(shared()),
            Self::Time => Value::Time(Timestamp::decode_value(bytes)?),
            Self::Uuid => {
                let uuid: [u8; 16] = <[u8; 16]>::decode_value(bytes)?;
                let mut text = Vec::new();
                hex::push_uuid(&uuid, &mut text);
                Value::Utf8(ByteString::decode_value(&text)?)
            }
            Self::Integers => Value::Integers(Vec::<i64>::decode_value(bytes)?),
            Self::Doubles => Value::Floats(Vec::<f64>::decode_value(bytes)?),
            Self::Singles => {
                let numbers = Vec::<f32>::decode_value(bytes)?;
                Value::Floats(numbers.into_iter().map(f64::from).collect())
            }
        })
    }
}

/// The type of a column as data: the name of its stored form, and the values that it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnType {
    /// The name of the stored form, like [`CellCodec::NAME`](crate::value::CellCodec::NAME).
    pub form: String,
    /// The values of the form that the field's type takes.
    pub takes: Takes,
}

impl ColumnType {
    /// Decodes a cell's value. A form that only a program's own codec can read becomes
    /// [`Value::Bytes`], or [`Value::Utf8`] if it is text.
    ///
    /// # Errors
    /// [`ValueError::Malformed`] if the bytes are not of the form.
    pub fn decode(&self, bytes: &Bytes) -> Result<Value, ValueError> {
        self.form().decode(bytes, || bytes.clone())
    }

    /// Whether values are numbers, decoded as [`Value::Integer`] or [`Value::Float`].
    pub(crate) fn is_number(&self) -> bool {
        matches!(self.form(), Form::Integer | Form::Double | Form::Single)
    }

    /// How values are decoded.
    pub(crate) fn form(&self) -> Form {
        Form::of(&self.form)
    }

    /// Appends the stored form of a value that the type takes.
    ///
    /// # Errors
    /// [`ValueError::Refused`] for other values, and always if only code decides which values the
    /// type takes; `out` is then unchanged.
    pub fn encode(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let refused = |reason: String| ValueError::refused(self.form.clone(), reason);
        if self.takes.is_own() {
            return Err(refused(self.takes.wanted()));
        }
        let other = |wanted: &str| refused(format!("{} is not {wanted}", value.kind()));
        let form = self.form();
        let mut bytes = Vec::new();
        match form {
            Form::Bool => {
                let value = value.as_bool().ok_or_else(|| other("a boolean"))?;
                value.encode_value(&mut bytes)?;
            }
            Form::Integer => {
                let integer = value
                    .as_integer()
                    .and_then(|value| i64::try_from(value).ok());
                let integer = integer.ok_or_else(|| other("an integer of 64 bits"))?;
                integer.encode_value(&mut bytes)?;
            }
            Form::Double => {
                let value = value.as_float().ok_or_else(|| other("a number"))?;
                value.encode_value(&mut bytes)?;
            }
            Form::Single => {
                let single = value.as_float().and_then(single);
                let single = single.ok_or_else(|| other("a number of 32 bits"))?;
                single.encode_value(&mut bytes)?;
            }
            Form::Char => {
                let text = value.as_text().ok_or_else(|| other("a character"))?;
                char::decode_value(text.as_bytes())?.encode_value(&mut bytes)?;
            }
            Form::Text | Form::OwnText => bytes.extend_from_slice(&self.text(value)?),
            Form::Date => {
                let text = value.as_text().ok_or_else(|| other("a date"))?;
                jiff::civil::Date::decode_value(text.as_bytes())?.encode_value(&mut bytes)?;
            }
            Form::Decimal => {
                let text = match value {
                    Value::Utf8(_) | Value::Integer(_) | Value::Float(_) => value.to_string(),
                    _ => String::new(),
                };
                match is_decimal(&text) {
                    true => bytes.extend_from_slice(text.as_bytes()),
                    false => return Err(other("a decimal number of at most 28 digits")),
                }
            }
            Form::Bytes | Form::Array(_) => {
                let got = value.as_bytes().ok_or_else(|| other("bytes"))?;
                if let Form::Array(len) = form
                    && got.len() != len
                {
                    return Err(refused(format!("it takes {len} bytes, not {}", got.len())));
                }
                bytes.extend_from_slice(got);
            }
            Form::Time => {
                let value = value.as_time().ok_or_else(|| other("a time"))?;
                value.encode_value(&mut bytes)?;
            }
            Form::Uuid => {
                let uuid = value.as_bytes().and_then(hex::parse_uuid);
                bytes.extend_from_slice(&uuid.ok_or_else(|| other("a UUID"))?);
            }
            Form::Integers => match value {
                Value::Integers(values) => values.encode_value(&mut bytes)?,
                _ => return Err(other("a list of integers")),
            },
            Form::Doubles | Form::Singles => match value {
                Value::Floats(values) if form == Form::Doubles => {
                    values.encode_value(&mut bytes)?
                }
                Value::Floats(values) => {
                    let singles: Option<Vec<f32>> = values.iter().copied().map(single).collect();
                    let singles = singles.ok_or_else(|| other("numbers of 32 bits"))?;
                    singles.encode_value(&mut bytes)?;
                }
                _ => return Err(other("a list of floating-point numbers")),
            },
            Form::Own => return Err(refused("its codec is code".to_owned())),
        }
        self.check(&bytes, form)?;
        out.append(&mut bytes);
        Ok(())
    }

    /// The text of a value, in a form that is text: for a number, as its type writes it.
    fn text(&self, value: &Value) -> Result<Vec<u8>, ValueError> {
        let text = match (value, &self.takes) {
            (Value::Utf8(text), Takes::Floats) => match text.parse::<f64>() {
                Ok(number) => number.to_string(),
                Err(_) => text.to_string(),
            },
            (Value::Utf8(text), Takes::Integers { .. }) => match text.parse::<i64>() {
                Ok(number) => number.to_string(),
                Err(_) => text.to_string(),
            },
            (Value::Utf8(text), _) => text.to_string(),
            (Value::Bool(_) | Value::Integer(_) | Value::Float(_), takes)
                if *takes != Takes::All =>
            {
                value.to_string()
            }
            _ => {
                let reason = format!("{} is not a text", value.kind());
                return Err(ValueError::refused(self.form.clone(), reason));
            }
        };
        Ok(text.into_bytes())
    }

    /// Whether the type takes the value with these bytes.
    fn check(&self, bytes: &[u8], form: Form) -> Result<(), ValueError> {
        let text = || {
            let text = std::str::from_utf8(bytes);
            text.map_err(|_| ValueError::malformed("text in UTF-8", bytes))
        };
        let taken = match &self.takes {
            Takes::Own => false,
            Takes::All => true,
            Takes::Integers { least, most } => {
                let integer = match form {
                    Form::Integer => Some(i64::decode_value(bytes)?),
                    _ => text()?.parse().ok(),
                };
                integer.is_some_and(|value| (*least..=*most).contains(&value))
            }
            Takes::Floats => text()?.parse::<f64>().is_ok(),
            Takes::Names(_) => self.takes.is_named(Some(text()?)),
        };
        match taken {
            true => Ok(()),
            false => Err(ValueError::refused(self.form.clone(), self.takes.wanted())),
        }
    }
}

/// Whether a text is a number that every 96-bit decimal type holds.
fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all = || whole.bytes().chain(fraction.bytes());
    !whole.is_empty()
        && !fraction.is_empty()
        && all().count() <= 28
        && all().all(|byte| byte.is_ascii_digit())
}
