//! Events as data, for models without a type: their mutations, and their values from rows.

use bytes::Bytes;

use crate::Error;
use crate::Timestamp;
use crate::data::RowMutations;
#[cfg(test)]
use crate::data::{Cell, ReadRows};
use crate::key::{KeyError, SegmentRole, SegmentValue};
#[cfg(test)]
use crate::model::EventTimes;
use crate::value::CellValue as _;

#[cfg(test)]
use crate::model::UpdateWrite;
use crate::model::describe::with_place;
use crate::model::write::column_error;
use crate::model::{ColumnError, ColumnKind, ColumnSchema, EventWriter, ModelSchema, Schema};
use crate::model::{ReadError, RowEvents};

/// The mutations that write an event, from the values of the key's segments, including its time,
/// and of the columns. A column that copies a segment takes no value: the segment's text is
/// written.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn write_event(
    schema: &Schema,
    values: &[SegmentValue],
    columns: &[Option<Bytes>],
    now: Timestamp,
) -> Result<RowMutations, Error> {
    write_event_with(schema, values, columns, &[], now)
}

/// The same with run-time columns: the index of the map, name and value.
pub(crate) fn write_event_with(
    schema: &Schema,
    values: &[SegmentValue],
    columns: &[Option<Bytes>],
    entries: &[(usize, Bytes, Bytes)],
    now: Timestamp,
) -> Result<RowMutations, Error> {
    let mut writer = begin(schema, values)?;
    writer.mark();
    let write_entries = |writer: &mut EventWriter| {
        let mut entries = entries.iter();
        entries.try_for_each(|(map, qualifier, value)| {
            writer.set_entry(*map, qualifier, |out| {
                out.extend_from_slice(value);
                Ok(())
            })
        })
    };
    write_columns(&mut writer, schema, values, columns)
        .and_then(|()| write_entries(&mut writer))
        .map_err(|error| column_error(&writer, error))?;
    writer.insertion(now)
}

/// The mutations that delete an event; see [`delete_mutations`](crate::model::delete_mutations).
#[cfg(test)]
pub(crate) fn delete_event(
    schema: &Schema,
    values: &[SegmentValue],
    cells: &[Cell],
) -> Result<Option<RowMutations>, Error> {
    begin(schema, values)?.deletion(None, cells)
}

/// The read of an event; see [`event_request`](crate::model::event_request).
#[cfg(test)]
pub(crate) fn read_event(
    schema: &Schema,
    values: &[SegmentValue],
) -> Result<(ReadRows, EventTimes), Error> {
    begin(schema, values)?.request()
}

/// What an update does to one column.
#[cfg(test)]
#[derive(Debug, Clone)]
pub(crate) enum ColumnChange {
    Set(Bytes),
    Clear,
    /// Adds to an aggregate.
    Add(i64),
}

/// The update of some columns; see [`Update`](crate::model::Update).
#[cfg(test)]
pub(crate) fn update_event(
    schema: &Schema,
    values: &[SegmentValue],
    changes: &[(usize, ColumnChange)],
    now: Timestamp,
) -> Result<UpdateWrite, Error> {
    let mut writer = begin(schema, values)?;
    for (index, change) in changes {
        let changed = match (change, schema.columns.get(*index)) {
            (ColumnChange::Set(bytes), Some(column)) => {
                write_value(&mut writer, column, *index, bytes)
            }
            (ColumnChange::Add(input), _) => {
                writer.add(*index, *input);
                Ok(())
            }
            _ => {
                writer.absent(*index);
                Ok(())
            }
        };
        changed.map_err(|error| column_error(&writer, error))?;
    }
    writer.update(now)
}

/// The writer of the event with these values in its key.
pub(crate) fn begin(schema: &Schema, values: &[SegmentValue]) -> Result<EventWriter, Error> {
    let time = time_of_values(schema, values);
    let described = || {
        let named = schema.key.valued().zip(values);
        let named = named.map(|((_, segment), value)| format!("{}={value}", segment.name));
        named.collect::<Vec<_>>().join(" ")
    };
    let key = |out: &mut Vec<u8>| schema.key.encode(values, out);
    EventWriter::begin(schema, time, key, described)
}

/// The time among the values of a key's segments.
pub(crate) fn time_of_values(schema: &ModelSchema, values: &[SegmentValue]) -> Option<Timestamp> {
    let mut values = schema.key.valued().zip(values);
    values.find_map(|((_, segment), value)| match (segment.role, value) {
        (role, SegmentValue::Time(time)) if role.is_time() => Some(*time),
        _ => None,
    })
}

fn write_columns(
    writer: &mut EventWriter,
    schema: &Schema,
    values: &[SegmentValue],
    columns: &[Option<Bytes>],
) -> Result<(), ColumnError> {
    for (index, column) in schema.columns.iter().enumerate() {
        let copied = column.copy_of.and_then(|at| {
            let mut segments = schema.key.valued().zip(values);
            segments.find(|((place, _), _)| *place == at)
        });
        match (copied, columns.get(index)) {
            (Some(((_, segment), value)), _) => {
                writer.set_segment_text(index, segment, value.clone())?;
            }
            (None, Some(Some(bytes))) => write_value(writer, column, index, bytes)?,
            (None, _) => writer.absent(index),
        }
    }
    Ok(())
}

fn write_value(
    writer: &mut EventWriter,
    column: &ColumnSchema,
    index: usize,
    bytes: &Bytes,
) -> Result<(), ColumnError> {
    match column.kind {
        ColumnKind::Plain | ColumnKind::Version => {}
        ColumnKind::Counter | ColumnKind::Append => writer.absent(index),
        ColumnKind::Aggregate(_) => {
            let input = i64::decode_value(bytes).unwrap_or_default();
            writer.replace_aggregate(index, input);
            return Ok(());
        }
    }
    writer.set_payload(index, |out| {
        out.extend_from_slice(bytes);
        Ok(())
    })
}

impl RowEvents {
    /// The event at `index` as data: the values of the key's segments, with the event's time, and
    /// of the columns; `None` for copies of segments.
    pub(crate) fn values(
        &self,
        index: usize,
    ) -> Result<(Vec<SegmentValue>, Vec<Option<Bytes>>), Error> {
        let Some(schema) = self.schema() else {
            return Ok((Vec::new(), Vec::new()));
        };
        let values = self.key_values(index)?;
        let cells = self.cells(schema, index);
        let columns = schema.columns.iter().enumerate();
        let columns = columns.map(|(index, column)| match column.copy_of {
            None => cells.shared_value(index),
            Some(_) => None,
        });
        Ok((values, columns.collect()))
    }

    /// The values of the segments of the key of the event at `index`, with the event's time.
    pub(crate) fn key_values(&self, index: usize) -> Result<Vec<SegmentValue>, Error> {
        let Some(schema) = self.schema() else {
            return Ok(Vec::new());
        };
        let values = key_values(schema, self.key_at(index), self.time_in_row(index));
        values.map_err(|source| self.at_event(schema, index, ReadError::Key(source)))
    }

    /// The stored form of a column of the event at `index`.
    pub(crate) fn column(&self, index: usize, column: usize) -> Option<&[u8]> {
        self.cells(self.schema()?, index).value(column)
    }

    /// The same, as shared bytes.
    pub(crate) fn shared_column(&self, index: usize, column: usize) -> Option<Bytes> {
        self.cells(self.schema()?, index).shared_value(column)
    }

    /// Adds the event at `index` to a read error.
    #[cold]
    pub(crate) fn at_event(&self, schema: &ModelSchema, index: usize, error: ReadError) -> Error {
        with_place(schema, self.key_at(index), self.time_in_row(index), error)
    }

    /// The run-time columns of the event at `index`: the index of the map, name and value.
    pub(crate) fn entries(&self, index: usize) -> Vec<(usize, Bytes, Bytes)> {
        let Some(schema) = self.schema() else {
            return Vec::new();
        };
        let cells = self.cells(schema, index).map_cells();
        cells
            .map(|entry| (entry.map, entry.shared_name(), entry.cell.shared_value()))
            .collect()
    }
}

fn key_values(
    schema: &ModelSchema,
    key: &[u8],
    time: Option<Timestamp>,
) -> Result<Vec<SegmentValue>, KeyError> {
    let mut values = schema.key.decode(key)?;
    for ((_, segment), value) in schema.key.valued().zip(&mut values) {
        if let (SegmentRole::Bucket, Some(time)) = (segment.role, time) {
            *value = SegmentValue::Time(time);
        }
    }
    Ok(values)
}
