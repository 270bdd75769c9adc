//! What a model's own rows show of one event, by its key and its time.

use bytes::Bytes;

use crate::data::{Cell, Mutation, ReadRows, RowFilter, RowMutations};
use crate::model::describe::described_event;
use crate::model::events::{tombstone_name, tombstones};
use crate::model::packed::PACKED;
use crate::model::{
    EventRow, EventTimes, EventWriter, Holds, ModelSchema, Named, Presence, Schema, UpdateWrite,
    Wanted, stamp_after,
};
use crate::{Error, Timestamp};

impl ModelSchema {
    /// Lets through the cells that mark events, and tombstones.
    pub(crate) fn marks(&self) -> Option<RowFilter> {
        let columns = self.presence_names();
        let columns = columns.map(|(family, names)| {
            let mut columns = Named::new();
            columns.entry(family).or_default().extend(names);
            columns
        });
        let cells = self.in_layout().cells(&Wanted {
            schema: self,
            columns,
            times: &EventTimes::All,
            newest: None,
            strip: Some(RowFilter::StripValue),
        });
        self.with_tombstones(cells.filter)
    }

    /// Lets through one cell, or the whole column if it belongs to one event.
    fn cell_filter(&self, family: &str, qualifier: &Bytes, timestamp_micros: i64) -> RowFilter {
        let column = RowFilter::QualifierRange {
            family: family.to_owned(),
            start: std::ops::Bound::Included(qualifier.clone()),
            end: std::ops::Bound::Included(qualifier.clone()),
        };
        let stamp = (!self.has_columns_of_its_own()).then(|| RowFilter::TimestampRange {
            start_micros: timestamp_micros,
            end_micros: stamp_after(timestamp_micros),
        });
        let chain = RowFilter::chain([column].into_iter().chain(stamp));
        chain.unwrap_or(RowFilter::PassAll)
    }
}

impl Schema {
    /// The read of the event with a key and a time, and of its tombstone.
    pub(crate) fn event_request(
        &self,
        key: &[u8],
        time: Option<Timestamp>,
    ) -> Result<(ReadRows, EventTimes), Error> {
        writer_of(self, key, time)?.request()
    }

    /// The delete of the event with a key and a time, whatever is stored of it: a copy may arrive
    /// between its read and its delete.
    pub(crate) fn event_deletion(
        &self,
        key: &[u8],
        time: Option<Timestamp>,
    ) -> Result<Option<RowMutations>, Error> {
        writer_of(self, key, time)?.deletion(None, &[])
    }

    /// Lets a cell through if the event that a row's mutations write already exists or was deleted.
    pub(crate) fn is_known(&self, event: &EventRow) -> Result<RowFilter, Error> {
        let named = RowFilter::QualifierRegex(tombstone_name(self.stored_time(event.time)).into());
        let tombstone = RowFilter::chain([tombstones(), named]);
        let marks = presence(self, &event.row.key, event.time)?;
        let marks = marks.row.mutations.iter().filter_map(|mutation| {
            let (family, qualifier, stamp) = match mutation {
                Mutation::SetCell {
                    family,
                    qualifier,
                    timestamp_micros,
                    ..
                } => (family, qualifier, timestamp_micros),
                // A former name of the column.
                Mutation::DeleteFromColumn {
                    family,
                    qualifier,
                    start_micros,
                    ..
                } => (family, qualifier, start_micros),
                _ => return None,
            };
            Some(self.cell_filter(family, qualifier, *stamp))
        });
        let known = RowFilter::interleave(marks.chain(tombstone));
        Ok(known.unwrap_or(RowFilter::PassAll))
    }

    /// Whether a rule would have deleted the cell that marks an event by `now`, in a row with
    /// `newer` newer events.
    pub(crate) fn has_expired(
        &self,
        event: &EventRow,
        newer: u64,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let mark = presence(self, &event.row.key, event.time)?;
        let cells: Vec<_> = cells_of(mark).collect();
        let is_deleted =
            |cell: &Cell| self.is_deleted_after(newer, &cell.family, cell.timestamp_micros, now);
        Ok(!cells.is_empty() && cells.iter().all(is_deleted))
    }
}

/// The cell that marks an event, without a value.
pub(super) fn presence(
    schema: &Schema,
    key: &[u8],
    time: Option<Timestamp>,
) -> Result<EventRow, Error> {
    let mut writer = writer_of(schema, key, time)?;
    match &schema.presence {
        Presence::Column(index) => {
            // No column refuses an empty value here.
            let _ = writer.set_payload(*index, |_| Ok(()));
        }
        Presence::Marker { .. } => writer.mark(),
    }
    match writer.update(Timestamp::default())? {
        UpdateWrite::Row(row) => Ok(row),
        UpdateWrite::Replacement(_) => Err(Error::EmptyUpdate {
            table: schema.table_in_errors(time),
            key: described_event(schema, key, time),
        }),
    }
}

fn writer_of(schema: &Schema, key: &[u8], time: Option<Timestamp>) -> Result<EventWriter, Error> {
    let write = |out: &mut Vec<u8>| {
        out.extend_from_slice(key);
        Ok(())
    };
    let in_row = time.filter(|_| schema.holds() != Holds::One);
    EventWriter::begin(schema, time, write, || described_event(schema, key, in_row))
}

/// The cells that an event's mutations write, without those that packing adds.
pub(super) fn cells_of(event: EventRow) -> impl Iterator<Item = Cell> {
    let cells = event.row.mutations.into_iter().filter_map(cell_of);
    cells.filter(|cell| cell.family != PACKED)
}

fn cell_of(mutation: Mutation) -> Option<Cell> {
    let (family, qualifier, timestamp_micros, value) = match mutation {
        Mutation::SetCell {
            family,
            qualifier,
            timestamp_micros,
            value,
        } => (family, qualifier, timestamp_micros, value),
        Mutation::AddToCell {
            family,
            qualifier,
            timestamp_micros,
            input,
        } => {
            let value = Bytes::copy_from_slice(&input.to_be_bytes());
            (family, qualifier, timestamp_micros, value)
        }
        _ => return None,
    };
    Some(Cell {
        family,
        qualifier,
        timestamp_micros,
        value,
        labels: Vec::new(),
    })
}
