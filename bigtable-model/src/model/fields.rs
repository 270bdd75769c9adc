use std::fmt;
use std::marker::PhantomData;

use super::{EventCells, FieldAccess, MapAccess, Model, Plain, ReadError};
use crate::key::KeyError;

/// What a projection reads for one of its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldUse {
    /// A segment of the row key, which comes with every row.
    Key,
    /// A column: its index in [`ModelSchema::columns`](super::ModelSchema::columns).
    Column(usize),
    /// The run-time columns of the map's family.
    Map,
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
    access: fn() -> MapAccess<T>,
    model: PhantomData<fn() -> M>,
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
    pub const fn new(access: fn() -> MapAccess<T>) -> Self {
        Self {
            access,
            model: PhantomData,
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn field_use(&self) -> FieldUse {
        FieldUse::Map
    }
}

impl<M: Model, T> MapField<M, T> {
    #[doc(hidden)]
    pub fn read(&self, _: &M::KeyRef<'_>, cells: &EventCells<'_>) -> Result<T, ReadError> {
        ((self.access)().read)(cells)
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
