//! Fields to bytes and back, and how they are joined.

use bytes::Bytes;

use super::{IntEncoding, RowKeyError, RowKeyField, RowKeyType, RowKeyValue};
use crate::Timestamp;
use crate::data::ordered_code::{self, EMPTY, SEPARATOR};

/// The bytes of one field.
pub(super) fn part(field: &RowKeyField, value: &RowKeyValue) -> Result<Vec<u8>, RowKeyError> {
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
pub(super) fn value(field: &RowKeyField, part: &[u8]) -> Result<RowKeyValue, RowKeyError> {
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
pub(super) fn join_delimited(
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
pub(super) fn split_delimited(
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
pub(super) fn join_escaped(parts: &[Vec<u8>]) -> Vec<u8> {
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
pub(super) fn split_escaped(mut key: &[u8], fields: usize) -> Result<Vec<Vec<u8>>, RowKeyError> {
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
