//! Decodes a row: a struct by the columns' names, a tuple by position, anything else from the only
//! column.

use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::error::ReadError;
use super::value::{Members, ValueReader};
use crate::sql::{SqlColumn, SqlColumns, SqlValue};

/// Passes the values of a row to serde.
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

    fn members(self) -> Members<'a, SqlColumn> {
        Members::new(self.columns.as_slice(), self.values)
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
        visitor.visit_map(self.members())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_seq(self.members())
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
        visitor.visit_seq(self.members())
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
