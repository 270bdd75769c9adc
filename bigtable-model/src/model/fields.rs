use std::fmt;
use std::marker::PhantomData;

use super::{ColumnMap, EventCells, FieldAccess, MapAccess, Model, Plain, ReadError};
use crate::key::KeyError;

/// What a projection reads for one of its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldUse {
    /// A segment of the row key, which comes with every row.
    Key,
    /// A column: its index in [`ModelSchema::columns`](super::ModelSchema::columns).
    Column(usize),
    /// The run-time columns of a map's family.
    Map,
    /// One of them: the index of the map, and the qualifier.
    Entry(usize, &'static str),
}

/// A handle on a model's column, as in `Quote::FIELDS.bid`. It makes
/// [conditions](crate::condition): `Quote::FIELDS.bid.equals(600.55)`.
///
/// Its third parameter says how else the column may be changed, apart from writing it: increments
/// of a [`Counter`](super::Counter), appends to an [`Append`](super::Append), additions to an
/// [`Aggregate`](super::Aggregate). A [`Coded`](super::Coded) column is not in its native form.
pub struct Column<M, T, K = Plain> {
    index: usize,
    access: fn() -> FieldAccess<T>,
    model: PhantomData<fn() -> (M, K)>,
}

/// A handle on a segment of a model's row key, as in `Quote::FIELDS.symbol`.
pub struct KeyField<M: Model, T> {
    read: for<'a, 'b> fn(&'a M::KeyRef<'b>) -> Result<T, KeyError>,
}

/// A handle on a model's map of run-time columns.
pub struct MapField<M, T> {
    index: usize,
    access: fn() -> MapAccess<T>,
    model: PhantomData<fn() -> M>,
}

/// A handle on one column of a map, for a projection.
#[doc(hidden)]
#[derive(Debug)]
pub struct EntryField<M, T> {
    map: MapField<M, T>,
    qualifier: &'static str,
}

impl<M, T, K> Column<M, T, K> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(index: usize, access: fn() -> FieldAccess<T>) -> Self {
        Self {
            index,
            access,
            model: PhantomData,
        }
    }

    /// Its index in [`ModelSchema::columns`](super::ModelSchema::columns).
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn field_use(&self) -> FieldUse {
        FieldUse::Column(self.index)
    }

    /// The functions of the field.
    pub(crate) fn access(&self) -> FieldAccess<T> {
        (self.access)()
    }
}

impl<M: Model, T, K> Column<M, T, K> {
    #[doc(hidden)]
    pub fn read(&self, _: &M::KeyRef<'_>, cells: &EventCells<'_>) -> Result<T, ReadError> {
        (self.access)().read(cells, self.index)
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

impl<M, T> MapField<M, T> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(index: usize, access: fn() -> MapAccess<T>) -> Self {
        Self {
            index,
            access,
            model: PhantomData,
        }
    }

    /// Its index in [`ModelSchema::map_families`](super::ModelSchema::map_families).
    pub(crate) const fn index(&self) -> usize {
        self.index
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn field_use(&self) -> FieldUse {
        FieldUse::Map
    }
}

impl<M, T> MapField<M, T> {
    /// One of its columns, by the qualifier.
    #[doc(hidden)]
    #[must_use]
    pub const fn run_time_column(self, qualifier: &'static str) -> EntryField<M, T> {
        EntryField {
            map: self,
            qualifier,
        }
    }
}

impl<M, T> EntryField<M, T> {
    #[must_use]
    pub const fn field_use(&self) -> FieldUse {
        FieldUse::Entry(self.map.index, self.qualifier)
    }
}

impl<M: Model, T: ColumnMap> EntryField<M, T> {
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

impl<M: Model, T> MapField<M, T> {
    #[doc(hidden)]
    pub fn read(&self, _: &M::KeyRef<'_>, cells: &EventCells<'_>) -> Result<T, ReadError> {
        ((self.access)().read)(cells, self.index, None)
    }
}

impl<M, T, K> Clone for Column<M, T, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, T, K> Copy for Column<M, T, K> {}

impl<M, T, K> fmt::Debug for Column<M, T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Column({})", self.index)
    }
}

impl<M: Model, T> fmt::Debug for KeyField<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyField")
    }
}

impl<M, T> fmt::Debug for MapField<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MapField")
    }
}
