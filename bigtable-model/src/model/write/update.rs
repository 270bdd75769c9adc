//! The requests of an update.

use crate::data::RowMutations;
use crate::model::{EventRow, ModelSchema, column_name};
use crate::value::ValueError;
use crate::{Error, Timestamp};

use super::{EventWriter, Replacement};

/// The requests of an update.
#[derive(Debug)]
pub(crate) enum UpdateWrite {
    /// These mutations.
    Row(EventRow),
    /// A read, and a write that depends on the value found.
    Replacement(Replacement),
}

impl EventWriter {
    /// The same event without its changes.
    pub(crate) fn unchanged(&self) -> Result<Self, Error> {
        let key = self.event_key();
        let write = |out: &mut Vec<u8>| {
            out.extend_from_slice(key);
            Ok(())
        };
        Self::begin(&self.schema, self.time, write, || self.described_key())
    }

    /// The same, if it has changes.
    pub(in crate::model) fn changed(self) -> Result<Self, Error> {
        match self.changes.is_empty() {
            true => Err(Error::EmptyUpdate {
                table: self.schema.table_in_errors(self.time),
                key: self.described_key(),
            }),
            false => Ok(self),
        }
    }

    /// The mutations of the changes, if no old value has to be read for them.
    pub(in crate::model) fn update_mutations(
        mut self,
        now: Timestamp,
    ) -> Result<RowMutations, Error> {
        match self.schema.in_layout().value_is_qualifier() {
            true => Err(not_known(&self.schema, &self)),
            false => self.finish(now, Vec::new()),
        }
    }

    /// The requests of the changes.
    pub(crate) fn update(mut self, now: Timestamp) -> Result<UpdateWrite, Error> {
        let (schema, time) = (self.schema.clone(), self.time);
        let table = schema.table_of(time)?;
        let row = self.finish(now, Vec::new())?;
        if schema.in_layout().value_is_qualifier()
            && let Some(replacement) = Replacement::new(&table, &row)
        {
            return Ok(UpdateWrite::Replacement(replacement));
        }
        Ok(UpdateWrite::Row(EventRow { row, time }))
    }
}

#[cold]
fn not_known(schema: &ModelSchema, writer: &EventWriter) -> Error {
    let column = schema.columns.iter().find(|one| !schema.is_of_row(one));
    let reason = "in layout `qualifiers` the old value is a qualifier, which has to be read first: `send` does that";
    Error::Value {
        table: schema.table_in_errors(writer.time),
        key: writer.described_key(),
        column: column.map_or_else(String::new, |one| column_name(&one.family, &one.qualifier)),
        source: ValueError::refused("an update", reason),
    }
}
