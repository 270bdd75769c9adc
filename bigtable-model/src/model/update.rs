//! Changes to some columns of one event.

use std::fmt;
use std::marker::PhantomData;

use super::write::column_error;
use super::{ColumnArg, ColumnError, EventWriter, FieldAccess, MapAccess, Model, UpdateWrite};
use crate::data::RowMutations;
use crate::{Error, Timestamp};

/// Changes to some columns of one event. Generated update types have a setter for each column.
///
/// If rows hold many events, it changes only the event's own cells. In layout `qualifiers` the
/// value is a qualifier: sending the update reads the old value first, and a `CheckAndMutateRow`
/// replaces it if it is still stored, or writes the new value if there was none. If others change
/// the event meanwhile, it starts again, up to 8 times, and then fails with `ABORTED`. Several
/// events with the same key become one event. The app profile must allow single-row transactions.
pub struct Update<M> {
    state: Result<EventWriter, Error>,
    model: PhantomData<fn() -> M>,
}

/// Generated update types, such as `QuoteUpdate`, and [`Update`] itself: what `db.send(..)` takes.
pub trait IntoUpdate {
    /// The model of the event.
    type Model: Model;

    /// The changes.
    fn into_update(self) -> Update<Self::Model>;

    /// The type with these changes.
    #[doc(hidden)]
    fn with_setters(update: Update<Self::Model>) -> Self;
}

impl<M: Model> IntoUpdate for Update<M> {
    type Model = M;

    fn into_update(self) -> Self {
        self
    }

    fn with_setters(update: Self) -> Self {
        update
    }
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
    pub fn set<T>(
        self,
        index: usize,
        access: fn() -> FieldAccess<T>,
        value: impl ColumnArg<T>,
    ) -> Self {
        self.change(|event| (access().write)(&value.into_value(), index, event))
    }

    /// Sets run-time columns of the map at `index`.
    #[doc(hidden)]
    #[must_use]
    pub fn set_map<T>(self, index: usize, access: fn() -> MapAccess<T>, map: &T) -> Self {
        self.change(|event| (access().write)(map, index, event))
    }

    /// Adds to the aggregate at `index`.
    #[doc(hidden)]
    #[must_use]
    pub fn add(self, index: usize, input: i64) -> Self {
        self.change(|event| {
            event.add(index, input);
            Ok(())
        })
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

    /// The mutations of the update, as data; `now` becomes the cells' timestamp with
    /// [`CellTime::Write`](crate::schema::CellTime::Write).
    ///
    /// # Errors
    /// [`Error::Key`] or [`Error::Value`] if the key or a column cannot hold what was set;
    /// [`Error::EmptyUpdate`] if nothing was set; [`Error::Value`] in layout `qualifiers`, where
    /// the value is the qualifier and the old value has to be read: send the update instead.
    pub fn to_mutations(self, now: Timestamp) -> Result<RowMutations, Error> {
        self.changed()?.update_mutations(now)
    }

    /// The requests of the update, in every layout. Layout `qualifiers` ignores `now`.
    ///
    /// # Errors
    /// Those of [`to_mutations`](Update::to_mutations) except the last.
    pub(crate) fn write(self, now: Timestamp) -> Result<UpdateWrite, Error> {
        self.changed()?.update(now)
    }

    /// The changes, possibly none.
    pub(crate) fn written(self) -> Result<EventWriter, Error> {
        self.state
    }

    /// The changes, at least one.
    pub(crate) fn changed(self) -> Result<EventWriter, Error> {
        self.written()?.changed()
    }
}
