//! From events to mutations: pure functions, which send nothing.

mod arg;
mod delete;
mod finish;
mod made;
mod many;
mod modify;
mod packed;
mod place;
mod replace;
mod update;
mod versions;

use std::fmt;
use std::ops::Range;

use bytes::Bytes;

use crate::data::limits;
use crate::key::{KeyError, Segment, SegmentValue};
use crate::value::{CellCodec, MAX_VALUE_BYTES, ValueError};
use crate::{Error, Timestamp};

use super::describe::{column_name, described_event, entry_name, shown};
use super::{Holds, ModelSchema, Presence, Schema};

pub use arg::ColumnArg;
pub(crate) use made::Made;
pub(crate) use many::InsertWriter;
pub(crate) use modify::Modification;
pub(crate) use replace::Replacement;
pub(crate) use update::UpdateWrite;
pub(crate) use versions::VersionsRead;

/// Shorter values are copied, which takes no longer than counting references.
const WORTH_SHARING: usize = 256;

/// Memory above this size is freed after an event that needed far less.
const KEPT_BYTES: usize = 1 << 20;

/// A column whose codec refused a value.
#[derive(Debug)]
pub struct ColumnError {
    pub(crate) column: String,
    pub(crate) source: ValueError,
}

/// Collects what one event writes: its key, the values of its columns, and which columns are
/// absent.
///
/// Key and values share one buffer, so an event costs one allocation for all its bytes.
#[derive(Debug)]
pub struct EventWriter {
    schema: Schema,
    /// Whether the value is the qualifier: asked for each column.
    by_value: bool,
    /// Whether qualifiers have the tie-breakers of the key: asked for each event.
    has_ties: bool,
    bytes: Vec<u8>,
    /// The length of the row's key, with which the bytes begin.
    key_len: usize,
    /// The length of the event's key, and its tie-breakers if they are in qualifiers.
    event_len: usize,
    ties: Option<Range<usize>>,
    /// The event's time; `None` for an entity.
    time: Option<Timestamp>,
    changes: Vec<Change>,
    /// Shorter values are copied.
    worth_sharing: usize,
}

/// A change to one column.
#[derive(Debug)]
enum Change {
    Set(Place, Range<usize>),
    /// A value whose bytes are the event's own.
    Share(Place, Bytes),
    Delete(Place),
    /// Adds to an aggregate.
    Add(Place, i64),
}

impl Change {
    fn place(&self) -> &Place {
        let (Self::Set(place, _)
        | Self::Share(place, _)
        | Self::Delete(place)
        | Self::Add(place, _)) = self;
        place
    }
}

/// A column, declared or named at run time.
#[derive(Debug, PartialEq)]
enum Place {
    Column(usize),
    /// The empty cell that marks an event.
    Marker,
    /// A former name of a column: the column, and the index of its alias.
    Alias(usize, usize),
    /// A run-time column: the index of its map, and the qualifier's bytes in the buffer.
    Map(usize, Range<usize>),
    /// The guard of a row that may be packed.
    Guard,
    /// A cell that hides an event of a block, or columns of it: the qualifier's bytes in the
    /// buffer.
    Hidden(Range<usize>),
}

impl EventWriter {
    /// Begins with the key of an event, which `key` writes. `described` names the event if its key
    /// cannot be encoded.
    pub(crate) fn begin(
        schema: &Schema,
        time: Option<Timestamp>,
        key: impl FnOnce(&mut Vec<u8>) -> Result<(), KeyError>,
        described: impl FnOnce() -> String,
    ) -> Result<Self, Error> {
        let mut writer = Self::new(schema);
        writer.restart(time, key, described)?;
        Ok(writer)
    }

    /// With buffers for an event.
    pub(in crate::model) fn new(schema: &Schema) -> Self {
        Self {
            schema: schema.clone(),
            by_value: schema.in_layout().value_is_qualifier(),
            has_ties: schema.key.has_ties_in_cells(),
            bytes: Vec::with_capacity(256),
            key_len: 0,
            event_len: 0,
            ties: None,
            time: None,
            changes: Vec::with_capacity(schema.columns.len() + 1),
            worth_sharing: WORTH_SHARING,
        }
    }

    /// Begins again with the key of an event, in the same buffers.
    pub(in crate::model) fn restart(
        &mut self,
        time: Option<Timestamp>,
        key: impl FnOnce(&mut Vec<u8>) -> Result<(), KeyError>,
        described: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        if self.bytes.capacity() > KEPT_BYTES.max(4 * self.bytes.len()) {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
        self.changes.clear();
        let written = key(&mut self.bytes)
            .and_then(|()| self.split())
            .and_then(|()| self.schema.check_period(time));
        written.map_err(|source| key_error(&self.schema, time, described(), source))?;
        self.time = time;
        Ok(())
    }

    /// Finds the row's part of the written key. Where the tie-breakers are in qualifiers, it may be
    /// empty although the event's key is not.
    fn split(&mut self) -> Result<(), KeyError> {
        self.event_len = self.bytes.len();
        let parts = self
            .has_ties
            .then(|| self.schema.key.parts(&self.bytes))
            .flatten();
        self.key_len = parts.as_ref().map_or(self.event_len, |one| one.row_len);
        self.ties = parts.map(|one| one.ties);
        match self.key_len {
            0 => Err(KeyError::Empty),
            _ => Ok(()),
        }
    }

    /// Writes a column's value.
    ///
    /// # Errors
    /// When the codec refuses it.
    pub fn set<T, C: CellCodec<T>>(&mut self, index: usize, value: &T) -> Result<(), ColumnError> {
        if let Some(bytes) = C::shared(value)
            && (self.worth_sharing..=MAX_VALUE_BYTES).contains(&bytes.len())
            && !self.by_value
        {
            self.forget_aliases(index);
            let place = Place::Column(index);
            self.changes.push(Change::Share(place, bytes.clone()));
            return Ok(());
        }
        self.set_payload(index, |out| C::encode(value, out))
    }

    /// Writes a column's value by a function that appends its bytes.
    ///
    /// # Errors
    /// When the function refuses it.
    pub fn set_payload(
        &mut self,
        index: usize,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), ValueError>,
    ) -> Result<(), ColumnError> {
        self.forget_aliases(index);
        let start = self.bytes.len();
        let place = Place::Column(index);
        match write(&mut self.bytes) {
            Ok(()) => self.push_value(place, start),
            Err(source) => Err(self.refused(&place, source)),
        }
    }

    /// Records that the event lacks a column.
    pub fn absent(&mut self, index: usize) {
        self.forget_aliases(index);
        self.changes.push(Change::Delete(Place::Column(index)));
    }

    /// Deletes a column's cells under former names, so the event has one value.
    fn forget_aliases(&mut self, index: usize) {
        let column = self.schema.columns.get(index);
        let aliases = column.map_or(0, |column| column.aliases.len());
        let former = (0..aliases).map(|alias| Change::Delete(Place::Alias(index, alias)));
        self.changes.extend(former);
    }

    /// Replaces all versions of a column, one of which may be newer than the event: increments and
    /// appends have the server's time.
    pub(super) fn replace<T, C: CellCodec<T>>(
        &mut self,
        index: usize,
        value: &T,
    ) -> Result<(), ColumnError> {
        self.absent(index);
        self.set::<T, C>(index, value)
    }

    /// Like [`replace`](EventWriter::replace), for a column that may be absent.
    pub(super) fn replace_some<T, C: CellCodec<T>>(
        &mut self,
        index: usize,
        value: Option<&T>,
    ) -> Result<(), ColumnError> {
        self.absent(index);
        value.map_or(Ok(()), |value| self.set::<T, C>(index, value))
    }

    /// Starts an aggregate again.
    pub(super) fn replace_aggregate(&mut self, index: usize, input: i64) {
        self.absent(index);
        self.add(index, input);
    }

    /// Adds to an aggregate.
    pub(in crate::model) fn add(&mut self, index: usize, input: i64) {
        self.changes.push(Change::Add(Place::Column(index), input));
    }

    /// Writes the copy of a time segment: the same digits or calendar fields as in the key, never
    /// reversed.
    ///
    /// # Errors
    /// When the segment cannot hold the time.
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

    /// Writes the copy of a key segment that is not a time.
    ///
    /// # Errors
    /// If the text is too long for a cell.
    pub fn set_display(
        &mut self,
        index: usize,
        value: &impl std::fmt::Display,
    ) -> Result<(), ColumnError> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(value.to_string().as_bytes());
        self.push_value(Place::Column(index), start)
    }

    /// Writes the copy of a key segment as text: a time as
    /// [`set_time_text`](EventWriter::set_time_text), anything else by `Display`.
    pub(crate) fn set_segment_text(
        &mut self,
        index: usize,
        segment: &Segment,
        value: SegmentValue,
    ) -> Result<(), ColumnError> {
        match value {
            SegmentValue::Time(time) => self.set_time_text(index, segment, time),
            // The plain value: `Display` of a described key quotes some.
            SegmentValue::String(text) => self.set_display(index, &text),
            SegmentValue::Char(letter) => self.set_display(index, &letter),
            SegmentValue::Bytes(bytes) => self.set_display(index, &Hex(&bytes)),
            other => self.set_display(index, &other),
        }
    }

    /// Records that a run-time column of the map at an index is to be deleted.
    pub(crate) fn absent_entry(&mut self, map: usize, qualifier: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(qualifier);
        let place = Place::Map(map, start..self.bytes.len());
        self.changes.push(Change::Delete(place));
    }

    /// The same, if the map can have the column.
    ///
    /// # Errors
    /// Like those of writing it.
    pub(crate) fn delete_entry(&mut self, map: usize, name: &[u8]) -> Result<(), ColumnError> {
        self.absent_entry(map, name);
        match self.changes.last().map(Change::place) {
            Some(place) => self.check_entry(place, map, name),
            None => Ok(()),
        }
    }

    /// Refuses a map's entry with the name of a declared column, or with a qualifier over 16 KiB.
    fn check_entry(&self, place: &Place, map: usize, qualifier: &[u8]) -> Result<(), ColumnError> {
        let family = self.schema.map_families.get(map);
        let family = family.map_or("", |family| &**family);
        let most = limits::QUALIFIER - self.schema.in_layout().after_name();
        let reason = if qualifier.len() > most {
            format!("a name takes at most {most} bytes")
        } else if self.schema.declares(family, qualifier) {
            "the model declares a column of that name".to_owned()
        } else {
            return Ok(());
        };
        Err(self.refused(place, ValueError::refused("a run-time column", reason)))
    }

    /// Takes the bytes from `start` as a column's value, unless they are too many for a cell.
    fn push_value(&mut self, place: Place, start: usize) -> Result<(), ColumnError> {
        let range = start..self.bytes.len();
        if range.len() > MAX_VALUE_BYTES {
            let bytes = range.len();
            return Err(self.refused(&place, ValueError::TooLong { bytes }));
        }
        if self.by_value && !place.is_of_row(&self.schema) {
            self.check_qualifier(&place, range.len())?;
        }
        self.changes.push(Change::Set(place, range));
        Ok(())
    }

    /// Checks a value that becomes the qualifier.
    fn check_qualifier(&self, place: &Place, bytes: usize) -> Result<(), ColumnError> {
        if (1..=limits::QUALIFIER).contains(&bytes) {
            return Ok(());
        }
        let reason = format!("it takes 1 to {} bytes, not {bytes}", limits::QUALIFIER);
        Err(self.refused(place, ValueError::refused("a qualifier", reason)))
    }

    #[cold]
    fn refused(&self, place: &Place, source: ValueError) -> ColumnError {
        let column = match place {
            Place::Column(_)
            | Place::Marker
            | Place::Alias(..)
            | Place::Guard
            | Place::Hidden(_) => {
                let column = place.declared(&self.schema);
                column.map_or_else(String::new, |(family, qualifier)| {
                    column_name(family, qualifier)
                })
            }
            Place::Map(map, qualifier) => {
                let qualifier = self.bytes.get(qualifier.clone()).unwrap_or_default();
                entry_name(&self.schema, *map, &shown(qualifier))
            }
        };
        let source = match place {
            Place::Column(index) => self.schema.shown_error(*index, source),
            _ => source,
        };
        ColumnError { column, source }
    }

    /// Writes a run-time column of the map at an index by a function that appends its bytes.
    pub(super) fn set_entry(
        &mut self,
        map: usize,
        qualifier: &[u8],
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), ValueError>,
    ) -> Result<(), ColumnError> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(qualifier);
        let middle = self.bytes.len();
        let place = Place::Map(map, start..middle);
        self.check_entry(&place, map, qualifier)?;
        match write(&mut self.bytes) {
            Ok(()) => self.push_value(place, middle),
            Err(source) => Err(self.refused(&place, source)),
        }
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The event's time; `None` for an entity.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        self.time
    }

    /// The key of the event's row.
    pub(crate) fn key(&self) -> &[u8] {
        self.bytes.get(..self.key_len).unwrap_or_default()
    }

    /// The event's key, of which its row may have only the beginning.
    fn event_key(&self) -> &[u8] {
        self.bytes.get(..self.event_len).unwrap_or_default()
    }

    pub(crate) fn described_key(&self) -> String {
        described_event(&self.schema, self.event_key(), self.time_in_row())
    }

    /// The event's time, if the key has only its bucket's.
    fn time_in_row(&self) -> Option<Timestamp> {
        self.time.filter(|_| self.schema.holds() != Holds::One)
    }

    /// Writes the empty cell that marks an event, if the model has one.
    pub(in crate::model) fn mark(&mut self) {
        if matches!(self.schema.presence, Presence::Marker { .. }) {
            self.changes.push(Change::Set(Place::Marker, 0..0));
        }
    }
}

/// Bytes as two lower-case digits each.
struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// How many characters of an event's key an error shows, since a key may be too long.
const NAMED: usize = 512;

#[cold]
pub(crate) fn key_error(
    schema: &ModelSchema,
    time: Option<Timestamp>,
    mut key: String,
    source: KeyError,
) -> Error {
    if let Some((end, _)) = key.char_indices().nth(NAMED) {
        key.truncate(end);
        key.push_str("...");
    }
    Error::Key {
        table: schema.table_in_errors(time),
        key,
        source,
    }
}

#[cold]
pub(in crate::model) fn column_error(writer: &EventWriter, error: ColumnError) -> Error {
    Error::Value {
        table: writer.schema.table_in_errors(writer.time),
        key: writer.described_key(),
        column: error.column,
        source: error.source,
    }
}
