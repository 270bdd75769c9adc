//! Deletes of one event and of one of its columns, and the read of one event.

use crate::data::{Cell, Mutation, ReadRows, RowMutations, RowSet};
use crate::model::layout::Target;
use crate::model::{EventTimes, Holds, Model, Presence};
use crate::{Error, Timestamp};

use super::{Change, EventWriter, Place};
use crate::model::shared;

/// The mutations that delete one event; `None` if it has no cells.
///
/// In layout `row` they delete the whole row; in the others only the event's cells, and columns
/// that belong to the row stay. Qualifiers must be known in layout `qualifiers`, where they are
/// values, and for the run-time columns of layout `latest`: `cells` are those that
/// [`event_request`] reads. Other layouts ignore them.
///
/// # Errors
/// [`Error::Key`] if the key cannot hold its values.
pub fn delete_mutations<M: Model>(
    key: &M::Key,
    cells: &[Cell],
) -> Result<Option<RowMutations>, Error> {
    EventWriter::of_key::<M>(key)?.deletion(None, cells)
}

/// Like [`delete_mutations`], but only for the column at `index`: the others stay.
///
/// # Errors
/// [`Error::Key`] if the key cannot hold its values.
pub fn delete_cell_mutations<M: Model>(
    key: &M::Key,
    index: usize,
    cells: &[Cell],
) -> Result<Option<RowMutations>, Error> {
    EventWriter::of_key::<M>(key)?.deletion(Some(index), cells)
}

/// The read of one event: its row, with a filter that lets its cells through, and possibly others;
/// and its time, if rows hold many events.
///
/// # Errors
/// [`Error::Key`] if the key cannot hold its values.
pub fn event_request<M: Model>(key: &M::Key) -> Result<(ReadRows, EventTimes), Error> {
    EventWriter::of_key::<M>(key)?.request()
}

impl EventWriter {
    /// The mutations that delete the event, or one column of it.
    pub(in crate::model) fn deletion(
        mut self,
        column: Option<usize>,
        cells: &[Cell],
    ) -> Result<Option<RowMutations>, Error> {
        let schema = self.schema.clone();
        let layout = schema.in_layout();
        match (layout.holds(), column) {
            (Holds::One, None) => {
                let tombstone = schema.tombstone(self.time);
                Ok(Some(RowMutations {
                    key: self.bytes.into(),
                    mutations: [Mutation::DeleteFromRow]
                        .into_iter()
                        .chain(tombstone)
                        .collect(),
                }))
            }
            _ if layout.value_is_qualifier() => self.found_deletion(cells),
            (_, Some(index)) => {
                self.absent(index);
                let is_event =
                    matches!(schema.presence, Presence::Column(column) if column == index);
                let tombstone = self.tombstone(is_event);
                self.finish(Timestamp::default(), tombstone).map(Some)
            }
            (_, None) => {
                if matches!(schema.presence, Presence::Marker { .. }) {
                    self.changes.push(Change::Delete(Place::Marker));
                }
                (0..schema.columns.len()).for_each(|index| self.absent(index));
                self.absent_entries(cells)?;
                let tombstone = self.tombstone(true);
                self.finish(Timestamp::default(), tombstone).map(Some)
            }
        }
    }

    /// What tells that the event is deleted, where a former self of it may be stored.
    fn tombstone(&self, is_event: bool) -> Vec<Mutation> {
        let tombstone = self.schema.tombstone(self.time);
        tombstone.into_iter().filter(|_| is_event).collect()
    }

    /// Deletes those of the cells that are run-time columns of the event, in layout `latest`.
    fn absent_entries(&mut self, cells: &[Cell]) -> Result<(), Error> {
        let schema = self.schema.clone();
        let Some(family) = schema.map_family.as_deref() else {
            return Ok(());
        };
        let timestamp = self.target()?.timestamp_micros;
        let entries = cells.iter().filter(|cell| {
            cell.timestamp_micros == timestamp
                && cell.family == *family
                && !schema.declares(family, &cell.qualifier)
        });
        entries.for_each(|cell| self.absent_entry(&cell.qualifier));
        Ok(())
    }

    /// Deletes those of the cells that are the event's, in layout `qualifiers`.
    fn found_deletion(mut self, cells: &[Cell]) -> Result<Option<RowMutations>, Error> {
        let schema = self.schema.clone();
        let target = self.target()?;
        let column = schema.columns.iter().find(|one| !schema.is_of_row(one));
        let Some(column) = column else {
            return Ok(None);
        };
        let of_event = cells.iter().filter(|cell| {
            cell.family == *column.family && cell.timestamp_micros == target.timestamp_micros
        });
        let mutations: Vec<_> = of_event
            .map(|cell| {
                schema.delete_column(&target, shared(&column.family), cell.qualifier.clone())
            })
            .collect();
        self.bytes.truncate(self.key_len);
        let key = self.bytes.into();
        Ok((!mutations.is_empty()).then_some(RowMutations { key, mutations }))
    }

    /// The read of the event.
    pub(in crate::model) fn request(mut self) -> Result<(ReadRows, EventTimes), Error> {
        let schema = self.schema.clone();
        let target = self.target()?;
        let offset = self.bytes.get(target.offset.clone()).unwrap_or_default();
        let filter = schema.in_layout().event_filter(&schema, &target, offset);
        let filter = schema.with_tombstones(Some(filter));
        self.bytes.truncate(self.key_len);
        let request = ReadRows {
            table: schema.table_of(self.time)?.into_owned(),
            rows: RowSet::key(self.bytes),
            filter,
            rows_limit: 1,
            ..ReadRows::default()
        };
        let times = target.time_in_row.map(|time| EventTimes::In(vec![time]));
        Ok((request, times.unwrap_or_default()))
    }

    pub(super) fn target(&mut self) -> Result<Target, Error> {
        let schema = self.schema.clone();
        let now = Timestamp::default();
        schema
            .in_layout()
            .target(&schema, self.time, now, &mut self.bytes)
            .map_err(|source| self.refused_time(source))
    }
}
