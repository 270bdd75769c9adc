//! A row: a struct by the columns' names, a tuple by their places, anything else from the only
//! column.

use std::slice;
use std::vec;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::ReadError;
use super::value::ValueReader;
use crate::sql::{SqlColumn, SqlColumns, SqlValue};

/// Hands the values of a row to serde.
pub(super) struct RowReader<'a> {
    columns: &'a SqlColumns,
    values: Vec<SqlValue>,
}

impl<'a> RowReader<'a> {
    pub(super) fn new(columns: &'a SqlColumns, values: Vec<SqlValue>) -> Self {
        Self { columns, values }
    }

    /// The value of the only column.
    fn single<T>(
        self,
        read: impl FnOnce(ValueReader<'a>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let count = self.columns.len();
        let value = self.values.into_iter().next();
        match (self.columns.as_slice(), value) {
            ([column], Some(value)) => {
                let value = ValueReader::new(value, &column.sql_type);
                read(value).map_err(|error| error.in_column(&column.name))
            }
            _ => Err(ReadError::Other(format!(
                "one value is asked for, and the query has {count} columns: read its rows into a struct or a tuple"
            ))),
        }
    }

    fn parts(self) -> Parts<'a> {
        Parts {
            columns: self.columns.as_slice().iter(),
            values: self.values.into_iter(),
            column: None,
        }
    }
}

macro_rules! from_the_only_column {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            self.single(|value| value.$method(visitor))
        })*
    };
}

impl<'de, 'a: 'de> Deserializer<'de> for RowReader<'a> {
    type Error = ReadError;

    from_the_only_column! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_option deserialize_identifier
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.single(|value| value.deserialize_enum(name, variants, visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_map(self.parts())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_seq(self.parts())
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if len != self.columns.len() {
            return Err(ReadError::Other(format!(
                "a tuple of {len} is asked for, and the query has {} columns: {}",
                self.columns.len(),
                self.columns.names()
            )));
        }
        visitor.visit_seq(self.parts())
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_tuple(len, visitor)
    }

    forward_to_deserialize_any! { unit unit_struct map struct ignored_any }
}

/// Columns and values, one after the other.
struct Parts<'a> {
    columns: slice::Iter<'a, SqlColumn>,
    values: vec::IntoIter<SqlValue>,
    /// Whose name was taken, and not yet its value.
    column: Option<&'a SqlColumn>,
}

impl<'a> Parts<'a> {
    fn value<'de, S>(&mut self, column: &'a SqlColumn, seed: S) -> Result<S::Value, ReadError>
    where
        S: DeserializeSeed<'de>,
        'a: 'de,
    {
        let value = self.values.next().unwrap_or(SqlValue::Null);
        let value = seed.deserialize(ValueReader::new(value, &column.sql_type));
        value.map_err(|error| error.in_column(&column.name))
    }
}

impl<'de, 'a: 'de> MapAccess<'de> for Parts<'a> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        self.column = self.columns.next();
        let name = self.column.map(|column| column.name.as_str());
        name.map(|name| seed.deserialize(BorrowedStrDeserializer::new(name)))
            .transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        match self.column.take() {
            Some(column) => self.value(column, seed),
            None => Err(ReadError::Other(
                "a value is asked for before its column".to_owned(),
            )),
        }
    }
}

impl<'de, 'a: 'de> SeqAccess<'de> for Parts<'a> {
    type Error = ReadError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, ReadError> {
        let column = self.columns.next();
        column.map(|column| self.value(column, seed)).transpose()
    }
}
