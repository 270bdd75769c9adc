//! The row of a fixed event, written by the model and read by its later versions.

use bytes::Bytes;
use bytestring::ByteString;

use super::LockedRow;
use super::hex;
use crate::data::{Cell, Mutation, Row, RowMutations};
use crate::error::in_words;
use crate::key::SegmentValue;
use crate::model::stored::write_event_with;
use crate::model::{
    EventReader, EventTimes, Model, ModelSchema, RowEvents, Samples, Schema, insert_mutations,
};
use crate::{Error, Timestamp};

/// The client's clock, if cells have its time: 1 January 2020.
const NOW: Timestamp = Timestamp::from_seconds(1_577_836_800);

/// The qualifier of a run-time column.
const ENTRY: &[u8] = b"ENTRY";

/// The row of the first fixed event that the model can hold; an empty row if it can hold none.
pub(super) fn write(schema: &Schema, samples: &Samples) -> LockedRow {
    let mut keys = samples.keys();
    let row = keys.find_map(|values| write_at(schema, samples, &values).ok());
    row.map(|row| locked(schema, &row)).unwrap_or_default()
}

fn write_at(
    schema: &Schema,
    samples: &Samples,
    values: &[SegmentValue],
) -> Result<RowMutations, Error> {
    let of_column = |index| samples.of_column(index)?.values.first().cloned();
    let columns: Vec<Option<Bytes>> = (0..schema.columns.len()).map(of_column).collect();
    let entries = (0..schema.map_families.len()).filter_map(|map| {
        let value = samples.of_map(map)?.values.first()?;
        Some((map, Bytes::from_static(ENTRY), value.clone()))
    });
    let entries: Vec<_> = entries.collect();
    write_event_with(schema, values, &columns, &entries, NOW)
}

/// The row of an event.
pub(super) fn of_event<M: Model>(event: &M) -> Result<LockedRow, Error> {
    Ok(locked(M::SCHEMA, &insert_mutations(event, NOW)?))
}

/// The cells that the mutations write.
fn locked(schema: &ModelSchema, row: &RowMutations) -> LockedRow {
    let mut cells: Vec<String> = row
        .mutations
        .iter()
        .filter_map(|mutation| cell(schema, mutation))
        .collect();
    cells.sort_unstable();
    LockedRow {
        key: hex::encode(&row.key),
        cells,
    }
}

fn cell(schema: &ModelSchema, mutation: &Mutation) -> Option<String> {
    let (family, qualifier, timestamp, value) = match mutation {
        Mutation::SetCell {
            family,
            qualifier,
            timestamp_micros,
            value,
        } => (family, qualifier, timestamp_micros, hex::encode(value)),
        Mutation::AddToCell {
            family,
            qualifier,
            timestamp_micros,
            input,
        } => {
            let input = hex::encode(&input.to_be_bytes());
            (family, qualifier, timestamp_micros, format!("+{input}"))
        }
        _ => return None,
    };
    let is_left_out = is_coded_copy(schema, family, qualifier);
    let qualifier = qualifier.escape_ascii();
    (!is_left_out).then(|| format!("{family}:{qualifier} @ {timestamp} = {value}"))
}

/// Whether a column repeats a segment of the key in another form than its text: its value is made
/// from the field, which is not available here, and it is never read.
fn is_coded_copy(schema: &ModelSchema, family: &str, qualifier: &[u8]) -> bool {
    let mut copies = schema.columns.iter().filter(|column| {
        column.copy_of.is_some() && column.codec != "text" && *column.family == *family
    });
    copies.any(|column| {
        let rest = qualifier.strip_prefix(column.qualifier.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b":"))
    })
}

/// A cell from a lock file, if the text is one.
fn parse(text: &str) -> Option<Cell> {
    let (rest, value) = text.rsplit_once(" = ")?;
    let (column, timestamp) = rest.rsplit_once(" @ ")?;
    let (family, qualifier) = column.split_once(':')?;
    Some(Cell {
        family: ByteString::from(family),
        qualifier: hex::unescape(qualifier)?.into(),
        timestamp_micros: timestamp.parse().ok()?,
        value: hex::decode(value.strip_prefix('+').unwrap_or(value))?.into(),
        labels: Vec::new(),
    })
}

/// The result of reading a locked row.
#[derive(Debug, PartialEq)]
pub(super) enum Reread {
    /// The row as the event would be written now.
    Row(LockedRow),
    /// The lock file has no row.
    Nothing,
    /// Why the row is no longer an event.
    Refused(String),
}

/// Reads the row in a lock file by the current model, and writes the event again.
pub(super) fn reread<M: Model>(row: &LockedRow) -> Reread {
    if row.cells.is_empty() {
        return Reread::Nothing;
    }
    let Some(row) = to_row(row) else {
        return Reread::Refused("the lock file does not hold it as a row".to_owned());
    };
    match write_again::<M>(row) {
        Ok(Some(row)) => Reread::Row(row),
        Ok(None) => Reread::Refused("it lacks the cell that marks an event".to_owned()),
        Err(error) => Reread::Refused(in_words(&error)),
    }
}

fn to_row(row: &LockedRow) -> Option<Row> {
    let cells: Option<Vec<Cell>> = row.cells.iter().map(|cell| parse(cell)).collect();
    let mut cells = cells?;
    cells.sort_by(|a, b| (&a.family, &a.qualifier).cmp(&(&b.family, &b.qualifier)));
    let key = hex::decode(&row.key)?.into();
    Some(Row { key, cells })
}

fn write_again<M: Model>(row: Row) -> Result<Option<LockedRow>, Error> {
    let mut events = RowEvents::default();
    let reader = EventReader::judging(M::SCHEMA);
    reader.load(row, &EventTimes::All, &mut events)?;
    if events.is_empty() {
        return Ok(None);
    }
    of_event(&events.read::<M>(0)?).map(Some)
}
