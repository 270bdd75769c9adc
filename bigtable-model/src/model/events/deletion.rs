//! Deletes of events that were found.

use crate::Error;
use crate::data::{CellRef, Mutation, RowMutations};
use crate::model::Holds;
use crate::model::times::stamp_after;

use super::{ABSENT, RowEvents, foreign};

impl RowEvents {
    /// The mutations that delete the event at `index`: its row, or those of its cells that were
    /// read. `None` if there is no such event.
    ///
    /// # Errors
    /// [`Error::ForeignKey`] if the row's key is not the model's: then the row holds no event,
    /// whatever its columns. [`Error::ForeignCell`] for cells that do not belong to an event.
    pub(crate) fn deletion(&self, index: usize) -> Result<Option<RowMutations>, Error> {
        self.check_place(index)?;
        let Some(schema) = self.schema.as_ref().filter(|_| index < self.len()) else {
            return Ok(None);
        };
        if schema.is_packed() {
            let mut row = schema.event_deletion(self.key(), self.time(index)?)?;
            if let Some(row) = &mut row {
                // Only what was read shows the columns that are named at run time.
                let entries = self.cells(schema, index).map_cells();
                let entries = entries.map(|entry| of_cell(entry.cell));
                row.mutations.extend(entries);
            }
            return Ok(row);
        }
        let key = self.key_at(index);
        let decoded = schema.key.decode(key);
        decoded.map_err(|source| foreign(schema, key, source))?;
        let mut mutations: Vec<_> = match schema.holds() {
            Holds::One => vec![Mutation::DeleteFromRow],
            // A column, with all its versions, belongs to one event.
            Holds::Many if schema.has_columns_of_its_own() => {
                let cells = self.event_cells(index);
                cells.map(|cell| of_column(cell, 0, 0)).collect()
            }
            Holds::Many | Holds::Newest => self.event_cells(index).map(of_cell).collect(),
        };
        mutations.extend(schema.tombstone(self.time(index)?));
        let key = self.shared_key();
        Ok((!mutations.is_empty()).then_some(RowMutations { key, mutations }))
    }

    /// The cells of an event that were read, including those of run-time columns.
    pub(crate) fn event_cells(&self, index: usize) -> impl Iterator<Item = CellRef<'_>> {
        let schema = self.schema.iter();
        let entries = schema.flat_map(move |schema| self.cells(schema, index).map_cells());
        self.found(index).chain(entries.map(|entry| entry.cell))
    }

    /// The cells of an event's declared columns that were read.
    fn found(&self, index: usize) -> impl Iterator<Item = CellRef<'_>> {
        let slots = self.slots.iter().skip(index * self.width).take(self.width);
        let cells = slots.filter(|slot| **slot != ABSENT);
        cells.filter_map(|slot| self.row().cell(usize::try_from(*slot).ok()?))
    }
}

fn of_cell(cell: CellRef<'_>) -> Mutation {
    let stamp = cell.timestamp_micros();
    of_column(cell, stamp, stamp_after(stamp))
}

fn of_column(cell: CellRef<'_>, start_micros: i64, end_micros: i64) -> Mutation {
    Mutation::DeleteFromColumn {
        family: cell.family().into(),
        qualifier: cell.shared_qualifier(),
        start_micros,
        end_micros,
    }
}
