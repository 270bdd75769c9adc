//! Rows to events.

use std::marker::PhantomData;

use crate::Error;
use crate::data::{Cell, Row};
use crate::key::{KeyError, KeySegment, SegmentError};
use crate::value::ValueError;

use super::write::name;
use super::{Model, ModelSchema, Presence, Projection};

/// Why a row is not a value of the model.
#[derive(Debug)]
pub enum ReadError {
    /// A segment of the key.
    Key(KeyError),
    /// A required column is absent: its index.
    Missing(usize),
    /// A column's bytes: its index.
    Column(usize, ValueError),
    /// A run-time column's bytes: its qualifier.
    Entry(String, ValueError),
}

/// A slot of a column that the row does not have.
const ABSENT: u32 = u32::MAX;

/// The cells of one event by column.
#[derive(Debug)]
pub struct EventCells<'r> {
    schema: &'static ModelSchema,
    row: &'r Row,
    /// For each column the index of its newest cell, or [`ABSENT`].
    slots: &'r [u32],
}

impl<'r> EventCells<'r> {
    /// The newest cell of a column.
    #[must_use]
    pub fn cell(&self, index: usize) -> Option<&'r Cell> {
        let slot = *self.slots.get(index)?;
        self.row.cells.get(usize::try_from(slot).ok()?)
    }

    /// The newest cell of each run-time column: those of the map's family that the model does not declare.
    pub fn map_cells(&self) -> impl Iterator<Item = &'r Cell> {
        let schema = self.schema;
        let family = schema.map_family.as_deref();
        let mut last: Option<&'r Cell> = None;
        self.row.cells.iter().filter(move |cell| {
            let in_family = family.is_some_and(|family| cell.family == *family);
            let older = last.is_some_and(|last| same_column(last, cell));
            last = Some(cell);
            in_family && !older && !schema.declares(&cell.family, &cell.qualifier)
        })
    }
}

fn same_column(a: &Cell, b: &Cell) -> bool {
    a.qualifier == b.qualifier && a.family == b.family
}

impl ModelSchema {
    /// Whether a column is one of the model's own, or its marker.
    pub(super) fn declares(&self, family: &str, qualifier: &[u8]) -> bool {
        let is = |own: &str, name: &str| qualifier == name.as_bytes() && family == own;
        let marker = match &self.presence {
            Presence::Marker { family, qualifier } => is(family, qualifier),
            Presence::Column(_) => false,
        };
        marker
            || self
                .columns
                .iter()
                .any(|one| is(&one.family, &one.qualifier))
    }
}

/// A column to look for, and where it goes.
#[derive(Debug)]
struct Wanted {
    family: &'static str,
    qualifier: &'static [u8],
    slot: usize,
}

/// Reads rows as values of a model or of a projection; it is reused from row to row.
#[derive(Debug)]
pub struct RowReader<P> {
    /// The columns in the order in which a row's cells come.
    wanted: Vec<Wanted>,
    /// One for each column, and one for the marker.
    slots: Vec<u32>,
    presence: usize,
    projection: PhantomData<fn() -> P>,
}

impl<P: Projection> RowReader<P> {
    /// A reader of rows of `P`.
    #[must_use]
    pub fn new() -> Self {
        let schema: &'static ModelSchema = P::Model::SCHEMA;
        let columns = schema.columns.iter().enumerate();
        let mut wanted: Vec<_> = columns
            .map(|(slot, column)| Wanted {
                family: &column.family,
                qualifier: column.qualifier.as_bytes(),
                slot,
            })
            .collect();
        let presence = match &schema.presence {
            Presence::Column(index) => *index,
            Presence::Marker { family, qualifier } => {
                wanted.push(Wanted {
                    family,
                    qualifier: qualifier.as_bytes(),
                    slot: schema.columns.len(),
                });
                schema.columns.len()
            }
        };
        wanted.sort_by_key(|one| (one.family, one.qualifier));
        Self {
            slots: vec![ABSENT; wanted.len()],
            wanted,
            presence,
            projection: PhantomData,
        }
    }

    /// The row's event; none when the row does not hold the cell that marks one.
    ///
    /// # Errors
    /// [`Error::ForeignKey`] when the key is not the model's, [`Error::MissingColumn`] and [`Error::Value`] when
    /// columns are not what the model writes.
    pub fn read(&mut self, row: &Row) -> Result<Option<P>, Error> {
        self.find_cells(row);
        if self
            .slots
            .get(self.presence)
            .is_none_or(|slot| *slot == ABSENT)
        {
            return Ok(None);
        }
        let schema = P::Model::SCHEMA;
        let cells = EventCells {
            schema,
            row,
            slots: &self.slots,
        };
        let read = P::Model::decode_key(&row.key)
            .map_err(ReadError::Key)
            .and_then(|key| P::read(&key, &cells));
        read.map(Some)
            .map_err(|error| with_place(schema, row, error))
    }

    /// Finds the newest cell of each column. Cells come in the order of `wanted` but for families, whose
    /// order Bigtable leaves open, so the next column is nearly always the one that is tried first.
    fn find_cells(&mut self, row: &Row) {
        self.slots.fill(ABSENT);
        let mut expected = 0;
        for (index, cell) in row.cells.iter().enumerate() {
            let is = |one: &Wanted| {
                cell.qualifier == one.qualifier && cell.family.as_bytes() == one.family.as_bytes()
            };
            let found = match self.wanted.get(expected) {
                Some(one) if is(one) => Some(expected),
                _ => self.wanted.iter().position(is),
            };
            let Some(found) = found else { continue };
            expected = found + 1;
            let slot = self.wanted.get(found).map(|one| one.slot);
            if let Some(slot) = slot.and_then(|slot| self.slots.get_mut(slot))
                && *slot == ABSENT
            {
                *slot = u32::try_from(index).unwrap_or(ABSENT);
            }
        }
    }
}

impl<P: Projection> Default for RowReader<P> {
    fn default() -> Self {
        Self::new()
    }
}

/// A key segment's value for what stands in the key.
///
/// # Errors
/// When the type refuses it.
#[inline]
pub fn restore_segment<T: KeySegment>(
    name: &'static str,
    stored: T::Stored<'_>,
) -> Result<T, KeyError> {
    T::restore(stored).map_err(|source| segment_error(name, source))
}

/// Names the segment.
#[cold]
pub fn segment_error(name: &'static str, source: SegmentError) -> KeyError {
    KeyError::Segment {
        segment: name.into(),
        source,
    }
}

fn with_place(schema: &ModelSchema, row: &Row, error: ReadError) -> Error {
    let table = schema.table.to_string();
    let key = schema.key.describe(&row.key).to_string();
    let column_name = |index: usize| {
        let column = schema.columns.get(index);
        column.map_or_else(String::new, |one| name(&one.family, &one.qualifier))
    };
    match error {
        ReadError::Key(source) => Error::ForeignKey {
            table,
            key: row.key.clone(),
            source,
        },
        ReadError::Missing(index) => Error::MissingColumn {
            table,
            key,
            column: column_name(index),
        },
        ReadError::Column(index, source) => Error::Value {
            table,
            key,
            column: column_name(index),
            source,
        },
        ReadError::Entry(qualifier, source) => Error::Value {
            table,
            key,
            column: name(schema.map_family.as_deref().unwrap_or_default(), &qualifier),
            source,
        },
    }
}
