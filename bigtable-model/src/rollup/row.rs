//! The row of a bucket: its values, its mark, and the tables that it was computed from.

use std::ops::Bound;

use bytes::Bytes;

use super::Rollup;
use crate::Timestamp;
use crate::data::{Cell, Mutation, Row, RowFilter, RowMutations};
use crate::error::{Error, RollupError};
use crate::key::{KeyError, SegmentError};
use crate::model::{MARK, ModelSchema, SOURCES, insert_mutations, stamp_of};
use crate::send::{MARK_BYTES, mark_family};

/// The roll-up in a span that begins at `start`, and its row key.
///
/// # Errors
/// [`Error::Key`] if the key cannot hold its values, or the field for the start cannot hold it.
pub(super) fn begun<R: Rollup>(rollup: R, start: Timestamp) -> Result<(R, Vec<u8>), Error> {
    let rollup = rollup.starting(start);
    check_start(&rollup, start)?;
    let key = key_of(&rollup)?;
    Ok((rollup, key))
}

/// Refuses a roll-up whose type cannot hold the start of its bucket.
pub(super) fn check_start<R: Rollup>(rollup: &R, start: Timestamp) -> Result<(), Error> {
    let schema = R::SCHEMA;
    if schema.stored_time(rollup.time()) == schema.stored_time(Some(start)) {
        return Ok(());
    }
    let segment = schema.key.time_segment().map(|(_, segment)| &segment.name);
    let segment = segment.cloned().unwrap_or_default();
    Err(Error::Key {
        table: schema.table.to_string(),
        // The roll-up itself has another time instead.
        key: format!("{segment}={start}"),
        source: KeyError::Segment {
            segment,
            source: SegmentError::Refused(format!("its type cannot hold {start}")),
        },
    })
}

/// The roll-up's row key.
pub(super) fn key_of<R: Rollup>(rollup: &R) -> Result<Vec<u8>, Error> {
    let mut key = Vec::new();
    let encoded = rollup.encode_key(&mut key);
    encoded.map_err(|source| refused(rollup, source))?;
    Ok(key)
}

#[cold]
fn refused<R: Rollup>(rollup: &R, source: KeyError) -> Error {
    Error::Key {
        table: R::SCHEMA.table.to_string(),
        key: rollup.key().to_string(),
        source,
    }
}

/// The mutations that write a bucket. `now` becomes the timestamp of cells with the time of the
/// write. If a rule deletes cells by age, age counts from the end of the bucket, like that of its
/// newest event.
pub(super) fn bucket_mutations<R: Rollup>(
    rollup: &R,
    now: Timestamp,
    end: Timestamp,
) -> Result<RowMutations, Error> {
    let mut row = insert_mutations(rollup, now)?;
    if R::SCHEMA.ages() {
        let end = stamp_of(end);
        for one in &mut row.mutations {
            if let Mutation::SetCell {
                timestamp_micros, ..
            }
            | Mutation::AddToCell {
                timestamp_micros, ..
            } = one
            {
                *timestamp_micros = end.max(*timestamp_micros);
            }
        }
    }
    Ok(row)
}

/// Replaces the names of a bucket's source tables.
pub(super) fn written_sources(
    schema: &ModelSchema,
    end: Timestamp,
    sources: Option<Bytes>,
) -> Vec<Mutation> {
    let Some(value) = sources else {
        return Vec::new();
    };
    let family = || mark_family(schema).to_owned().into();
    vec![
        Mutation::DeleteFromColumn {
            family: family(),
            qualifier: Bytes::from_static(SOURCES),
            start_micros: 0,
            end_micros: 0,
        },
        Mutation::SetCell {
            family: family(),
            qualifier: Bytes::from_static(SOURCES),
            timestamp_micros: stamp_of(end),
            value,
        },
    ]
}

pub(super) fn is_marked(row: &Row) -> bool {
    mark_of(row).is_some()
}

/// The mark of a bucket's row.
pub(super) fn mark_of(row: &Row) -> Option<&Cell> {
    row.cells.iter().find(|cell| cell.qualifier == MARK)
}

/// The source tables of a bucket, if its row names them.
pub(super) fn sources_of(row: &Row) -> Option<Bytes> {
    let mut cells = row.cells.iter();
    let cell = cells.find(|cell| cell.qualifier == SOURCES)?;
    Some(cell.value.clone())
}

/// A filter for marks.
pub(super) fn marks(schema: &ModelSchema) -> RowFilter {
    RowFilter::QualifierRange {
        family: mark_family(schema).into(),
        start: Bound::Included(MARK.into()),
        end: Bound::Included(MARK.into()),
    }
}

/// The time of a mark. Its value ends with it, since its cell may have a later time, so that it
/// lives as long as its bucket.
pub(super) fn marked_at(mark: &Cell) -> Timestamp {
    let written = mark.value.get(MARK_BYTES..).unwrap_or_default();
    match written.try_into() {
        Ok(micros) => Timestamp::from_micros(i64::from_be_bytes(micros)),
        Err(_) => mark.time(),
    }
}

/// The error of a bucket that can no longer be computed completely.
pub(super) fn incomplete<R: Rollup>(table: &str, key: &Bytes, source: RollupError) -> Error {
    Error::Rollup {
        table: table.to_owned(),
        key: R::SCHEMA.key.describe(key).to_string(),
        source,
    }
}
