//! Changes to some columns of one event.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use crate::data::RowMutations;
use crate::model::{FieldAccess, Layout, MapAccess, Model, ModelKey, ModelSchema};
use crate::value::ValueError;
use crate::{Error, Timestamp};

use super::{ColumnError, EventWriter, column_error, name};

/// Changes to some columns of one event. Generated update types have a setter for each column.
pub struct Update<M> {
    state: Result<EventWriter, Error>,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Update<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Update").field(&self.state).finish()
    }
}

impl<M: Model> Update<M> {
    pub(crate) fn new(key: &M::Key) -> Self {
        Self {
            state: EventWriter::of_key::<M>(key),
            model: PhantomData,
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
        if let Ok(writer) = &mut self.state
            && let Err(error) = write(writer)
        {
            self.state = Err(column_error(writer, error));
        }
        self
    }

    /// The table, and the mutations of the update.
    pub(crate) fn into_write(
        self,
        now: Timestamp,
    ) -> Result<(Cow<'static, str>, RowMutations), Error> {
        let time = self.state.as_ref().ok().and_then(|writer| writer.time);
        let row = self.to_mutations(now)?;
        Ok((M::SCHEMA.table_of(time)?, row))
    }

    /// The mutations of the update; `now` becomes the cells' timestamp with [`CellTime::Write`](crate::model::CellTime::Write).
    ///
    /// # Errors
    /// [`Error::Key`] or [`Error::Value`] when the key or a column can't hold what was set; [`Error::EmptyUpdate`] when
    /// nothing was set; [`Error::Value`] in layout `qualifiers`, where the value is the qualifier, so that replacing it takes the
    /// old one.
    pub fn to_mutations(self, now: Timestamp) -> Result<RowMutations, Error> {
        let writer = self.state?;
        if writer.changes.is_empty() {
            return Err(Error::EmptyUpdate {
                table: M::SCHEMA.table_in_errors(writer.time),
                key: writer.described_key(),
            });
        }
        if M::SCHEMA.layout == Layout::Qualifiers {
            return Err(not_known(M::SCHEMA, &writer));
        }
        writer.finish(now, Vec::new())
    }
}

impl EventWriter {
    /// Begins with the key of an event.
    pub(super) fn of_key<M: Model>(key: &M::Key) -> Result<Self, Error> {
        Self::begin(M::SCHEMA, key.time(), |out| key.encode_into(out))
    }
}

#[cold]
fn not_known(schema: &ModelSchema, writer: &EventWriter) -> Error {
    let column = schema.columns.iter().find(|one| !schema.is_of_row(one));
    let reason = "in layout `qualifiers` the old value is a qualifier, which the update does not know: delete the event and insert it anew";
    Error::Value {
        table: schema.table_in_errors(writer.time),
        key: writer.described_key(),
        column: column.map_or_else(String::new, |one| name(&one.family, &one.qualifier)),
        source: ValueError::refused("an update", reason),
    }
}
