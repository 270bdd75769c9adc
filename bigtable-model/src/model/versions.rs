//! Versions of one column of one event.

use std::fmt;
use std::marker::PhantomData;

use crate::data::{Row, RowBatch, RowRef};
use crate::{Error, Timestamp};

use super::describe::{column_name, described_event, with_place};
use super::{
    Column, EventCells, HandleKind, Model, Projection, ReadError, SerializedField, SerializedModel,
};

/// A version of a column: a cell's value and its timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version<T> {
    /// The cell's timestamp in whole milliseconds: the time of the write with
    /// `cell_time = "write"`, else the event's time.
    pub time: Timestamp,
    /// The value, of the field's type.
    pub value: T,
}

/// A field whose versions can be read: a handle on a column, or on a field of a serialised event,
/// as in `Quote::FIELDS.bid`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no versions of its own",
    label = "not a column",
    note = "history is read of a column, as in `Quote::FIELDS.bid`, or of a field of a serialised event"
)]
pub trait VersionedField: fmt::Debug + Send + Sync + 'static {
    /// The model that has the field.
    type Model: Model;

    /// The value of a version.
    type Value: Send + 'static;

    /// The column's index in [`ModelSchema::columns`](crate::schema::ModelSchema::columns).
    fn column(&self) -> usize;

    /// Decodes one version of the column.
    ///
    /// # Errors
    /// If the column's codec never writes the cell's bytes.
    #[doc(hidden)]
    fn read_version(
        &self,
        key: &<Self::Model as Model>::KeyRef<'_>,
        cells: &EventCells<'_>,
    ) -> Result<Self::Value, ReadError>;
}

impl<M, T, K> VersionedField for Column<M, T, K>
where
    M: Model,
    T: Send + 'static,
    K: HandleKind + 'static,
{
    type Model = M;
    type Value = T;

    fn column(&self) -> usize {
        self.index()
    }

    fn read_version(&self, key: &M::KeyRef<'_>, cells: &EventCells<'_>) -> Result<T, ReadError> {
        self.read(key, cells)
    }
}

impl<M: Model, T: Send + 'static> VersionedField for SerializedField<M, T> {
    type Model = M;
    type Value = T;

    fn column(&self) -> usize {
        self.index()
    }

    fn read_version(&self, key: &M::KeyRef<'_>, cells: &EventCells<'_>) -> Result<T, ReadError> {
        self.read(key, cells)
    }
}

/// A whole event of a model with `serialize(...)`, used like one of its fields:
/// `db.history(&key, WholeEvent::<Quote>::new())`.
pub struct WholeEvent<M>(PhantomData<fn() -> M>);

impl<M> WholeEvent<M> {
    /// The whole event.
    #[must_use]
    pub const fn new() -> Self
    where
        M: SerializedModel,
    {
        Self(PhantomData)
    }
}

impl<M: SerializedModel> Default for WholeEvent<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M> fmt::Debug for WholeEvent<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WholeEvent")
    }
}

impl<M: Model> VersionedField for WholeEvent<M> {
    type Model = M;
    type Value = M;

    /// The payload is the first column.
    fn column(&self) -> usize {
        0
    }

    fn read_version(&self, key: &M::KeyRef<'_>, cells: &EventCells<'_>) -> Result<M, ReadError> {
        <M as Projection>::read(key, cells)
    }
}

/// The versions in a row's cells, all of one column. `time` is the event's, if rows hold many.
///
/// # Errors
/// [`Error::ForeignKey`] if the key is not the model's, [`Error::Version`] if the bytes of a
/// version cannot be decoded.
pub(crate) fn versions<F: VersionedField>(
    field: &F,
    row: Row,
    time: Option<Timestamp>,
) -> Result<Vec<Version<F::Value>>, Error> {
    let schema = F::Model::SCHEMA;
    let row = RowBatch::from(row);
    let row = row.row(0).unwrap_or_default();
    let key = F::Model::decode_key(row.key()).map_err(ReadError::Key);
    let mut key = key.map_err(|error| with_place(schema, row.key(), time, error))?;
    if let Some(time) = time {
        F::Model::set_time(&mut key, time);
    }
    let numbered = (0_u32..).zip(row.cells());
    let read = numbered.map(|(number, cell)| {
        let mut slots = vec![u32::MAX; field.column()];
        slots.push(number);
        let value = field.read_version(&key, &EventCells::new(schema, row, &slots, None));
        let value = value.map_err(|error| of_version::<F>(row, time, cell.time(), error))?;
        let time = cell.time();
        Ok(Version { time, value })
    });
    read.collect()
}

#[cold]
fn of_version<F: VersionedField>(
    row: RowRef<'_>,
    event: Option<Timestamp>,
    time: Timestamp,
    error: ReadError,
) -> Error {
    let schema = F::Model::SCHEMA;
    match error {
        ReadError::Column(index, source) => {
            let column = schema.columns.get(index);
            Error::Version {
                table: schema.table.to_string(),
                key: described_event(schema, row.key(), event),
                column: column
                    .map_or_else(String::new, |one| column_name(&one.family, &one.qualifier)),
                time,
                source: schema.shown_error(index, source),
            }
        }
        other => with_place(schema, row.key(), event, other),
    }
}
