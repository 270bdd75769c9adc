//! The read of the versions of one column of one event.

use std::ops::Bound;

use bytes::Bytes;

use crate::data::{ReadRows, Row, RowBatch, RowFilter, RowSet};
use crate::model::layout::Target;
use crate::model::packed::{or_stored, unpacked};
use crate::model::{ColumnSchema, EventTimes, Schema};
use crate::{Error, Timestamp};

use super::EventWriter;

/// The read of the versions of one column of one event.
#[derive(Debug)]
pub(crate) struct VersionsRead {
    request: ReadRows,
    /// The event's key.
    key: Bytes,
    /// Lets the column's cells through.
    cells: Option<RowFilter>,
    /// The event's time, if rows hold many.
    time: Option<Timestamp>,
    /// The column's family, and its qualifiers in the row.
    names: (String, Vec<Bytes>),
}

impl VersionsRead {
    /// The read for the column at `index`.
    ///
    /// # Errors
    /// [`Error::Key`] when the key cannot hold its values.
    pub(crate) fn new(mut event: EventWriter, index: usize) -> Result<Self, Error> {
        let schema = event.schema.clone();
        let table = schema.table_of(event.time)?.into_owned();
        let target = event.target()?;
        let column = schema.columns.get(index);
        let cells = column.map(|column| event.cells_of(column, &target));
        let names = column.map(|column| event.names_of(column, &target));
        let key = Bytes::copy_from_slice(event.event_key());
        let mut row = event.bytes;
        row.truncate(event.key_len);
        Ok(Self {
            key,
            request: ReadRows {
                table,
                rows: RowSet::key(row),
                filter: None,
                rows_limit: 1,
                ..ReadRows::default()
            },
            cells: schema.with_tombstones(cells),
            time: target.time_in_row,
            names: names.unwrap_or_default(),
        })
    }

    /// The row as if it had the event alone: with its key.
    pub(crate) fn of_event(&self, row: Row) -> Row {
        let key = self.key.clone();
        Row { key, ..row }
    }

    /// The request for at most this many versions; `None` if there can be none.
    pub(crate) fn request(&self, newest: Option<usize>) -> Option<ReadRows> {
        let newest = match newest {
            Some(0) => return None,
            // A row cannot hold more versions.
            Some(newest) => i32::try_from(newest).ok(),
            None => None,
        };
        let newest = newest.map(RowFilter::CellsPerColumnLimit);
        let cells = match self.cells.clone()? {
            RowFilter::Chain(filters) => filters,
            filter => vec![filter],
        };
        Some(ReadRows {
            filter: RowFilter::chain(cells.into_iter().chain(newest)),
            ..self.request.clone()
        })
    }

    /// The row that was read, with only the column's cells, even if it is packed.
    pub(crate) fn of_column(&self, schema: &Schema, row: Row) -> Result<Row, Error> {
        if !schema.is_packed() {
            return Ok(row);
        }
        let times = self
            .time
            .map_or(EventTimes::All, |time| EventTimes::In(vec![time]));
        let stored = RowBatch::from(row);
        let stored = stored.row(0).unwrap_or_default();
        let whole = unpacked(schema, stored, &times)?;
        let (family, names) = &self.names;
        let mut row = or_stored(whole.as_ref(), stored).to_row();
        row.cells
            .retain(|cell| *cell.family == **family && names.contains(&cell.qualifier));
        Ok(row)
    }

    /// The event's time, if rows hold many.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        self.time
    }
}

impl EventWriter {
    /// The family of a column, and its qualifiers in the event's row.
    fn names_of(&self, column: &ColumnSchema, target: &Target) -> (String, Vec<Bytes>) {
        let offset = self.bytes.get(target.offset.clone()).unwrap_or_default();
        let is_of_row = self.schema.is_of_row(column);
        let names = column.names().map(|name| match is_of_row {
            true => Bytes::copy_from_slice(name.as_bytes()),
            false => self.schema.in_layout().qualifier(name.as_bytes(), offset),
        });
        (column.family.to_string(), names.collect())
    }

    /// Lets the cells of one column of the event through, with all versions, under the current and
    /// former names.
    fn cells_of(&self, column: &ColumnSchema, target: &Target) -> RowFilter {
        let of_row = self.schema.is_of_row(column);
        let layout = self.schema.in_layout();
        let (family, names) = self.names_of(column, target);
        let named = names.into_iter().map(|qualifier| {
            let bound = match layout.value_is_qualifier() && !of_row {
                // Any value.
                true => Bound::Unbounded,
                false => Bound::Included(qualifier),
            };
            RowFilter::QualifierRange {
                family: family.clone(),
                start: bound.clone(),
                end: bound,
            }
        });
        let cells = RowFilter::interleave(named).unwrap_or(RowFilter::BlockAll);
        match of_row || self.schema.has_columns_of_its_own() {
            true => cells,
            false => RowFilter::Chain(vec![cells, target.stamp()]),
        }
    }
}
