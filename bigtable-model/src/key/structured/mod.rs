//! Row keys in Bigtable's own encodings, which it takes apart itself: SQL then has a column for
//! each field of the key.
//!
//! A table's row key schema names the fields, their types, and how their bytes are joined. All
//! encodings keep order. A schema can be added to a table or removed from it, and not changed; rows
//! whose keys do not conform make queries fail that select key columns.
//!
//! | | fields | joined by |
//! |---|---|---|
//! | [`Delimited`](RowKeyEncoding::Delimited) | texts and bytes above the delimiter | the delimiter, 1 to 50 bytes |
//! | [`OrderedCode`](RowKeyEncoding::OrderedCode) | all types | `00 01`, with `00` in a field as `00 FF` |

mod code;
mod error;
mod int;
mod of_layout;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use bytes::Bytes;

pub use error::{RowKeyError, RowKeySchemaError};

use crate::Timestamp;
use crate::key::MAX_KEY_BYTES;

/// The fields of a row key and how they are joined: a table's `row_key_schema`.
///
/// ```
/// use bigtable_model::Timestamp;
/// use bigtable_model::key::{IntEncoding, RowKeyEncoding, RowKeySchema, RowKeyType, RowKeyValue};
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RowKeySchema {
    /// The fields, in order.
    pub fields: Vec<RowKeyField>,
    /// How they are joined.
    pub encoding: RowKeyEncoding,
}

/// A field of a row key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RowKeyField {
    /// The name of its column in SQL.
    pub name: Cow<'static, str>,
    /// What it holds, and how.
    pub of: RowKeyType,
}

/// What a field of a row key holds, and how its bytes are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RowKeyType {
    /// `STRING`, as UTF-8.
    String,
    /// `BYTES`, as they are.
    Bytes,
    /// `INT64`
    Int64(IntEncoding),
    /// `TIMESTAMP`: microseconds since 1970 as an integer.
    Timestamp(IntEncoding),
}

/// How the bytes of an integer are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntEncoding {
    /// Eight bytes, the highest first; 0 and above.
    BigEndian,
    /// One to ten bytes, fewer for numbers near 0.
    OrderedCode,
}

/// How the fields of a row key are joined.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RowKeyEncoding {
    /// By these bytes, 1 to 50 of them. No byte of a field may be at or below the first one.
    Delimited(Bytes),
    /// Each field escaped, so that it may hold any bytes.
    OrderedCode,
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

/// The most bytes of a delimiter.
const MOST_DELIMITER_BYTES: usize = 50;

/// Names that SQL has for other things.
const TAKEN: [&str; 2] = ["_key", "_timestamp"];

impl RowKeySchema {
    /// A schema without fields yet.
    #[must_use]
    pub fn new(encoding: RowKeyEncoding) -> Self {
        Self {
            fields: Vec::new(),
            encoding,
        }
    }

    /// With one more field.
    #[must_use]
    pub fn field(mut self, name: impl Into<Cow<'static, str>>, of: RowKeyType) -> Self {
        let name = name.into();
        self.fields.push(RowKeyField { name, of });
        self
    }

    /// Refuses a schema that Bigtable refuses, for a table with these families.
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
        match &self.encoding {
            RowKeyEncoding::OrderedCode => Ok(()),
            RowKeyEncoding::Delimited(delimiter) => self.check_delimiter(delimiter),
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

    /// The key of these values, one for each field.
    ///
    /// # Errors
    /// [`RowKeyError`], with the field, for a value that cannot be written so that it is read back;
    /// and for a key that is empty or over 4 KiB.
    pub fn encode(&self, values: &[RowKeyValue]) -> Result<Vec<u8>, RowKeyError> {
        if values.len() != self.fields.len() {
            return Err(RowKeyError::Count {
                found: values.len(),
                fields: self.fields.len(),
            });
        }
        let parts = self.fields.iter().zip(values);
        let parts = parts.map(|(field, value)| code::part(field, value));
        let parts: Vec<Vec<u8>> = parts.collect::<Result<_, _>>()?;
        let key = match &self.encoding {
            RowKeyEncoding::OrderedCode => code::join_escaped(&parts),
            RowKeyEncoding::Delimited(delimiter) => {
                code::join_delimited(&self.fields, &parts, delimiter)?
            }
        };
        match key.len() {
            1..=MAX_KEY_BYTES => Ok(key),
            len => Err(RowKeyError::Length { len }),
        }
    }

    /// The values of a key.
    ///
    /// # Errors
    /// [`RowKeyError`], with the field, for a key that [`encode`](Self::encode) never gives.
    pub fn decode(&self, key: &[u8]) -> Result<Vec<RowKeyValue>, RowKeyError> {
        let parts = match &self.encoding {
            RowKeyEncoding::OrderedCode => code::split_escaped(key, self.fields.len())?,
            RowKeyEncoding::Delimited(delimiter) => {
                code::split_delimited(key, delimiter, self.fields.len())?
            }
        };
        let parts = self.fields.iter().zip(&parts);
        let values = parts.map(|(field, part)| code::value(field, part));
        let values: Vec<RowKeyValue> = values.collect::<Result<_, _>>()?;
        // What other bytes would be read as the same values, no key of theirs.
        match self.encode(&values)? == key {
            true => Ok(values),
            false => Err(RowKeyError::Malformed),
        }
    }
}
