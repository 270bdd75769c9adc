//! The layout in which a model's events were stored before: its events as rows of today's.
//!
//! An event is the same in both layouts when its identifiers and its time are, as values. What was
//! deleted while events of the former layout are still read leaves a tombstone in the row of
//! today's layout: a cell in a family of its own, which no garbage-collection rule touches, named
//! by the event's time.

mod check;
mod shared;

use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;

use super::describe::described_event;
use super::{
    EventReader, EventRow, EventTimes, EventWriter, Holds, Model, ModelSchema, Named, Presence,
    RowEvents, Schema, TableName, UpdateWrite, Wanted, insert_row,
};
use crate::data::{Cell, Mutation, ReadRows, Row, RowFilter, RowMutations};
use crate::error::{FormerError, QueryError};
use crate::key::{KeyError, SegmentRole, SegmentValue};
use crate::{Error, Timestamp};

use super::events::{TOMBSTONES, tombstone_name};
pub(crate) use check::agree_in_key_order;

/// How long before now a copy is stamped at the latest, in microseconds: a minute, in which writes
/// that follow it may have been stamped already, by other clocks too.
const STAMPED_BEFORE: i64 = 60_000_000;

/// The model by which events were stored before, as `was(...)` names it.
#[derive(Clone, Copy)]
pub struct Former {
    pub(crate) schema: &'static Schema,
    /// What an insert of the event that was found would write today.
    convert: fn(&RowEvents, usize) -> Result<EventRow, Error>,
}

impl Former {
    /// The description of the former model.
    #[must_use]
    pub const fn schema(&self) -> &'static Schema {
        self.schema
    }
}

/// The former layout `Q` of `M`, checked while `M` is compiled. `table` is the table of `M`, or its
/// tables.
///
/// # Panics
/// When the events of both can't be united, so that the build stops.
#[doc(hidden)]
#[must_use]
pub const fn former<M: Model + From<Q>, Q: Model>(table: &TableName) -> Former {
    check::keys(
        const { &<M::Key as super::ModelKey>::LAYOUT },
        const { &<Q::Key as super::ModelKey>::LAYOUT },
    );
    check::families(M::COLUMNS);
    check::former(table, Q::SCHEMA.of_struct(), Q::MIRRORS.is_empty());
    Former {
        schema: Q::SCHEMA,
        convert: converted::<M, Q>,
    }
}

fn converted<M: Model + From<Q>, Q: Model>(
    events: &RowEvents,
    index: usize,
) -> Result<EventRow, Error> {
    let event = M::from(events.read::<Q>(index)?);
    insert_row(&event, before_others(events, index))
}

/// The time that a copy is stamped with, where cells have that of the write: that of the former
/// cells, but before any write of today's layout, which is to be newer whenever it was stamped.
fn before_others(events: &RowEvents, index: usize) -> Timestamp {
    let latest = Timestamp::now().as_micros().saturating_sub(STAMPED_BEFORE);
    let cells = events.event_cells(index);
    let newest = cells.map(|cell| cell.timestamp_micros()).max();
    Timestamp::from_micros(newest.unwrap_or(latest).min(latest))
}

impl Former {
    /// What an insert of an event found in the former layout writes in today's.
    ///
    /// # Errors
    /// [`Error::Former`] when the conversion changes an identifier or the time, and the errors of
    /// reading the one event and writing the other.
    pub(crate) fn insertion(
        &self,
        own: &Schema,
        events: &RowEvents,
        index: usize,
    ) -> Result<EventRow, Error> {
        let (key, time) = self.identity(own, events, index)?;
        let event = (self.convert)(events, index).map_err(|error| match error {
            Error::Key { source, .. } => self.refused(events, index, FormerError::Key(source)),
            error => error,
        })?;
        let is_same = event.row.key == key && own.stored_time(event.time) == time;
        match is_same {
            true => Ok(EventRow { time, ..event }),
            false => Err(self.refused(events, index, FormerError::OtherEvent)),
        }
    }

    /// The cell that marks the event in today's layout, without a value: what an insert would
    /// write, if its columns are not looked at.
    pub(crate) fn mark(
        &self,
        own: &Schema,
        events: &RowEvents,
        index: usize,
    ) -> Result<EventRow, Error> {
        let (key, time) = self.identity(own, events, index)?;
        presence(own, &key, time)
    }

    /// The key of today's row of an event, and its time.
    fn identity(
        &self,
        own: &Schema,
        events: &RowEvents,
        index: usize,
    ) -> Result<(Vec<u8>, Option<Timestamp>), Error> {
        events.check_place(index)?;
        let time = events.time(index)?;
        let key = key_in(self.schema, own, events.key(), time);
        let key = key.map_err(|source| self.refused(events, index, FormerError::Key(source)))?;
        match own.stored_time(time) == time {
            true => Ok((key, time)),
            false => Err(self.refused(events, index, FormerError::Rounded)),
        }
    }

    #[cold]
    fn refused(&self, events: &RowEvents, index: usize, source: FormerError) -> Error {
        let time = events.time_in_row(index);
        Error::Former {
            table: self.schema.table.to_string(),
            key: described_event(self.schema, events.key(), time),
            source,
        }
    }

    /// The read of an event of today's key and time in the former layout; none where that can't
    /// hold it.
    pub(crate) fn request(
        &self,
        own: &ModelSchema,
        key: &[u8],
        time: Option<Timestamp>,
    ) -> Result<Option<(ReadRows, EventTimes)>, Error> {
        let Some(key) = self.key_of(own, key, time) else {
            return Ok(None);
        };
        self.schema.event_request(&key, time).map(Some)
    }

    /// The former key of the event with today's key; none where the former layout can't hold it.
    pub(crate) fn key_of(
        &self,
        own: &ModelSchema,
        key: &[u8],
        time: Option<Timestamp>,
    ) -> Option<Vec<u8>> {
        let key = key_in(own, self.schema, key, time).ok()?;
        (self.schema.stored_time(time) == time).then_some(key)
    }

    /// The events of a row of the former layout that was read for one of them.
    pub(crate) fn load(&self, row: Row, times: &EventTimes) -> Result<RowEvents, Error> {
        let mut events = RowEvents::default();
        EventReader::new(self.schema).load(row, times, &mut events)?;
        Ok(events)
    }

    /// An event of a former row as today's layout has it; none where a rule of today's model would
    /// have deleted it by `expiry`.
    pub(crate) fn today(
        &self,
        own: &Schema,
        events: &RowEvents,
        index: usize,
        expiry: Option<Timestamp>,
    ) -> Result<Option<RowEvents>, Error> {
        let event = self.insertion(own, events, index)?;
        let Some(row) = written(own, event, expiry) else {
            return Ok(None);
        };
        let mut events = RowEvents::default();
        EventReader::new(own).load(row, &EventTimes::All, &mut events)?;
        Ok((!events.is_empty()).then_some(events))
    }
}

impl ModelSchema {
    /// Refuses what can't be asked of two layouts, by name.
    ///
    /// # Errors
    /// [`Error::Query`] with [`QueryError::Former`] for a model with a former layout.
    pub(crate) fn has_one_layout(
        &self,
        asked: &'static str,
        instead: &'static str,
    ) -> Result<(), Error> {
        let Some(former) = self.former else {
            return Ok(());
        };
        Err(Error::Query {
            table: self.table.to_string(),
            source: QueryError::Former {
                asked,
                former: former.schema.model.to_string(),
                instead,
            },
        })
    }

    /// What a delete of the event with this time leaves, so that its former self does not come
    /// back.
    pub(crate) fn tombstone(&self, time: Option<Timestamp>) -> Option<Mutation> {
        self.former?;
        Some(Mutation::SetCell {
            family: ByteString::from_static(TOMBSTONES),
            qualifier: tombstone_name(self.stored_time(time)).into(),
            timestamp_micros: 0,
            value: Bytes::new(),
        })
    }

    /// The filter, and what lets through the tombstones of the rows beside it.
    pub(crate) fn with_tombstones(&self, filter: Option<RowFilter>) -> Option<RowFilter> {
        match (self.former, filter) {
            (Some(_), Some(filter)) => RowFilter::interleave([filter, tombstones()]),
            (_, filter) => filter,
        }
    }

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

    /// Lets through one cell, or the column where it is one event's alone.
    fn cell_filter(&self, family: &str, qualifier: &Bytes, timestamp_micros: i64) -> RowFilter {
        let column = RowFilter::QualifierRange {
            family: family.to_owned(),
            start: std::ops::Bound::Included(qualifier.clone()),
            end: std::ops::Bound::Included(qualifier.clone()),
        };
        let stamp = (!self.has_columns_of_its_own()).then(|| RowFilter::TimestampRange {
            start_micros: timestamp_micros,
            end_micros: super::times::stamp_after(timestamp_micros),
        });
        let chain = RowFilter::chain([column].into_iter().chain(stamp));
        chain.unwrap_or(RowFilter::PassAll)
    }
}

/// Lets through the tombstones of a row.
pub(crate) fn tombstones() -> RowFilter {
    RowFilter::FamilyRegex(TOMBSTONES.to_owned())
}

/// The row that mutations write, without what they delete. What a rule of the model would delete at
/// `expiry` is left out.
pub(crate) fn written(
    schema: &ModelSchema,
    event: EventRow,
    expiry: Option<Timestamp>,
) -> Option<Row> {
    let is_kept = |cell: &Cell| {
        expiry.is_none_or(|now| !schema.is_too_old(&cell.family, cell.timestamp_micros, now))
    };
    let cells = event.row.mutations.into_iter().filter_map(cell_of);
    let cells: Vec<_> = cells.filter(is_kept).collect();
    (!cells.is_empty()).then_some(Row {
        key: event.row.key,
        cells,
    })
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

impl Schema {
    /// The read of the event with a key and a time, and of its tombstone.
    pub(crate) fn event_request(
        &self,
        key: &[u8],
        time: Option<Timestamp>,
    ) -> Result<(ReadRows, EventTimes), Error> {
        writer_of(self, key, time)?.request()
    }

    /// What deletes the event with a key and a time, whatever of it is stored by now: a copy may
    /// come between its read and its delete.
    pub(crate) fn event_deletion(
        &self,
        key: &[u8],
        time: Option<Timestamp>,
    ) -> Result<Option<RowMutations>, Error> {
        writer_of(self, key, time)?.deletion(None, &[])
    }

    /// Lets through a cell where the event that a row's mutations write is there already, or was
    /// deleted.
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
                // By a name that the column had.
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

    /// Whether a rule would have deleted an event by now, in a row with so many newer ones: the
    /// cell that marks it.
    pub(crate) fn has_expired(
        &self,
        event: &EventRow,
        newer: u64,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let mark = presence(self, &event.row.key, event.time)?;
        let cells: Vec<_> = mark.row.mutations.into_iter().filter_map(cell_of).collect();
        let is_deleted =
            |cell: &Cell| self.is_deleted_after(newer, &cell.family, cell.timestamp_micros, now);
        Ok(!cells.is_empty() && cells.iter().all(is_deleted))
    }
}

/// The cell that marks an event, without a value.
fn presence(schema: &Schema, key: &[u8], time: Option<Timestamp>) -> Result<EventRow, Error> {
    let mut writer = writer_of(schema, key, time)?;
    match &schema.presence {
        Presence::Column(index) => {
            // A column without a value is refused by none.
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

/// The key in one layout of the event that has a key in another: the same identifiers by their
/// names, and its time.
fn key_in(
    from: &ModelSchema,
    to: &ModelSchema,
    key: &[u8],
    time: Option<Timestamp>,
) -> Result<Vec<u8>, KeyError> {
    let values = from.key.decode(key)?;
    let value_of = |name: &str| {
        let mut known = from.key.valued().zip(&values);
        known.find_map(|((_, segment), value)| (segment.name == name).then(|| value.clone()))
    };
    let parts = to
        .key
        .valued()
        .filter_map(|(_, segment)| match segment.role {
            SegmentRole::Identifier => value_of(&segment.name),
            _ => time.map(SegmentValue::Time),
        });
    let parts: Vec<_> = parts.collect();
    let mut out = Vec::new();
    to.key.encode(&parts, &mut out)?;
    Ok(out)
}

/// By the model's name and table: functions have no equality that means anything.
impl PartialEq for Former {
    fn eq(&self, other: &Self) -> bool {
        self.schema.model == other.schema.model && self.schema.table == other.schema.table
    }
}

impl Eq for Former {}

impl std::hash::Hash for Former {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.schema.model.hash(state);
        self.schema.table.hash(state);
    }
}

impl fmt::Debug for Former {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Former({})", self.schema.model)
    }
}
