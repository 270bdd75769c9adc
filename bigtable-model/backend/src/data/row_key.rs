//! Row keys in Bigtable's own encodings, which it can decode: SQL then has a column for each field
//! of the key.
//!
//! A table's row key schema names the fields, their types, and how their bytes are joined. All
//! encodings keep order. A schema can be added to a table or removed from it, but not changed. Rows
//! whose keys do not conform make queries that select key columns fail.
//!
//! | | fields | joined by |
//! |---|---|---|
//! | [`Delimited`](RowKeyEncoding::Delimited) | texts and bytes above the delimiter | the delimiter, 1 to 50 bytes |
//! | [`OrderedCode`](RowKeyEncoding::OrderedCode) | all types | `00 01`, with `00` in a field as `00 FF` |

mod code;
mod error;
mod int;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

pub use error::{RowKeyError, RowKeySchemaError};

use crate::Timestamp;

/// The fields of a row key and how they are joined: a table's `row_key_schema`.
///
/// ```
/// use bigtable_backend::Timestamp;
/// use bigtable_backend::data::{
///     IntEncoding, RowKeyEncoding, RowKeySchema, RowKeyType, RowKeyValue,
/// };
///
/// let schema = RowKeySchema::new(RowKeyEncoding::OrderedCode)
///     .field("exchange", RowKeyType::String)
///     .field("symbol", RowKeyType::String)
///     .field("at", RowKeyType::Timestamp(IntEncoding::OrderedCode));
/// let values = [
///     RowKeyValue::String("NASDAQ".to_owned()),
///     RowKeyValue::String("ZXZZT".to_owned()),
///     RowKeyValue::Timestamp(Timestamp::from_millis(1_426_535_612_156)),
/// ];
/// let key = schema.encode(&values)?;
/// assert_eq!(key, b"NASDAQ\0\x01ZXZZT\0\x01\xff\x05\x11\x6d\x34\x6c\x08\x60");
/// assert_eq!(schema.decode(&key)?, values);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RowKeySchema {
    /// The fields, in order.
    pub fields: Vec<RowKeyField>,
    /// How they are joined.
    pub encoding: RowKeyEncoding,
}

/// A field of a row key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RowKeyField {
    /// The name of its column in SQL.
    pub name: Cow<'static, str>,
    /// Its type and encoding.
    pub of: RowKeyType,
}

/// The type of a field of a row key, and how it is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum RowKeyType {
    /// `STRING`, as UTF-8.
    String,
    /// `BYTES`, unchanged.
    Bytes,
    /// `INT64`
    Int64(IntEncoding),
    /// `TIMESTAMP`: microseconds since 1970 as an integer.
    Timestamp(IntEncoding),
    /// A type that is unknown here: its values cannot be written or read.
    Other,
}

/// How an integer is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum IntEncoding {
    /// Eight bytes, big-endian; 0 and above.
    BigEndian,
    /// One to ten bytes, fewer for numbers near 0.
    OrderedCode,
}

impl IntEncoding {
    /// Appends the bytes of a number; they sort like numbers. Returns `false`, and appends nothing,
    /// for a number below 0 in eight bytes.
    ///
    /// ```
    /// use bigtable_backend::data::IntEncoding;
    ///
    /// let mut bytes = Vec::new();
    /// assert!(IntEncoding::OrderedCode.encode(-65, &mut bytes));
    /// assert_eq!(bytes, [0x3f, 0xbf]);
    /// assert_eq!(IntEncoding::OrderedCode.decode(&bytes), Some(-65));
    /// assert!(!IntEncoding::BigEndian.encode(-65, &mut bytes));
    /// ```
    #[must_use]
    pub fn encode(self, number: i64, out: &mut Vec<u8>) -> bool {
        match self {
            Self::OrderedCode => int::encode(number, out),
            Self::BigEndian if number < 0 => return false,
            Self::BigEndian => out.extend_from_slice(&number.to_be_bytes()),
        }
        true
    }

    /// The number of these bytes; `None` for bytes that [`encode`](Self::encode) never writes.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> Option<i64> {
        match self {
            Self::OrderedCode => int::decode(bytes),
            Self::BigEndian => {
                let number = bytes.try_into().map(i64::from_be_bytes).ok();
                number.filter(|number| *number >= 0)
            }
        }
    }
}

/// How the fields of a row key are joined.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum RowKeyEncoding {
    /// By these bytes, 1 to 50 of them. Every byte of a field must be above the first one.
    Delimited(Bytes),
    /// Each field escaped, so that it may hold any bytes.
    OrderedCode,
    /// An encoding that is unknown here: its keys cannot be written or read.
    Other,
}

/// A value of a field of a row key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKeyValue {
    /// Of [`RowKeyType::String`].
    String(String),
    /// Of [`RowKeyType::Bytes`].
    Bytes(Vec<u8>),
    /// Of [`RowKeyType::Int64`].
    Int64(i64),
    /// Of [`RowKeyType::Timestamp`].
    Timestamp(Timestamp),
}

/// The maximum size of a delimiter, in bytes.
const MOST_DELIMITER_BYTES: usize = 50;

/// Names that SQL uses for other things.
const TAKEN: [&str; 2] = ["_key", "_timestamp"];

impl RowKeySchema {
    /// A schema without fields.
    #[must_use]
    pub fn new(encoding: RowKeyEncoding) -> Self {
        Self {
            fields: Vec::new(),
            encoding,
        }
    }

    /// The schema with one more field.
    #[must_use]
    pub fn field(mut self, name: impl Into<Cow<'static, str>>, of: RowKeyType) -> Self {
        let name = name.into();
        self.fields.push(RowKeyField { name, of });
        self
    }

    /// Refuses a schema that Bigtable would refuse for a table with these families.
    ///
    /// # Errors
    /// [`RowKeySchemaError`], with the field.
    pub fn check<'a>(
        &self,
        families: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), RowKeySchemaError> {
        let families: Vec<&str> = families.into_iter().collect();
        if self.fields.is_empty() {
            return Err(RowKeySchemaError::NoFields);
        }
        for (place, field) in self.fields.iter().enumerate() {
            let name = &*field.name;
            let before = self.fields.iter().take(place);
            let twice = before.into_iter().any(|other| other.name == field.name);
            if name.is_empty() || twice || TAKEN.contains(&name) || families.contains(&name) {
                return Err(RowKeySchemaError::Name {
                    field: name.to_owned(),
                });
            }
        }
        if let Some(what) = self.other() {
            return Err(RowKeySchemaError::Other { what });
        }
        match &self.encoding {
            RowKeyEncoding::OrderedCode | RowKeyEncoding::Other => Ok(()),
            RowKeyEncoding::Delimited(delimiter) => self.check_delimiter(delimiter),
        }
    }

    /// The part that is unknown here: a field by its name, or the encoding.
    fn other(&self) -> Option<String> {
        let mut fields = self.fields.iter();
        let field = fields.find(|field| field.of == RowKeyType::Other);
        match (field, &self.encoding) {
            (Some(field), _) => Some(format!("field \"{}\"", field.name)),
            (None, RowKeyEncoding::Other) => Some("the encoding".to_owned()),
            (None, _) => None,
        }
    }

    fn check_delimiter(&self, delimiter: &Bytes) -> Result<(), RowKeySchemaError> {
        if delimiter.is_empty() || delimiter.len() > MOST_DELIMITER_BYTES {
            return Err(RowKeySchemaError::Delimiter {
                len: delimiter.len(),
            });
        }
        let is_binary = |of| matches!(of, RowKeyType::Int64(_) | RowKeyType::Timestamp(_));
        match self.fields.iter().find(|field| is_binary(field.of)) {
            None => Ok(()),
            Some(field) => Err(RowKeySchemaError::Binary {
                field: field.name.clone().into_owned(),
            }),
        }
    }
}

/// The columns and how they are joined: `host STRING, port STRING, joined by "#"`.
impl fmt::Display for RowKeySchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, field) in self.fields.iter().enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            write!(f, "{comma}{} {}", field.name, field.of)?;
        }
        match &self.encoding {
            RowKeyEncoding::Delimited(by) => write!(f, ", joined by \"{}\"", by.escape_ascii()),
            RowKeyEncoding::OrderedCode => f.write_str(", joined in ordered code"),
            RowKeyEncoding::Other => f.write_str(", joined in a way that is not known here"),
        }
    }
}

/// The type in SQL, and how an integer is written: `INT64 in ordered code`.
impl fmt::Display for RowKeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, encoding) = match self {
            Self::String => ("STRING", None),
            Self::Bytes => ("BYTES", None),
            Self::Int64(encoding) => ("INT64", Some(encoding)),
            Self::Timestamp(encoding) => ("TIMESTAMP", Some(encoding)),
            Self::Other => ("of a type that is not known here", None),
        };
        f.write_str(name)?;
        match encoding {
            None => Ok(()),
            Some(IntEncoding::BigEndian) => f.write_str(" in eight bytes"),
            Some(IntEncoding::OrderedCode) => f.write_str(" in ordered code"),
        }
    }
}
