//! How a struct's field meets its column. Whether a field may be absent is a matter of its type, not of how the
//! type is written: `Field<Option<T>, C>` has the functions below by itself, every other field has them by
//! [`RequiredField`], and inherent functions win over a trait's.

use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;

use bytes::Bytes;

use crate::value::{CellCodec, ValueError};

use super::{ColumnError, EventCells, EventWriter, ReadError};

/// A field of type `T` whose values codec `C` writes.
#[derive(Debug)]
pub struct Field<T, C>(PhantomData<fn() -> (T, C)>);

impl<T, C> Field<Option<T>, C> {
    /// An `Option` may be absent.
    pub const OPTIONAL: bool = true;

    /// Writes the value, or that there is none.
    ///
    /// # Errors
    /// When the codec refuses the value.
    #[inline]
    pub fn write(
        value: &Option<T>,
        index: usize,
        event: &mut EventWriter,
    ) -> Result<(), ColumnError>
    where
        C: CellCodec<T>,
    {
        match value {
            Some(value) => event.set::<T, C>(index, value),
            None => {
                event.absent(index);
                Ok(())
            }
        }
    }

    /// Reads the value; an absent column is `None`.
    ///
    /// # Errors
    /// When the codec refuses the bytes.
    #[inline]
    pub fn read(cells: &EventCells<'_>, index: usize) -> Result<Option<T>, ReadError>
    where
        C: CellCodec<T>,
    {
        decode::<T, C>(cells, index)
    }

    /// Reads the value, `None` of an absent column replaced by `default`.
    ///
    /// # Errors
    /// When the codec refuses the bytes.
    #[inline]
    pub fn read_or(
        cells: &EventCells<'_>,
        index: usize,
        default: impl FnOnce() -> Option<T>,
    ) -> Result<Option<T>, ReadError>
    where
        C: CellCodec<T>,
    {
        Ok(decode::<T, C>(cells, index)?.or_else(default))
    }
}

/// A field that every event has.
pub trait RequiredField<T, C> {
    /// It is never absent.
    const OPTIONAL: bool = false;

    /// Writes the value.
    ///
    /// # Errors
    /// When the codec refuses it.
    #[inline]
    fn write(value: &T, index: usize, event: &mut EventWriter) -> Result<(), ColumnError>
    where
        C: CellCodec<T>,
    {
        event.set::<T, C>(index, value)
    }

    /// Reads the value.
    ///
    /// # Errors
    /// When the column is absent or the codec refuses its bytes.
    #[inline]
    fn read(cells: &EventCells<'_>, index: usize) -> Result<T, ReadError>
    where
        C: CellCodec<T>,
    {
        decode::<T, C>(cells, index)?.ok_or(ReadError::Missing(index))
    }

    /// Reads the value; an absent column is `default`.
    ///
    /// # Errors
    /// When the codec refuses the bytes.
    #[inline]
    fn read_or(
        cells: &EventCells<'_>,
        index: usize,
        default: impl FnOnce() -> T,
    ) -> Result<T, ReadError>
    where
        C: CellCodec<T>,
    {
        Ok(decode::<T, C>(cells, index)?.unwrap_or_else(default))
    }
}

impl<T, C> RequiredField<T, C> for Field<T, C> {}

#[inline]
fn decode<T, C: CellCodec<T>>(
    cells: &EventCells<'_>,
    index: usize,
) -> Result<Option<T>, ReadError> {
    match cells.cell(index) {
        None => Ok(None),
        Some(cell) => match C::decode(&cell.value) {
            Ok(value) => Ok(Some(value)),
            Err(source) => Err(ReadError::Column(index, source)),
        },
    }
}

/// A map that collects run-time columns: its keys are qualifiers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't collect run-time columns",
    label = "not a map of columns",
    note = "write `BTreeMap<String, V>` or `HashMap<String, V>`, or with `Bytes` for qualifiers that are not text"
)]
pub trait ColumnMap: Default {
    /// What the cells hold.
    type Value;

    /// The qualifiers and values.
    fn entries(&self) -> impl Iterator<Item = (&[u8], &Self::Value)>;

    /// Adds an entry; the qualifier comes back when the map can't hold it.
    ///
    /// # Errors
    /// When the qualifier is not what the map's keys are.
    fn add(&mut self, qualifier: &Bytes, value: Self::Value) -> Result<(), std::str::Utf8Error>;
}

macro_rules! text_map {
    ($($map:ident),*) => {$(
        impl<V> ColumnMap for $map<String, V> {
            type Value = V;

            fn entries(&self) -> impl Iterator<Item = (&[u8], &V)> {
                self.iter().map(|(qualifier, value)| (qualifier.as_bytes(), value))
            }

            fn add(&mut self, qualifier: &Bytes, value: V) -> Result<(), std::str::Utf8Error> {
                self.insert(std::str::from_utf8(qualifier)?.to_owned(), value);
                Ok(())
            }
        }

        impl<V> ColumnMap for $map<Bytes, V> {
            type Value = V;

            fn entries(&self) -> impl Iterator<Item = (&[u8], &V)> {
                self.iter().map(|(qualifier, value)| (&**qualifier, value))
            }

            fn add(&mut self, qualifier: &Bytes, value: V) -> Result<(), std::str::Utf8Error> {
                self.insert(qualifier.clone(), value);
                Ok(())
            }
        }
    )*};
}

text_map!(BTreeMap, HashMap);

/// Writes every entry of a map as a column.
///
/// # Errors
/// When the codec refuses a value.
pub fn write_map<T: ColumnMap, C: CellCodec<T::Value>>(
    map: &T,
    event: &mut EventWriter,
) -> Result<(), ColumnError> {
    map.entries()
        .try_for_each(|(qualifier, value)| event.set_entry::<T::Value, C>(qualifier, value))
}

/// Collects the run-time columns of an event.
///
/// # Errors
/// When the codec refuses a value, or a qualifier is not what the map's keys are.
pub fn read_map<T: ColumnMap, C: CellCodec<T::Value>>(
    cells: &EventCells<'_>,
) -> Result<T, ReadError> {
    let mut map = T::default();
    for cell in cells.map_cells() {
        let entry = |source| ReadError::Entry(cell.qualifier.escape_ascii().to_string(), source);
        let value = C::decode(&cell.value).map_err(entry)?;
        map.add(&cell.qualifier, value).map_err(|error| {
            entry(ValueError::malformed(
                format!("a qualifier in UTF-8 ({error})"),
                &cell.qualifier,
            ))
        })?;
    }
    Ok(map)
}
