//! Deletes of one event and of one of its columns, and the read of one event.

use crate::data::{Cell, Mutation, ReadRows, RowMutations, RowSet};
use crate::model::layout::Target;
use crate::model::{EventTimes, Holds, Presence};
use crate::{Error, Timestamp};

use super::{Change, EventWriter, Place};
use crate::model::shared;

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

    /// The tombstone of the deleted event, if a former copy of it may be stored.
    fn tombstone(&self, is_event: bool) -> Vec<Mutation> {
        let tombstone = self.schema.tombstone(self.time);
        tombstone.into_iter().filter(|_| is_event).collect()
    }

    /// Deletes the run-time columns of the event that are among the cells of its row, if the row
    /// may also have those of other events.
    fn absent_entries(&mut self, cells: &[Cell]) -> Result<(), Error> {
        let schema = self.schema.clone();
        if !schema.has_maps() {
            return Ok(());
        }
        let target = self.target()?;
        let offset = self.bytes.get(target.offset.clone()).unwrap_or_default();
        let offset = offset.to_vec();
        for cell in cells {
            let Some(entry) = schema.entry_of(&cell.family, &cell.qualifier) else {
                continue;
            };
            let is_of_event = match schema.has_columns_of_its_own() {
                true => entry.offset == offset,
                false => cell.timestamp_micros == target.timestamp_micros,
            };
            if is_of_event {
                self.absent_entry(entry.map, entry.name);
            }
        }
        Ok(())
    }

    /// Deletes the cells that are the event's, in layout `qualifiers`.
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
        self.target_at(Timestamp::default())
    }
}
