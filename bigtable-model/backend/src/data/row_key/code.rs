//! Fields to bytes and back, and how they are joined.

use bytes::Bytes;

use super::{
    IntEncoding, RowKeyEncoding, RowKeyError, RowKeyField, RowKeySchema, RowKeyType, RowKeyValue,
};
use crate::Timestamp;
use crate::data::limits::KEY;
use crate::data::ordered_code::{self, EMPTY, SEPARATOR};

impl RowKeySchema {
    fn check_known(&self) -> Result<(), RowKeyError> {
        match self.other() {
            None => Ok(()),
            Some(what) => Err(RowKeyError::Other { what }),
        }
    }

    /// The key of these values, one for each field.
    ///
    /// # Errors
    /// [`RowKeyError`], with the field, for a value that would not be read back as written; and for
    /// a key that is empty or over 4 KiB.
    pub fn encode(&self, values: &[RowKeyValue]) -> Result<Vec<u8>, RowKeyError> {
        self.check_known()?;
        if values.len() != self.fields.len() {
            return Err(RowKeyError::Count {
                found: values.len(),
                fields: self.fields.len(),
            });
        }
        let parts = self.fields.iter().zip(values);
        let parts = parts.map(|(field, value)| part(field, value));
        let parts: Vec<Vec<u8>> = parts.collect::<Result<_, _>>()?;
        let key = match &self.encoding {
            RowKeyEncoding::Other => Vec::new(),
            RowKeyEncoding::OrderedCode => join_escaped(&parts),
            RowKeyEncoding::Delimited(delimiter) => {
                join_delimited(&self.fields, &parts, delimiter)?
            }
        };
        match key.len() {
            1..=KEY => Ok(key),
            len => Err(RowKeyError::Length { len }),
        }
    }

    /// The values of a key.
    ///
    /// # Errors
    /// [`RowKeyError`], with the field, for a key that [`encode`](Self::encode) never returns.
    pub fn decode(&self, key: &[u8]) -> Result<Vec<RowKeyValue>, RowKeyError> {
        self.check_known()?;
        let parts = match &self.encoding {
            RowKeyEncoding::Other => Vec::new(),
            RowKeyEncoding::OrderedCode => split_escaped(key, self.fields.len())?,
            RowKeyEncoding::Delimited(delimiter) => {
                split_delimited(key, delimiter, self.fields.len())?
            }
        };
        let parts = self.fields.iter().zip(&parts);
        let values = parts.map(|(field, part)| value(field, part));
        let values: Vec<RowKeyValue> = values.collect::<Result<_, _>>()?;
        // Other bytes that decode to the same values are not their key.
        match self.encode(&values)? == key {
            true => Ok(values),
            false => Err(RowKeyError::Malformed),
        }
    }
}

/// The bytes of one field.
fn part(field: &RowKeyField, value: &RowKeyValue) -> Result<Vec<u8>, RowKeyError> {
    match (field.of, value) {
        (RowKeyType::String, RowKeyValue::String(text)) => Ok(text.clone().into_bytes()),
        (RowKeyType::Bytes, RowKeyValue::Bytes(bytes)) => Ok(bytes.clone()),
        (RowKeyType::Int64(encoding), RowKeyValue::Int64(number)) => {
            integer(field, encoding, *number)
        }
        (RowKeyType::Timestamp(encoding), RowKeyValue::Timestamp(at)) => {
            integer(field, encoding, at.as_micros())
        }
        _ => Err(RowKeyError::Type {
            field: field.name.clone().into_owned(),
        }),
    }
}

fn integer(
    field: &RowKeyField,
    encoding: IntEncoding,
    number: i64,
) -> Result<Vec<u8>, RowKeyError> {
    let mut part = Vec::new();
    match encoding.encode(number, &mut part) {
        true => Ok(part),
        false => Err(RowKeyError::Negative {
            field: field.name.clone().into_owned(),
            number,
        }),
    }
}

/// The value of one field.
fn value(field: &RowKeyField, part: &[u8]) -> Result<RowKeyValue, RowKeyError> {
    let number = |encoding: IntEncoding| encoding.decode(part);
    let value = match field.of {
        RowKeyType::Bytes => Some(RowKeyValue::Bytes(part.to_vec())),
        RowKeyType::Other => None,
        RowKeyType::String => {
            let text = String::from_utf8(part.to_vec()).ok();
            text.map(RowKeyValue::String)
        }
        RowKeyType::Int64(encoding) => number(encoding).map(RowKeyValue::Int64),
        RowKeyType::Timestamp(encoding) => {
            let at = number(encoding).map(Timestamp::from_micros);
            at.map(RowKeyValue::Timestamp)
        }
    };
    value.ok_or_else(|| RowKeyError::Value {
        field: field.name.clone().into_owned(),
    })
}

/// Joins fields by a delimiter.
fn join_delimited(
    fields: &[RowKeyField],
    parts: &[Vec<u8>],
    delimiter: &Bytes,
) -> Result<Vec<u8>, RowKeyError> {
    let lowest = delimiter.first().copied().unwrap_or(u8::MAX);
    for (field, part) in fields.iter().zip(parts) {
        if let Some(byte) = part.iter().find(|byte| **byte <= lowest) {
            return Err(RowKeyError::Byte {
                field: field.name.clone().into_owned(),
                byte: *byte,
            });
        }
    }
    Ok(parts.join(&**delimiter))
}

/// The fields between delimiters.
fn split_delimited(
    mut key: &[u8],
    delimiter: &Bytes,
    fields: usize,
) -> Result<Vec<Vec<u8>>, RowKeyError> {
    let mut parts = Vec::with_capacity(fields);
    let first = delimiter.first().copied();
    // No field holds the delimiter's first byte.
    while let Some(end) = key.iter().position(|byte| Some(*byte) == first) {
        let (part, rest) = key.split_at_checked(end).ok_or(RowKeyError::Malformed)?;
        parts.push(part.to_vec());
        key = rest
            .strip_prefix(&**delimiter)
            .ok_or(RowKeyError::Malformed)?;
    }
    parts.push(key.to_vec());
    match parts.len() == fields {
        true => Ok(parts),
        false => Err(RowKeyError::Malformed),
    }
}

/// Joins fields in ordered code; empty ones at the end are left out.
fn join_escaped(parts: &[Vec<u8>]) -> Vec<u8> {
    let filled = parts.iter().rposition(|part| !part.is_empty());
    let Some(last) = filled else {
        return EMPTY.into();
    };
    let mut key = Vec::new();
    for (place, part) in parts.iter().take(last + 1).enumerate() {
        if place > 0 {
            key.extend_from_slice(SEPARATOR.as_bytes());
        }
        match part.is_empty() {
            true => key.extend_from_slice(&EMPTY),
            false => ordered_code::write(part, &mut key),
        }
    }
    key
}

/// The fields of a key in ordered code; those left out are empty.
fn split_escaped(mut key: &[u8], fields: usize) -> Result<Vec<Vec<u8>>, RowKeyError> {
    let mut parts = Vec::with_capacity(fields);
    loop {
        let len = ordered_code::field_len(key).ok_or(RowKeyError::Malformed)?;
        let (part, rest) = key.split_at_checked(len).ok_or(RowKeyError::Malformed)?;
        parts.push(unescaped(part)?);
        if rest.is_empty() {
            break;
        }
        let rest = rest.strip_prefix(SEPARATOR.as_bytes());
        key = rest.ok_or(RowKeyError::Malformed)?;
    }
    if parts.len() > fields {
        return Err(RowKeyError::Malformed);
    }
    parts.resize(fields, Vec::new());
    Ok(parts)
}

fn unescaped(part: &[u8]) -> Result<Vec<u8>, RowKeyError> {
    if part == EMPTY {
        return Ok(Vec::new());
    }
    let mut place = vec![0; part.len()];
    let read = ordered_code::read(part, &mut place).map(<[u8]>::len);
    place.truncate(read.ok_or(RowKeyError::Malformed)?);
    Ok(place)
}
