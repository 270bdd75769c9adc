//! An event as cells: as found in a row, and as written to one.

use bytes::Bytes;

use crate::Timestamp;
use crate::data::{CellRef, RowMutations, RowRef};
use crate::key::{KeyError, SegmentError};
use crate::value::ValueError;

use super::ModelSchema;
use crate::model::blocks::BlockEvents;

/// Why a row is not a value of the model.
#[derive(Debug)]
pub enum ReadError {
    /// A segment of the key.
    Key(KeyError),
    /// A required column is absent: its index.
    Missing(usize),
    /// A column's bytes: its index.
    Column(usize, ValueError),
    /// A run-time column's bytes: the index of its map, and its qualifier.
    Entry(usize, String, ValueError),
}

impl From<KeyError> for ReadError {
    #[inline]
    fn from(error: KeyError) -> Self {
        Self::Key(error)
    }
}

/// The cells of one event by column.
#[derive(Debug)]
pub struct EventCells<'r> {
    schema: &'r ModelSchema,
    row: RowRef<'r>,
    /// The index of each column's cell; `ABSENT` if the column is missing.
    slots: &'r [u32],
    /// Whether values are qualifiers.
    in_qualifier: bool,
    /// The cells of the event's run-time columns, if the row also has those of other events.
    entries: Option<&'r [Entry]>,
    /// The event's values in blocks, in place of cells.
    blocks: Option<(&'r BlockEvents, usize)>,
}

/// A cell of a run-time column, in a row that has those of several events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::model) struct Entry {
    /// The event's time.
    pub(in crate::model) time: Timestamp,
    /// The cell's index in the row.
    pub(in crate::model) cell: u32,
}

/// The parts of a run-time column's qualifier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryName<'q> {
    /// The index of the map.
    pub(crate) map: usize,
    pub(crate) name: &'q [u8],
    /// The offset of the event, in layout `columns`.
    pub(crate) offset: &'q [u8],
}

/// A cell of a run-time column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryCell<'r> {
    /// The index of the map.
    pub(crate) map: usize,
    pub(crate) name: &'r [u8],
    pub(crate) cell: CellRef<'r>,
}

impl<'r> EntryCell<'r> {
    fn of(schema: &ModelSchema, cell: CellRef<'r>) -> Option<Self> {
        let EntryName { map, name, .. } = schema.entry_of(cell.family(), cell.qualifier())?;
        Some(Self { map, name, cell })
    }

    /// The name, as shared bytes.
    pub(in crate::model) fn shared_name(&self) -> Bytes {
        let mut name = self.cell.shared_qualifier();
        name.truncate(self.name.len());
        name
    }
}

/// An event that was found in a row.
#[derive(Debug)]
pub(crate) struct FoundEvent<'r> {
    /// The row's key.
    pub(in crate::model) key: &'r [u8],
    /// The label in the key and the start of its bucket, if the row holds a bucket's events.
    pub(in crate::model) label: Option<(&'r [u8], Timestamp)>,
    /// Its time, if rows hold many.
    pub(in crate::model) time: Option<Timestamp>,
    pub(in crate::model) cells: EventCells<'r>,
}

/// The write of one event to its row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EventRow {
    pub(crate) row: RowMutations,
    /// The event's time, by which errors name it if the row holds many; `None` if unknown.
    pub(crate) time: Option<Timestamp>,
}

impl<'r> EventCells<'r> {
    /// `entries` are the event's, if the row's cells may belong to several.
    pub(in crate::model) fn new(
        schema: &'r ModelSchema,
        row: RowRef<'r>,
        slots: &'r [u32],
        entries: Option<&'r [Entry]>,
    ) -> Self {
        Self {
            schema,
            row,
            slots,
            in_qualifier: schema.in_layout().value_is_qualifier(),
            entries,
            blocks: None,
        }
    }

    /// The same for an event of blocks, by its number there.
    #[inline]
    pub(in crate::model) fn of_blocks(self, blocks: &'r BlockEvents, number: usize) -> Self {
        Self {
            blocks: Some((blocks, number)),
            ..self
        }
    }

    /// The cell of a column; the newest if it has several versions.
    #[must_use]
    #[inline]
    pub fn cell(&self, index: usize) -> Option<CellRef<'r>> {
        let slot = *self.slots.get(index)?;
        self.row.cell(usize::try_from(slot).ok()?)
    }

    /// The value of a column: the cell's value or, in layout `qualifiers`, its qualifier.
    #[must_use]
    #[inline]
    pub fn value(&self, index: usize) -> Option<&'r [u8]> {
        if let Some((blocks, number)) = self.blocks {
            return blocks.value(number, index);
        }
        let cell = self.cell(index)?;
        Some(match self.in_qualifier {
            true => cell.qualifier(),
            false => cell.value(),
        })
    }

    /// The same, as shared bytes.
    pub(crate) fn shared_value(&self, index: usize) -> Option<Bytes> {
        if let Some((blocks, number)) = self.blocks {
            return blocks.shared_value(number, index);
        }
        let cell = self.cell(index)?;
        Some(match self.in_qualifier {
            true => cell.shared_qualifier(),
            false => cell.shared_value(),
        })
    }

    /// How many cells the event has, and the sum of their weights.
    pub(in crate::model) fn size(&self, weight: fn(&CellRef<'_>) -> u64) -> (u64, u64) {
        let columns = (0..self.slots.len()).filter_map(|index| self.cell(index));
        let entries = self.map_cells().map(|entry| entry.cell);
        columns.chain(entries).fold((0, 0), |(cells, bytes), cell| {
            (cells + 1, bytes + weight(&cell))
        })
    }

    /// The timestamp of its newest cell; an event of a block has no cells.
    pub(in crate::model) fn newest_stamp(&self) -> Option<i64> {
        let columns = (0..self.slots.len()).filter_map(|index| self.cell(index));
        let cells = columns.chain(self.map_cells().map(|entry| entry.cell));
        cells.map(|cell| cell.timestamp_micros()).max()
    }

    /// The event's cell of each run-time column, the newest if it has several versions: the columns
    /// of the maps' families that the model does not declare.
    pub(crate) fn map_cells(&self) -> impl Iterator<Item = EntryCell<'r>> + use<'r> {
        let (schema, row) = (self.schema, self.row);
        let all = (self.entries.is_none() && schema.has_maps()).then(|| row.cells());
        let own = self.entries.unwrap_or_default().iter();
        let own = own.filter_map(move |one| row.cell(usize::try_from(one.cell).ok()?));
        let mut last: Option<CellRef<'r>> = None;
        own.chain(all.into_iter().flatten())
            .filter_map(move |cell| {
                let older = last.is_some_and(|last| last.is_of(cell.family(), cell.qualifier()));
                last = Some(cell);
                (!older).then(|| EntryCell::of(schema, cell))?
            })
    }
}

/// A key segment's value, if its type accepts the value in the key.
///
/// # Errors
/// If it does not.
#[inline]
pub fn restored<T>(name: &'static str, value: Result<T, SegmentError>) -> Result<T, KeyError> {
    value.map_err(|source| segment_error(name, source))
}

/// Names the segment.
#[cold]
fn segment_error(name: &'static str, source: SegmentError) -> KeyError {
    KeyError::Segment {
        segment: name.into(),
        source,
    }
}
