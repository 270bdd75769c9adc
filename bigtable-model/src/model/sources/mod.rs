//! The sources of a model's events other than its own rows: the former layout.
//!
//! A source returns its events as rows in the model's own layout. So one path finds, checks,
//! orders, limits and counts the events of all sources, and knows only rows of one layout. Two
//! sources have the same event if its identifiers and its time are equal as values; its own row
//! takes precedence, then the sources in the order of [`ModelSchema::sources`].

mod former;
mod known;

use std::fmt;
use std::sync::Arc;

use super::describe::described_event;
use super::{EventReader, EventRow, EventTimes, Former, ModelSchema, RowEvents, Schema};
use crate::data::{Cell, ReadRows, Row};
use crate::error::{FormerError, QueryError};
use crate::key::{KeyError, SegmentValue};
use crate::{Error, Timestamp};

use former::agree_in_key_order;
pub use former::former;
use known::{cells_of, presence};

/// A place other than its own rows where events of a model are stored.
pub(crate) trait Source: fmt::Debug + Send + Sync {
    /// The layout of its rows.
    fn schema(&self) -> &'static Schema;

    /// The insert, in the model's own layout, of an event found there.
    ///
    /// # Errors
    /// Those of reading the one event and writing the other.
    fn convert(&self, events: &RowEvents, index: usize) -> Result<EventRow, Error>;
}

impl Source for Former {
    fn schema(&self) -> &'static Schema {
        self.schema
    }

    fn convert(&self, events: &RowEvents, index: usize) -> Result<EventRow, Error> {
        (self.convert)(&events.event(self.schema, index)?)
    }
}

impl dyn Source + '_ {
    /// The name of the model that the source's rows follow.
    pub(crate) fn name(&self) -> &'static str {
        &self.schema().model
    }

    /// Whether its keys sort like the model's own.
    pub(crate) fn sorts_like(&self, own: &ModelSchema) -> bool {
        agree_in_key_order(&own.key, &self.schema().key)
    }

    /// The write, in the model's own layout, of an event found there.
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
        let event = self.convert(events, index).map_err(|error| match error {
            Error::Key { source, .. } => self.refused(events, index, FormerError::Key(source)),
            error => error,
        })?;
        let is_same = event.row.key == key && own.stored_time(event.time) == time;
        match is_same {
            true => Ok(EventRow { time, ..event }),
            false => Err(self.refused(events, index, FormerError::OtherEvent)),
        }
    }

    /// The cell that marks the event in the model's own layout, without a value: the part of an
    /// insert that suffices if columns are not read.
    pub(crate) fn mark(
        &self,
        own: &Schema,
        events: &RowEvents,
        index: usize,
    ) -> Result<EventRow, Error> {
        let (key, time) = self.identity(own, events, index)?;
        presence(own, &key, time)
    }

    /// The key of an event in the model's own layout, and its time.
    fn identity(
        &self,
        own: &Schema,
        events: &RowEvents,
        index: usize,
    ) -> Result<(Vec<u8>, Option<Timestamp>), Error> {
        events.check_place(index)?;
        let time = events.time(index)?;
        let key = key_in(self.schema(), own, events.key_at(index), time);
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
            table: self.schema().table.to_string(),
            key: described_event(self.schema(), events.key_at(index), time),
            source,
        }
    }

    /// The read of the event with a key of the model's own layout and a time; `None` if the source
    /// cannot hold it.
    pub(crate) fn request(
        &self,
        own: &ModelSchema,
        key: &[u8],
        time: Option<Timestamp>,
    ) -> Result<Option<(ReadRows, EventTimes)>, Error> {
        let Some(key) = self.key_of(own, key, time) else {
            return Ok(None);
        };
        self.schema().event_request(&key, time).map(Some)
    }

    /// The source's key of the event with a key of the model's own layout; `None` if the source
    /// cannot hold it.
    pub(crate) fn key_of(
        &self,
        own: &ModelSchema,
        key: &[u8],
        time: Option<Timestamp>,
    ) -> Option<Vec<u8>> {
        let key = key_in(own, self.schema(), key, time).ok()?;
        (self.schema().stored_time(time) == time).then_some(key)
    }

    /// The events of a row that was read for one of them, except events of blocks that a rule would
    /// have deleted by `expiry`.
    pub(crate) fn load(
        &self,
        row: Row,
        times: &EventTimes,
        expiry: Option<Timestamp>,
    ) -> Result<RowEvents, Error> {
        let mut events = RowEvents::default();
        let reader = EventReader::new(self.schema()).without_expired(expiry);
        reader.load(row, times, &mut events)?;
        Ok(events)
    }

    /// An event found there, in the model's own layout; `None` if a rule of the model would have
    /// deleted it by `expiry`.
    pub(crate) fn as_own(
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
    /// Whether events have sources other than the model's own rows.
    pub(crate) const fn is_united(&self) -> bool {
        self.former.is_some()
    }

    /// The other sources of the model's events, in order of precedence.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Arc<dyn Source>> {
        let former = self.former.into_iter();
        former.map(|former| Arc::new(former) as Arc<dyn Source>)
    }

    /// All layouts of the model's events, its own first.
    pub(crate) fn layouts(&self) -> impl Iterator<Item = &Self> {
        let others = self.sources().map(|source| &**source.schema());
        std::iter::once(self).chain(others)
    }

    /// Refuses an operation, by name, that several sources do not support.
    ///
    /// # Errors
    /// [`Error::Query`] with [`QueryError::Former`] for a model with another source.
    pub(crate) fn has_one_layout(
        &self,
        asked: &'static str,
        instead: &'static str,
    ) -> Result<(), Error> {
        let Some(source) = self.sources().next() else {
            return Ok(());
        };
        Err(Error::Query {
            table: self.table.to_string(),
            source: QueryError::Former {
                asked,
                former: source.name().to_owned(),
                instead,
            },
        })
    }
}

/// The row that mutations write, without their deletes and without cells that a rule of the model
/// would delete at `expiry`.
pub(crate) fn written(
    schema: &ModelSchema,
    event: EventRow,
    expiry: Option<Timestamp>,
) -> Option<Row> {
    let is_kept = |cell: &Cell| {
        expiry.is_none_or(|now| !schema.is_too_old(&cell.family, cell.timestamp_micros, now))
    };
    let key = event.row.key.clone();
    let cells: Vec<_> = cells_of(event).filter(is_kept).collect();
    (!cells.is_empty()).then_some(Row { key, cells })
}

/// Converts an event's key to another layout: the identifiers by their names, and the time.
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
            role if role.is_named() => value_of(&segment.name),
            _ => time.map(SegmentValue::Time),
        });
    let parts: Vec<_> = parts.collect();
    let mut out = Vec::new();
    to.key.encode(&parts, &mut out)?;
    Ok(out)
}
