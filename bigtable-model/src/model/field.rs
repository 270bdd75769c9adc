//! How a struct's field maps to its column. Whether a field may be absent depends on its type, not
//! on how the type is written: `Field<Option<T>, C>` has the functions below as inherent functions,
//! which take precedence over those of a trait; every other field has them from [`RequiredField`].

use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;

use bytes::Bytes;

use crate::data::RowBatch;
use crate::model::EntryCell;
use crate::model::describe::shown;
use crate::value::{CellCodec, Takes, ValueError, encode_cell};

use super::{ColumnError, EventCells, EventWriter, ReadError};

/// A field of type `T` with codec `C`.
#[derive(Debug)]
pub struct Field<T, C>(PhantomData<fn() -> (T, C)>);

/// The functions that generated code uses for a field. It requests them in one place, so a codec
/// that does not fit the type is one error.
#[derive(Debug, Clone, Copy)]
pub struct FieldAccess<T> {
    /// Writes the value, or records that it is absent.
    pub write: fn(&T, usize, &mut EventWriter) -> Result<(), ColumnError>,
    /// The value of a stored column.
    pub find: fn(&EventCells<'_>, usize) -> Result<Option<T>, ReadError>,
    /// The meaning of a missing column.
    pub absent: fn(usize) -> Result<T, ReadError>,
    /// The name of the stored form.
    pub form: &'static str,
    /// The codec's bytes of sample values.
    pub samples: fn() -> Vec<Bytes>,
    /// Which values of the form the type takes.
    pub takes: fn() -> Takes,
}

/// Writes the fields of an event in turn, up to the first that is refused.
#[derive(Debug)]
pub struct FieldsWriter<'a> {
    event: &'a mut EventWriter,
    /// `Some` only after a refusal, so that nothing is stored for what was written.
    refused: Option<ColumnError>,
}

impl<'a> FieldsWriter<'a> {
    /// Begins with the first field of an event.
    #[inline]
    #[must_use]
    pub fn of(event: &'a mut EventWriter) -> Self {
        let refused = None;
        Self { event, refused }
    }

    /// Writes a field that is a column.
    #[inline]
    pub fn field<T>(&mut self, index: usize, access: FieldAccess<T>, value: &T) {
        self.with(|event| (access.write)(value, index, event));
    }

    /// Writes what has a form of its own.
    #[inline]
    pub fn with(&mut self, write: impl FnOnce(&mut EventWriter) -> Result<(), ColumnError>) {
        if self.refused.is_none()
            && let Err(error) = write(self.event)
        {
            self.refused = Some(error);
        }
    }

    /// Whether all was written.
    ///
    /// # Errors
    /// The first refusal.
    #[inline]
    pub fn finish(self) -> Result<(), ColumnError> {
        self.refused.map_or(Ok(()), Err)
    }
}

impl<T> FieldAccess<T> {
    /// Reads the value.
    ///
    /// # Errors
    /// If a required column is absent, or the codec refuses its bytes.
    #[inline]
    pub fn read(&self, cells: &EventCells<'_>, index: usize) -> Result<T, ReadError> {
        match (self.find)(cells, index)? {
            Some(value) => Ok(value),
            None => (self.absent)(index),
        }
    }

    /// Sets another meaning of a missing column.
    #[inline]
    #[must_use]
    pub fn or(self, absent: fn(usize) -> Result<T, ReadError>) -> Self {
        Self { absent, ..self }
    }

    /// Uses `Default::default()` for a missing column.
    #[inline]
    #[must_use]
    pub fn or_default(self) -> Self
    where
        T: Default,
    {
        self.or(|_| Ok(T::default()))
    }
}

impl<T, C> Field<Option<T>, C> {
    /// An `Option` may be absent.
    pub const OPTIONAL: bool = true;

    /// Access to the field.
    #[inline]
    #[must_use]
    pub fn access() -> FieldAccess<Option<T>>
    where
        C: CellCodec<T>,
    {
        FieldAccess {
            write: |value, index, event| match value {
                Some(value) => event.set::<T, C>(index, value),
                None => {
                    event.absent(index);
                    Ok(())
                }
            },
            find: |cells, index| Ok(decode::<T, C>(cells, index)?.map(Some)),
            absent: |_| Ok(None),
            form: C::NAME,
            samples: samples::<T, C>,
            takes: C::takes,
        }
    }
}

/// A field that every event has.
pub trait RequiredField<T, C> {
    /// It is never absent.
    const OPTIONAL: bool = false;

    /// The functions of the field.
    #[inline]
    #[must_use]
    fn access() -> FieldAccess<T>
    where
        C: CellCodec<T>,
    {
        FieldAccess {
            write: |value, index, event| event.set::<T, C>(index, value),
            find: |cells, index| decode::<T, C>(cells, index),
            absent: |index| Err(ReadError::Missing(index)),
            form: C::NAME,
            samples: samples::<T, C>,
            takes: C::takes,
        }
    }
}

impl<T, C> RequiredField<T, C> for Field<T, C> {}

#[inline]
fn decode<T, C: CellCodec<T>>(
    cells: &EventCells<'_>,
    index: usize,
) -> Result<Option<T>, ReadError> {
    let Some(bytes) = cells.value(index) else {
        return Ok(None);
    };
    let shared = || cells.shared_value(index).unwrap_or_default();
    match decoded::<T, C>(bytes, shared) {
        Ok(value) => Ok(Some(value)),
        Err(source) => Err(ReadError::Column(index, source)),
    }
}

/// Decodes a value, which may share the bytes if they are long.
#[inline]
fn decoded<T, C: CellCodec<T>>(
    bytes: &[u8],
    shared: impl FnOnce() -> Bytes,
) -> Result<T, ValueError> {
    match bytes.len() {
        ..RowBatch::WORTH_SHARING => C::decode(bytes),
        _ => C::decode_shared(&shared()),
    }
}

/// The codec's bytes for its sample values, without duplicates.
fn samples<T, C: CellCodec<T>>() -> Vec<Bytes> {
    let values = C::samples();
    let mut written = Vec::with_capacity(values.len());
    for value in &values {
        if let Ok(bytes) = encode_cell::<C, T>(value)
            && !written.contains(&bytes)
        {
            written.push(bytes);
        }
    }
    written
}

/// A map that collects run-time columns: its keys are qualifiers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot collect run-time columns",
    label = "not a map of columns",
    note = "write `BTreeMap<String, V>` or `HashMap<String, V>`, or with `Bytes` for qualifiers that are not text"
)]
pub trait ColumnMap: Default {
    /// The type of the cells' values.
    type Value;

    /// The qualifiers and values.
    fn entries(&self) -> impl Iterator<Item = (&[u8], &Self::Value)>;

    /// Adds an entry; returns the qualifier if the map cannot hold it.
    ///
    /// # Errors
    /// If the qualifier is not a valid key of the map.
    fn add(&mut self, qualifier: &[u8], value: Self::Value) -> Result<(), std::str::Utf8Error>;

    /// Removes the entry of a qualifier.
    fn take(&mut self, qualifier: &str) -> Option<Self::Value>;
}

macro_rules! text_map {
    ($($map:ident),*) => {$(
        impl<V> ColumnMap for $map<String, V> {
            type Value = V;

            fn entries(&self) -> impl Iterator<Item = (&[u8], &V)> {
                self.iter().map(|(qualifier, value)| (qualifier.as_bytes(), value))
            }

            fn add(&mut self, qualifier: &[u8], value: V) -> Result<(), std::str::Utf8Error> {
                self.insert(std::str::from_utf8(qualifier)?.to_owned(), value);
                Ok(())
            }

            fn take(&mut self, qualifier: &str) -> Option<V> {
                self.remove(qualifier)
            }
        }

        impl<V> ColumnMap for $map<Bytes, V> {
            type Value = V;

            fn entries(&self) -> impl Iterator<Item = (&[u8], &V)> {
                self.iter().map(|(qualifier, value)| (&**qualifier, value))
            }

            fn add(&mut self, qualifier: &[u8], value: V) -> Result<(), std::str::Utf8Error> {
                self.insert(Bytes::copy_from_slice(qualifier), value);
                Ok(())
            }

            fn take(&mut self, qualifier: &str) -> Option<V> {
                self.remove(qualifier.as_bytes())
            }
        }
    )*};
}

text_map!(BTreeMap, HashMap);

/// Collects the run-time columns of an event that belong to the map at an index, or the one with a
/// qualifier.
type ReadMap<T> = fn(&EventCells<'_>, usize, Option<&[u8]>) -> Result<T, ReadError>;

/// What generated code does with a map of run-time columns.
#[derive(Debug, Clone, Copy)]
pub struct MapAccess<T> {
    /// Writes every entry as a column of the map at an index.
    pub write: fn(&T, usize, &mut EventWriter) -> Result<(), ColumnError>,
    /// Collects the run-time columns of an event.
    pub read: ReadMap<T>,
    /// The name of the stored form.
    pub form: &'static str,
    /// The codec's bytes of sample values.
    pub samples: fn() -> Vec<Bytes>,
    /// Which values of the form the type takes.
    pub takes: fn() -> Takes,
}

/// The functions of a map whose values codec `C` writes.
#[inline]
#[must_use]
pub fn map_access<T: ColumnMap, C: CellCodec<T::Value>>() -> MapAccess<T> {
    MapAccess {
        write: |map, place, event| {
            let mut entries = map.entries();
            entries.try_for_each(|(qualifier, value)| {
                event.set_entry(place, qualifier, |out| C::encode(value, out))
            })
        },
        read: read_map::<T, C>,
        form: C::NAME,
        samples: samples::<T::Value, C>,
        takes: C::takes,
    }
}

fn read_map<T: ColumnMap, C: CellCodec<T::Value>>(
    cells: &EventCells<'_>,
    place: usize,
    only: Option<&[u8]>,
) -> Result<T, ReadError> {
    let mut map = T::default();
    for EntryCell {
        map: of,
        name,
        cell,
    } in cells.map_cells()
    {
        if of != place || only.is_some_and(|only| only != name) {
            continue;
        }
        let entry = |source| ReadError::Entry(place, shown(name), source);
        let value = decoded::<T::Value, C>(cell.value(), || cell.shared_value());
        let value = value.map_err(entry)?;
        map.add(name, value).map_err(|error| {
            let expected = format!("a qualifier in UTF-8 ({error})");
            entry(ValueError::malformed(expected, name))
        })?;
    }
    Ok(map)
}
