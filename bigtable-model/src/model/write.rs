//! Events to mutations: pure functions, nothing is sent here.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use bytes::Bytes;
use bytestring::ByteString;

use crate::data::{Mutation, RowMutations};
use crate::key::{Segment, SegmentRole};
use crate::value::{CellCodec, MAX_VALUE_BYTES, ValueError};
use crate::{Error, Timestamp};

use super::{CellTime, FieldAccess, Layout, MapAccess, Model, ModelKey, ModelSchema, Presence};

/// The most bytes that a qualifier takes: 16 KiB.
const MAX_QUALIFIER_BYTES: usize = 16 << 10;

/// A column whose codec refused a value.
#[derive(Debug)]
pub struct ColumnError {
    pub(crate) column: String,
    pub(crate) source: ValueError,
}

/// Collects what one event writes: its key, the values of its columns, and which columns are absent.
///
/// Key and values share one buffer, so that an event costs one allocation for all its bytes.
#[derive(Debug)]
pub struct EventWriter {
    schema: &'static ModelSchema,
    bytes: Vec<u8>,
    key: Range<usize>,
    changes: Vec<Change>,
}

/// What happens to one column.
#[derive(Debug)]
enum Change {
    Set(Place, Range<usize>),
    Delete(Place),
}

/// A column, declared or named at run time.
#[derive(Debug)]
enum Place {
    Column(usize),
    /// The qualifier's bytes in the buffer.
    Map(Range<usize>),
}

impl EventWriter {
    fn new(schema: &'static ModelSchema) -> Self {
        Self {
            schema,
            bytes: Vec::with_capacity(256),
            key: 0..0,
            changes: Vec::with_capacity(schema.columns.len()),
        }
    }

    /// Writes a column's value.
    ///
    /// # Errors
    /// When the codec refuses it.
    pub fn set<T, C: CellCodec<T>>(&mut self, index: usize, value: &T) -> Result<(), ColumnError> {
        let start = self.bytes.len();
        let place = Place::Column(index);
        match C::encode(value, &mut self.bytes) {
            Ok(()) => self.push_value(place, start),
            Err(source) => Err(self.refused(&place, source)),
        }
    }

    /// Notes that the event lacks a column.
    pub fn absent(&mut self, index: usize) {
        self.changes.push(Change::Delete(Place::Column(index)));
    }

    /// Writes the copy of a time segment: the same digits or calendar fields as in the key, never reversed.
    ///
    /// # Errors
    /// When the segment can't hold the time.
    pub fn set_time_text(
        &mut self,
        index: usize,
        segment: &Segment,
        time: Timestamp,
    ) -> Result<(), ColumnError> {
        let start = self.bytes.len();
        let written = segment.encode_time_text(time, &mut self.bytes);
        written.map_err(|error| {
            self.refused(&Place::Column(index), ValueError::refused("text", error))
        })?;
        self.push_value(Place::Column(index), start)
    }

    /// Writes the copy of a key segment that is no time.
    ///
    /// # Errors
    /// When the text is longer than a cell holds.
    pub fn set_display(
        &mut self,
        index: usize,
        value: &impl std::fmt::Display,
    ) -> Result<(), ColumnError> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(value.to_string().as_bytes());
        self.push_value(Place::Column(index), start)
    }

    /// Notes that a run-time column is to be deleted.
    pub(crate) fn absent_entry(&mut self, qualifier: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(qualifier);
        let place = Place::Map(start..self.bytes.len());
        self.changes.push(Change::Delete(place));
    }

    /// An entry of a map is a column of its own: it must not stand for one that the model declares, and a qualifier takes at
    /// most 16 KiB.
    fn check_entry(&self, place: &Place, qualifier: &[u8]) -> Result<(), ColumnError> {
        let family = self.schema.map_family.as_deref().unwrap_or_default();
        let reason = if qualifier.len() > MAX_QUALIFIER_BYTES {
            format!("a qualifier takes at most {MAX_QUALIFIER_BYTES} bytes")
        } else if self.schema.declares(family, qualifier) {
            "the model declares a column of that name".to_owned()
        } else {
            return Ok(());
        };
        Err(self.refused(place, ValueError::refused("a run-time column", reason)))
    }

    /// Takes the bytes from `start` on as a column's value, unless they are more than a cell holds.
    fn push_value(&mut self, place: Place, start: usize) -> Result<(), ColumnError> {
        let range = start..self.bytes.len();
        if range.len() > MAX_VALUE_BYTES {
            let bytes = range.len();
            return Err(self.refused(&place, ValueError::TooLong { bytes }));
        }
        self.changes.push(Change::Set(place, range));
        Ok(())
    }

    #[cold]
    fn refused(&self, place: &Place, source: ValueError) -> ColumnError {
        let column = match place {
            Place::Column(index) => {
                let column = self.schema.columns.get(*index);
                column.map_or_else(String::new, |one| name(&one.family, &one.qualifier))
            }
            Place::Map(qualifier) => {
                let qualifier = self.bytes.get(qualifier.clone()).unwrap_or_default();
                let family = self.schema.map_family.as_deref();
                name(
                    family.unwrap_or_default(),
                    &qualifier.escape_ascii().to_string(),
                )
            }
        };
        ColumnError { column, source }
    }

    /// Writes a run-time column.
    ///
    /// # Errors
    /// When the codec refuses the value.
    pub fn set_entry<T, C: CellCodec<T>>(
        &mut self,
        qualifier: &[u8],
        value: &T,
    ) -> Result<(), ColumnError> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(qualifier);
        let middle = self.bytes.len();
        let place = Place::Map(start..middle);
        self.check_entry(&place, qualifier)?;
        match C::encode(value, &mut self.bytes) {
            Ok(()) => self.push_value(place, middle),
            Err(source) => Err(self.refused(&place, source)),
        }
    }

    fn place(&self, place: &Place, bytes: &Bytes) -> Option<(ByteString, Bytes)> {
        match place {
            Place::Column(index) => {
                let column = self.schema.columns.get(*index)?;
                let qualifier = match &column.qualifier {
                    Cow::Borrowed(text) => Bytes::from_static(text.as_bytes()),
                    Cow::Owned(text) => Bytes::copy_from_slice(text.as_bytes()),
                };
                Some((family(&column.family), qualifier))
            }
            Place::Map(qualifier) => {
                let name = self.schema.map_family.as_ref()?;
                Some((family(name), bytes.slice(qualifier.clone())))
            }
        }
    }

    fn finish(mut self, timestamp_micros: i64, mut mutations: Vec<Mutation>) -> RowMutations {
        let bytes = Bytes::from(std::mem::take(&mut self.bytes));
        for change in &self.changes {
            let (Change::Set(place, _) | Change::Delete(place)) = change;
            let Some((family, qualifier)) = self.place(place, &bytes) else {
                continue;
            };
            mutations.push(match change {
                Change::Set(_, value) => Mutation::SetCell {
                    family,
                    qualifier,
                    timestamp_micros,
                    value: bytes.slice(value.clone()),
                },
                Change::Delete(_) => Mutation::DeleteFromColumn {
                    family,
                    qualifier,
                    start_micros: 0,
                    end_micros: 0,
                },
            });
        }
        RowMutations {
            key: bytes.slice(self.key),
            mutations,
        }
    }
}

/// The mutations that write an event, replacing one with the same key: an absent column is deleted, and so are
/// run-time columns that the event does not have.
///
/// `now` becomes the cells' timestamp with [`CellTime::Write`].
///
/// # Errors
/// [`Error::Key`] or [`Error::Value`] when the key or a column can't hold what the event has.
pub fn insert_mutations<M: Model>(event: &M, now: Timestamp) -> Result<RowMutations, Error> {
    let schema = M::SCHEMA;
    debug_assert_eq!(schema.layout, Layout::Row);
    let mut writer = EventWriter::new(schema);
    event
        .encode_key(&mut writer.bytes)
        .map_err(|source| key_error(schema, source))?;
    writer.key = 0..writer.bytes.len();
    event
        .write_columns(&mut writer)
        .map_err(|error| column_error(schema, &writer, error))?;
    let timestamp_micros = cell_timestamp(schema, event.time(), now);
    let mut mutations = Vec::with_capacity(writer.changes.len() + 2);
    if let Some(name) = &schema.map_family {
        mutations.push(Mutation::DeleteFromFamily {
            family: family(name),
        });
    }
    if let Presence::Marker {
        family: name,
        qualifier,
    } = &schema.presence
    {
        mutations.push(Mutation::SetCell {
            family: family(name),
            qualifier: Bytes::copy_from_slice(qualifier.as_bytes()),
            timestamp_micros,
            value: Bytes::new(),
        });
    }
    Ok(writer.finish(timestamp_micros, mutations))
}

/// Changes to some columns of one row. Generated update types have a setter for each column.
pub struct Update<M> {
    state: Result<(EventWriter, Option<Timestamp>), Error>,
    model: std::marker::PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Update<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Update").field(&self.state).finish()
    }
}

impl<M: Model> Update<M> {
    pub(crate) fn new(key: &M::Key) -> Self {
        let mut writer = EventWriter::new(M::SCHEMA);
        let state = match key.encode_into(&mut writer.bytes) {
            Ok(()) => {
                writer.key = 0..writer.bytes.len();
                Ok((writer, key.time()))
            }
            Err(source) => Err(key_error(M::SCHEMA, source)),
        };
        Self {
            state,
            model: std::marker::PhantomData,
        }
    }

    /// Sets the column at `index`.
    #[doc(hidden)]
    #[must_use]
    pub fn set<T>(self, index: usize, access: fn() -> FieldAccess<T>, value: impl Into<T>) -> Self {
        self.change(|event| (access().write)(&value.into(), index, event))
    }

    /// Sets run-time columns.
    #[doc(hidden)]
    #[must_use]
    pub fn set_map<T>(self, access: fn() -> MapAccess<T>, map: &T) -> Self {
        self.change(|event| (access().write)(map, event))
    }

    pub(crate) fn change(
        mut self,
        write: impl FnOnce(&mut EventWriter) -> Result<(), ColumnError>,
    ) -> Self {
        if let Ok((writer, _)) = &mut self.state
            && let Err(error) = write(writer)
        {
            self.state = Err(column_error(M::SCHEMA, writer, error));
        }
        self
    }

    /// The mutations of the update; `now` becomes the cells' timestamp with [`CellTime::Write`].
    ///
    /// # Errors
    /// [`Error::Key`] or [`Error::Value`] when the key or a column can't hold what was set; [`Error::EmptyUpdate`] when
    /// nothing was set.
    pub fn to_mutations(self, now: Timestamp) -> Result<RowMutations, Error> {
        let (writer, time) = self.state?;
        if writer.changes.is_empty() {
            return Err(Error::EmptyUpdate {
                table: M::SCHEMA.table.to_string(),
                key: writer.described_key(),
            });
        }
        let timestamp_micros = cell_timestamp(M::SCHEMA, time, now);
        Ok(writer.finish(timestamp_micros, Vec::new()))
    }
}

impl EventWriter {
    fn described_key(&self) -> String {
        let key = self.bytes.get(self.key.clone()).unwrap_or_default();
        self.schema.key.describe(key).to_string()
    }
}

/// Bigtable's granularity is the millisecond, and it has no cell before 1970.
fn cell_timestamp(schema: &ModelSchema, event: Option<Timestamp>, now: Timestamp) -> i64 {
    let is_time = |segment: &&Segment| segment.role == SegmentRole::Time;
    let time = match schema.cell_time {
        // The time as it stands in the key: events that are one after rounding replace each other.
        CellTime::Event => match (schema.key.segments.iter().find(is_time), event) {
            (Some(segment), Some(event)) => segment.stored_time(event),
            (_, event) => event.unwrap_or(now),
        },
        CellTime::Write => now,
    };
    time.as_millis().max(0).saturating_mul(1_000)
}

#[allow(
    clippy::ptr_arg,
    reason = "a constant name is not copied, and only the `Cow` tells"
)]
fn family(name: &Cow<'static, str>) -> ByteString {
    match name {
        Cow::Borrowed(text) => ByteString::from_static(text),
        Cow::Owned(text) => ByteString::from(text.as_str()),
    }
}

/// A column as people write it.
pub(crate) fn name(family: &str, qualifier: &str) -> String {
    format!("{family}:{qualifier}")
}

pub(crate) fn key_error(schema: &ModelSchema, source: crate::key::KeyError) -> Error {
    Error::Key {
        table: schema.table.to_string(),
        source,
    }
}

fn column_error(schema: &ModelSchema, writer: &EventWriter, error: ColumnError) -> Error {
    Error::Value {
        table: schema.table.to_string(),
        key: writer.described_key(),
        column: error.column,
        source: error.source,
    }
}
