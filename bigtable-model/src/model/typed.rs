//! Writes and reads of a model's typed events: how an event or a key feeds the writer.

use crate::data::{Cell, ReadRows, RowMutations};
use crate::{Error, Timestamp};

use super::write::column_error;
use super::{EventRow, EventTimes, EventWriter, InsertWriter, Made, Model, ModelKey};

impl EventWriter {
    /// Begins with the key of an event.
    pub(crate) fn of_event<M: Model>(event: &M) -> Result<Self, Error> {
        let mut writer = Self::new(M::SCHEMA);
        writer.restart_with(event)?;
        Ok(writer)
    }

    /// Begins again with the key of an event.
    fn restart_with<M: Model>(&mut self, event: &M) -> Result<(), Error> {
        let key = |out: &mut Vec<u8>| event.encode_key(out);
        self.restart(event.time(), key, || event.key().to_string())
    }

    /// Begins with the key of an event.
    pub(crate) fn of_key<M: Model>(key: &M::Key) -> Result<Self, Error> {
        let described = || key.to_string();
        Self::begin(M::SCHEMA, key.time(), |out| key.encode_into(out), described)
    }

    /// Writes an event, replacing the previous one.
    fn write<M: Model>(&mut self, event: &M) -> Result<(), Error> {
        self.restart_with(event)?;
        self.mark();
        let written = event.write_columns(self);
        written.map_err(|error| column_error(self, error))
    }
}

impl InsertWriter {
    /// Writes an event, replacing the previous one. After an error the next event can be written.
    pub(crate) fn write<M: Model>(&mut self, event: &M, now: Timestamp) -> Result<Made<'_>, Error> {
        self.writer.write(event)?;
        self.made(now)
    }
}

/// The mutations that write an event and replace one with the same key (in layout `qualifiers`,
/// only one with the same value): absent columns are deleted, and in layout `row` so are run-time
/// columns that the event lacks (in other layouts these stay if the event is written again without
/// them). Columns that belong to the row are written with every event.
///
/// `now` becomes the cells' timestamp with [`CellTime::Write`](crate::schema::CellTime::Write).
///
/// # Errors
/// [`Error::Key`] or [`Error::Value`] if the key, the time or a column cannot be stored unchanged.
pub fn insert_mutations<M: Model>(event: &M, now: Timestamp) -> Result<RowMutations, Error> {
    let mut writer = EventWriter::new(M::SCHEMA);
    writer.write(event)?;
    writer.insertion(now)
}

/// The same with the event's time.
pub(crate) fn insert_row<M: Model>(event: &M, now: Timestamp) -> Result<EventRow, Error> {
    let row = insert_mutations(event, now)?;
    let time = event.time();
    Ok(EventRow { row, time })
}

/// The mutations that delete one event; `None` if it has no cells.
///
/// In layout `row` they delete the whole row; in the others only the event's cells, and columns
/// that belong to the row stay. Qualifiers must be known in layout `qualifiers`, where they are
/// values, and for run-time columns in layouts other than `row`: `cells` are those that
/// [`event_request`] reads. Else they are ignored.
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

/// The read of one event: its row, with a filter for its cells that may let others through, and its
/// time if rows hold many events.
///
/// # Errors
/// [`Error::Key`] if the key cannot hold its values.
pub fn event_request<M: Model>(key: &M::Key) -> Result<(ReadRows, EventTimes), Error> {
    EventWriter::of_key::<M>(key)?.request()
}
