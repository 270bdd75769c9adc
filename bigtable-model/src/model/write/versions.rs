//! The read of the versions of one column of one event.

use std::ops::Bound;

use bytes::Bytes;

use crate::data::{ReadRows, RowFilter, RowSet};
use crate::model::layout::Target;
use crate::model::{ColumnSchema, Model};
use crate::{Error, Timestamp};

use super::EventWriter;

/// The read of the versions of one column of one event.
#[derive(Debug)]
pub(crate) struct VersionsRead {
    request: ReadRows,
    /// Lets the column's cells through.
    cells: Option<RowFilter>,
    /// The event's time, if rows hold many.
    time: Option<Timestamp>,
}

impl VersionsRead {
    /// Of the column at `index`.
    ///
    /// # Errors
    /// [`Error::Key`] when the key can't hold its values.
    pub(crate) fn new<M: Model>(key: &M::Key, index: usize) -> Result<Self, Error> {
        let mut event = EventWriter::of_key::<M>(key)?;
        let table = M::SCHEMA.table_of(event.time)?.into_owned();
        let target = event.target()?;
        let column = M::SCHEMA.columns.get(index);
        let cells = column.map(|column| event.cells_of(column, &target));
        let mut row = event.bytes;
        row.truncate(event.key_len);
        Ok(Self {
            request: ReadRows {
                table,
                rows: RowSet::key(row),
                filter: None,
                rows_limit: 1,
                ..ReadRows::default()
            },
            cells,
            time: target.time_in_row,
        })
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

    /// The event's time, if rows hold many.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        self.time
    }
}

impl EventWriter {
    /// Lets the cells of one column of the event through, with all versions, under the current and
    /// former names.
    fn cells_of(&self, column: &ColumnSchema, target: &Target) -> RowFilter {
        let offset = self.bytes.get(target.offset.clone()).unwrap_or_default();
        let of_row = self.schema.is_of_row(column);
        let layout = self.schema.in_layout();
        let named = column.names().map(|name| {
            let qualifier = match of_row {
                true => Bytes::copy_from_slice(name.as_bytes()),
                false => layout.qualifier(name.as_bytes(), offset),
            };
            let bound = match layout.value_is_qualifier() && !of_row {
                // The value, whatever it is.
                true => Bound::Unbounded,
                false => Bound::Included(qualifier),
            };
            RowFilter::QualifierRange {
                family: column.family.to_string(),
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
