//! Where the cells of one event are, and the stored value of one of its columns.

use bytes::Bytes;

use super::{Change, ColumnError, EventWriter};
use crate::Error;
use crate::model::{EventPlace, Schema};
use crate::value::ValueError;

impl EventWriter {
    /// The stored bytes of a column's value; `None` for an absent value.
    pub(crate) fn value_of(
        schema: &Schema,
        write: impl FnOnce(&mut Self) -> Result<(), ColumnError>,
    ) -> Result<Option<Bytes>, ValueError> {
        let mut writer = Self::new(schema);
        write(&mut writer).map_err(|error| error.source)?;
        // A counter's old versions are deleted before it is set.
        Ok(match writer.changes.pop() {
            Some(Change::Set(_, value)) => writer.bytes.get(value).map(Bytes::copy_from_slice),
            Some(Change::Share(_, value)) => Some(value),
            Some(Change::Add(_, input)) => Some(Bytes::copy_from_slice(&input.to_be_bytes())),
            Some(Change::Delete(_)) | None => None,
        })
    }

    /// Where the event's cells are.
    pub(crate) fn place(&mut self) -> Result<EventPlace, Error> {
        let target = self.target()?;
        let offset = self.bytes.get(target.offset.clone()).unwrap_or_default();
        Ok(self.schema.in_layout().place(&target, offset))
    }
}
