use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{
    ColumnMap, EventCells, EventWriter, FieldAccess, MapAccess, Model, ModelSchema, PayloadUse,
    Plain, ReadError, Schema, column_name, entry_name, shown,
};
use crate::key::KeyError;
use crate::value::ValueError;

/// What a projection reads for one of its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldUse {
    /// A segment of the row key, which comes with every row.
    Key,
    /// A column: its index in [`ModelSchema::columns`](super::ModelSchema::columns).
    Column(usize),
    /// A field of an event that is serialised into a column, which is read as a whole.
    Payload(PayloadUse),
    /// The run-time columns of a map's family.
    Map,
    /// One of them: the index of the map, and the qualifier.
    Entry(usize, &'static str),
}

/// A column of a model, declared or named at run time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ColumnId {
    /// A declared column: its index in [`ModelSchema::columns`](super::ModelSchema::columns).
    Declared(usize),
    /// A column of a map: the index of the map in
    /// [`ModelSchema::map_families`](super::ModelSchema::map_families), and the name.
    Entry(usize, Bytes),
}

impl ColumnId {
    /// Family and names of the column, former names last; `None` if the model has no such column.
    pub(crate) fn names<'a>(&'a self, schema: &'a ModelSchema) -> Option<(&'a str, Vec<&'a [u8]>)> {
        match self {
            Self::Declared(index) => {
                let column = schema.columns.get(*index)?;
                Some((&column.family, column.names().map(str::as_bytes).collect()))
            }
            Self::Entry(map, name) => {
                let family = schema.map_families.get(*map)?;
                schema.map_of(family, name)?;
                Some((family, vec![name]))
            }
        }
    }

    /// The usual name: `family:qualifier`.
    pub(crate) fn shown(&self, schema: &ModelSchema) -> String {
        match self {
            Self::Declared(index) => schema.columns.get(*index).map_or_else(
                || format!("column {index}"),
                |column| column_name(&column.family, &column.qualifier),
            ),
            Self::Entry(map, name) => entry_name(schema, *map, &shown(name)),
        }
    }

    /// The index of its map and its name, if it is a column of a map.
    pub(crate) fn entry(&self) -> Option<(usize, &Bytes)> {
        match self {
            Self::Declared(_) => None,
            Self::Entry(map, name) => Some((*map, name)),
        }
    }

    /// Its index among declared columns, if it is one.
    pub(crate) fn declared(&self) -> Option<usize> {
        match self {
            Self::Declared(index) => Some(*index),
            Self::Entry(..) => None,
        }
    }
}

/// A handle on a model's column, as in `Quote::FIELDS.bid`, or on a column of a map, as in
/// `Host::FIELDS.cpu.entry("user")`. It makes [conditions](crate::condition):
/// `Quote::FIELDS.bid.equals(600.55)`.
///
/// Its third parameter says how else the column may be changed, apart from writing it: increments
/// of a [`Counter`](super::Counter), appends to an [`Append`](super::Append), additions to an
/// [`Aggregate`](super::Aggregate). A [`Coded`](super::Coded) column is not in its native form.
/// The fourth parameter distinguishes columns of maps.
pub struct Column<M, T, K = Plain, P = OfField<T>> {
    place: P,
    model: Types<M, T, K>,
}

type Types<M, T, K> = PhantomData<fn() -> (M, T, K)>;

/// The place of a declared column.
#[derive(Debug)]
pub struct OfField<T> {
    index: usize,
    access: fn() -> FieldAccess<T>,
}

/// The place of a column named at run time, in a map of type `T`.
#[derive(Debug)]
pub struct OfMap<T> {
    index: usize,
    name: Bytes,
    access: fn() -> MapAccess<T>,
}

/// Where a column is, and how its values are stored.
pub trait ColumnPlace<T>: sealed::Sealed {
    /// The column.
    fn id(&self) -> ColumnId;

    /// The bytes of a value in a cell; `None` if the value is an absent column.
    ///
    /// # Errors
    /// For a value that the column cannot hold.
    fn bytes(&self, schema: &Schema, value: T) -> Result<Option<Bytes>, ValueError>;

    /// The value as which an absent column is read, if its field has a `default`.
    fn default(&self) -> Option<T>;
}

mod sealed {
    pub trait Sealed {}

    impl<T> Sealed for super::OfField<T> {}
    impl<T> Sealed for super::OfMap<T> {}
}

impl<T> ColumnPlace<T> for OfField<T> {
    fn id(&self) -> ColumnId {
        ColumnId::Declared(self.index)
    }

    fn bytes(&self, schema: &Schema, value: T) -> Result<Option<Bytes>, ValueError> {
        let write = (self.access)().write;
        EventWriter::value_of(schema, |event| write(&value, self.index, event))
    }

    fn default(&self) -> Option<T> {
        ((self.access)().absent)(self.index).ok()
    }
}

impl<T: ColumnMap> ColumnPlace<T::Value> for OfMap<T> {
    fn id(&self) -> ColumnId {
        ColumnId::Entry(self.index, self.name.clone())
    }

    fn bytes(&self, schema: &Schema, value: T::Value) -> Result<Option<Bytes>, ValueError> {
        let mut one = T::default();
        one.add(&self.name, value)
            .map_err(|error| ValueError::refused("a run-time column", error))?;
        let write = (self.access)().write;
        EventWriter::value_of(schema, |event| write(&one, self.index, event))
    }

    fn default(&self) -> Option<T::Value> {
        None
    }
}

/// A handle on a segment of a model's row key, as in `Quote::FIELDS.symbol`.
pub struct KeyField<M: Model, T> {
    read: for<'a, 'b> fn(&'a M::KeyRef<'b>) -> Result<T, KeyError>,
}

/// A handle on a model's map of run-time columns.
pub struct MapField<M, T, K = Plain> {
    index: usize,
    access: fn() -> MapAccess<T>,
    model: PhantomData<fn() -> (M, K)>,
}

/// A handle on one column of a map, for a projection.
#[doc(hidden)]
#[derive(Debug)]
pub struct EntryField<M, T, K = Plain> {
    map: MapField<M, T, K>,
    qualifier: &'static str,
}

impl<M, T, K> Column<M, T, K> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(index: usize, access: fn() -> FieldAccess<T>) -> Self {
        let place = OfField { index, access };
        Self {
            place,
            model: PhantomData,
        }
    }

    /// Its index in [`ModelSchema::columns`](super::ModelSchema::columns).
    #[must_use]
    pub const fn index(&self) -> usize {
        self.place.index
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn field_use(&self) -> FieldUse {
        FieldUse::Column(self.place.index)
    }

    /// The functions of the field.
    pub(crate) fn access(&self) -> FieldAccess<T> {
        (self.place.access)()
    }
}

impl<M, T, K, P: ColumnPlace<T>> Column<M, T, K, P> {
    /// Where the column is.
    pub(crate) fn place(&self) -> &P {
        &self.place
    }
}

impl<M: Model, T, K> Column<M, T, K> {
    #[doc(hidden)]
    pub fn read(&self, _: &M::KeyRef<'_>, cells: &EventCells<'_>) -> Result<T, ReadError> {
        (self.place.access)().read(cells, self.place.index)
    }
}

impl<M: Model, T> KeyField<M, T> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(read: for<'a, 'b> fn(&'a M::KeyRef<'b>) -> Result<T, KeyError>) -> Self {
        Self { read }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn field_use(&self) -> FieldUse {
        FieldUse::Key
    }

    #[doc(hidden)]
    pub fn read(&self, key: &M::KeyRef<'_>, _: &EventCells<'_>) -> Result<T, ReadError> {
        Ok((self.read)(key)?)
    }
}

impl<M, T, K> MapField<M, T, K> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(index: usize, access: fn() -> MapAccess<T>) -> Self {
        Self {
            index,
            access,
            model: PhantomData,
        }
    }

    /// A column of the map.
    #[must_use]
    pub fn entry(&self, name: impl AsRef<[u8]>) -> Column<M, T::Value, K, OfMap<T>>
    where
        T: ColumnMap,
    {
        let place = OfMap {
            index: self.index,
            name: Bytes::copy_from_slice(name.as_ref()),
            access: self.access,
        };
        Column {
            place,
            model: PhantomData,
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn field_use(&self) -> FieldUse {
        FieldUse::Map
    }

    /// One of its columns, by the qualifier.
    #[doc(hidden)]
    #[must_use]
    pub const fn run_time_column(self, qualifier: &'static str) -> EntryField<M, T, K> {
        EntryField {
            map: self,
            qualifier,
        }
    }

    #[doc(hidden)]
    pub fn read(&self, _: &M::KeyRef<'_>, cells: &EventCells<'_>) -> Result<T, ReadError>
    where
        M: Model,
    {
        ((self.access)().read)(cells, self.index, None)
    }
}

impl<M, T, K> EntryField<M, T, K> {
    #[must_use]
    pub const fn field_use(&self) -> FieldUse {
        FieldUse::Entry(self.map.index, self.qualifier)
    }
}

impl<M: Model, T: ColumnMap, K> EntryField<M, T, K> {
    /// Its value; `None` if the event lacks the column.
    pub fn read(
        &self,
        _: &M::KeyRef<'_>,
        cells: &EventCells<'_>,
    ) -> Result<Option<T::Value>, ReadError> {
        let qualifier = Some(self.qualifier.as_bytes());
        let mut entries = ((self.map.access)().read)(cells, self.map.index, qualifier)?;
        Ok(entries.take(self.qualifier))
    }
}

impl<'r> EventCells<'r> {
    /// The value of a column.
    pub(crate) fn value_of(&self, column: &ColumnId) -> Option<&'r [u8]> {
        match column {
            ColumnId::Declared(index) => self.value(*index),
            ColumnId::Entry(map, name) => {
                let mut entries = self.map_cells();
                let found = entries.find(|entry| entry.map == *map && entry.name == *name);
                found.map(|entry| entry.cell.value())
            }
        }
    }
}

impl<T> Clone for OfField<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for OfField<T> {}

impl<T> Clone for OfMap<T> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            ..*self
        }
    }
}

impl<M, T, K, P: Clone> Clone for Column<M, T, K, P> {
    fn clone(&self) -> Self {
        Self {
            place: self.place.clone(),
            model: PhantomData,
        }
    }
}

impl<M, T, K> Copy for Column<M, T, K> {}

impl<M, T, K, P: ColumnPlace<T>> fmt::Debug for Column<M, T, K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Column").field(&self.place.id()).finish()
    }
}

impl<M: Model, T> fmt::Debug for KeyField<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyField")
    }
}

impl<M, T, K> fmt::Debug for MapField<M, T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MapField")
    }
}
