//! How errors name an event that cannot be read.

use std::fmt::Write as _;

use bytes::Bytes;

use crate::key::{KeyError, SegmentRole, SegmentValue};
use crate::model::{ModelSchema, ReadError};
use crate::{Error, Timestamp};

/// The key of an event in decoded form. `time` is the event's, if the key has only its bucket's.
pub(crate) fn described_event(schema: &ModelSchema, key: &[u8], time: Option<Timestamp>) -> String {
    let (Some(time), Ok(values)) = (time, schema.key.decode_either(key)) else {
        return schema.key.describe(key).to_string();
    };
    let mut text = String::new();
    for ((_, segment), value) in schema.key.valued().zip(&values) {
        let space = if text.is_empty() { "" } else { " " };
        let value = match segment.role {
            SegmentRole::Bucket => &SegmentValue::Time(time),
            _ => value,
        };
        // Writing into a string cannot fail.
        let _ = write!(text, "{space}{}={value}", segment.name);
    }
    text
}

/// The error of a key that is not the model's.
#[cold]
pub(crate) fn foreign(schema: &ModelSchema, key: &[u8], source: KeyError) -> Error {
    Error::ForeignKey {
        table: schema.table.to_string(),
        key: Bytes::copy_from_slice(key),
        source,
    }
}

/// The error of an event that cannot be read, which names the event.
#[cold]
pub(in crate::model) fn with_place(
    schema: &ModelSchema,
    key: &[u8],
    time: Option<Timestamp>,
    error: ReadError,
) -> Error {
    let table = schema.table.to_string();
    let described = || described_event(schema, key, time);
    let column_name_at = |index: usize| {
        let column = schema.columns.get(index);
        column.map_or_else(String::new, |one| column_name(&one.family, &one.qualifier))
    };
    match error {
        ReadError::Key(source) => foreign(schema, key, source),
        ReadError::Missing(index) => Error::MissingColumn {
            table,
            key: described(),
            column: column_name_at(index),
        },
        ReadError::Column(index, source) => Error::BadCell {
            table,
            key: described(),
            column: column_name_at(index),
            source: schema.shown_error(index, source),
        },
        ReadError::Entry(map, qualifier, source) => Error::BadCell {
            table,
            key: described(),
            column: entry_name(schema, map, &qualifier),
            source,
        },
    }
}

/// The maximum number of characters of a qualifier in an error: names are shorter, but a layout may
/// put values of 16 KiB there.
const SHOWN: usize = 256;

/// A qualifier as errors show it: it may be any bytes.
#[cold]
pub(crate) fn shown(qualifier: &[u8]) -> String {
    let escaped = qualifier.escape_ascii().to_string();
    // Escaped bytes are ASCII.
    match escaped.get(..SHOWN) {
        Some(head) if escaped.len() > SHOWN => format!("{head}... ({} bytes)", qualifier.len()),
        _ => escaped,
    }
}

/// The usual name of a column of a map.
pub(crate) fn entry_name(schema: &ModelSchema, map: usize, qualifier: &str) -> String {
    let family = schema.map_families.get(map);
    column_name(family.map_or("", |family| &**family), qualifier)
}

/// A column's usual name: `family:qualifier`.
pub(crate) fn column_name(family: &str, qualifier: &str) -> String {
    format!("{family}:{qualifier}")
}
