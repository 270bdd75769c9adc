//! A value of a column, or a part of one; and named values, which are the columns of a row or the
//! fields of a struct.

use std::slice;
use std::vec;

use bytes::Bytes;
use serde::de::value::{BorrowedStrDeserializer, SeqDeserializer, StringDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    Visitor,
};
use serde::forward_to_deserialize_any;

use super::error::ReadError;
use crate::sql::{SqlColumn, SqlField, SqlTimestamp, SqlType, SqlValue};

/// Passes a value to serde. The type has the names of a struct's fields.
pub(super) struct ValueReader<'a> {
    value: SqlValue,
    sql_type: &'a SqlType,
}

impl<'a> ValueReader<'a> {
    pub(super) fn new(value: SqlValue, sql_type: &'a SqlType) -> Self {
        Self { value, sql_type }
    }
}

/// The error for a field that cannot hold a value.
fn unexpected<E: serde::de::Expected>(value: &SqlValue, expected: &E) -> ReadError {
    ReadError::invalid_type(Unexpected::Other(value.kind()), expected)
}

fn text(bytes: &Bytes) -> Result<&str, ReadError> {
    std::str::from_utf8(bytes)
        .map_err(|_| ReadError::Other("its bytes are no UTF-8: read it as bytes".to_owned()))
}

fn micros(at: SqlTimestamp) -> Result<i64, ReadError> {
    let at = at.timestamp().ok_or_else(|| {
        ReadError::Other(format!(
            "{at} has parts of a microsecond: read it as SqlTimestamp"
        ))
    });
    Ok(at?.as_micros())
}

macro_rules! integers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            match self.value {
                SqlValue::Timestamp(at) => visitor.visit_i64(micros(at)?),
                _ => self.deserialize_any(visitor),
            }
        })*
    };
}

impl<'de, 'a: 'de> Deserializer<'de> for ValueReader<'a> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            SqlValue::Null => Err(ReadError::null()),
            SqlValue::Bytes(bytes) => visitor.visit_bytes(&bytes),
            SqlValue::String(text) => visitor.visit_str(&text),
            SqlValue::Int64(number) => visitor.visit_i64(number),
            SqlValue::Float64(number) => visitor.visit_f64(number),
            SqlValue::Float32(number) => visitor.visit_f32(number),
            SqlValue::Bool(is) => visitor.visit_bool(is),
            SqlValue::Timestamp(at) => visitor.visit_string(at.to_string()),
            SqlValue::Date(day) => visitor.visit_string(day.to_string()),
            SqlValue::Array(values) => visitor.visit_seq(Elements::new(values, self.sql_type)),
            SqlValue::Struct(values) => visitor.visit_map(fields(values, self.sql_type)),
            SqlValue::Map(entries) => visitor.visit_map(Entries::new(entries, self.sql_type)),
        }
    }

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            SqlValue::Bytes(bytes) => visitor.visit_str(text(&bytes)?),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            SqlValue::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    /// Here bytes are a sequence of numbers, and a struct is the sequence of its fields' values.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            SqlValue::Bytes(bytes) => {
                visitor.visit_seq(SeqDeserializer::<_, ReadError>::new(bytes.into_iter()))
            }
            SqlValue::Struct(values) => visitor.visit_seq(fields(values, self.sql_type)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let name = match &self.value {
            SqlValue::Null => return Err(ReadError::null()),
            SqlValue::String(name) => name.to_string(),
            SqlValue::Bytes(name) => text(name)?.to_owned(),
            other => return Err(unexpected(other, &"the name of a variant")),
        };
        let name: StringDeserializer<ReadError> = name.into_deserializer();
        visitor.visit_enum(name)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            SqlValue::Null => visitor.visit_unit(),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool f32 f64 bytes byte_buf unit_struct map struct identifier
    }
}

/// The elements of an array.
struct Elements<'a> {
    values: vec::IntoIter<SqlValue>,
    element: &'a SqlType,
    place: usize,
}

impl<'a> Elements<'a> {
    fn new(values: Vec<SqlValue>, sql_type: &'a SqlType) -> Self {
        let element = match sql_type {
            SqlType::Array(element) => element,
            // A value of another type than its column's, which a program may put into a row.
            other => other,
        };
        Self {
            values: values.into_iter(),
            element,
            place: 0,
        }
    }
}

impl<'de, 'a: 'de> SeqAccess<'de> for Elements<'a> {
    type Error = ReadError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, ReadError> {
        let Some(value) = self.values.next() else {
            return Ok(None);
        };
        let place = self.place;
        self.place += 1;
        let value = seed.deserialize(ValueReader::new(value, self.element));
        value
            .map(Some)
            .map_err(|error| error.inside(format_args!("element {place}")))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.values.len())
    }
}

/// The fields of a struct.
fn fields(values: Vec<SqlValue>, sql_type: &SqlType) -> Members<'_, SqlField> {
    let fields = match sql_type {
        SqlType::Struct(fields) => fields.as_slice(),
        _ => &[],
    };
    Members::new(fields, values)
}

/// The entries of a map.
struct Entries<'a> {
    entries: vec::IntoIter<(SqlValue, SqlValue)>,
    types: (&'a SqlType, &'a SqlType),
    /// The value whose key was read, and the key for errors.
    value: Option<(SqlValue, SqlValue)>,
}

impl<'a> Entries<'a> {
    fn new(entries: Vec<(SqlValue, SqlValue)>, sql_type: &'a SqlType) -> Self {
        let types = match sql_type {
            SqlType::Map(key, value) => (&**key, &**value),
            other => (other, other),
        };
        Self {
            entries: entries.into_iter(),
            types,
            value: None,
        }
    }
}

impl<'de, 'a: 'de> MapAccess<'de> for Entries<'a> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let Some((key, value)) = self.entries.next() else {
            return Ok(None);
        };
        let read = seed.deserialize(ValueReader::new(key.clone(), self.types.0));
        let read = read.map_err(|error| error.inside(format_args!("key \"{}\"", shown(&key))))?;
        self.value = Some((key, value));
        Ok(Some(read))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        let Some((key, value)) = self.value.take() else {
            return Err(ReadError::custom("a value is asked for before its key"));
        };
        let value = seed.deserialize(ValueReader::new(value, self.types.1));
        value.map_err(|error| error.inside(format_args!("value of \"{}\"", shown(&key))))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// A key as shown in errors.
fn shown(key: &SqlValue) -> String {
    match key {
        SqlValue::Bytes(bytes) => bytes.escape_ascii().to_string(),
        SqlValue::String(text) => text.to_string(),
        SqlValue::Int64(number) => number.to_string(),
        other => other.kind().to_owned(),
    }
}

/// The owner of a value: a column or a field.
pub(super) trait Named {
    /// Its name.
    fn name(&self) -> &str;

    /// Its type.
    fn sql_type(&self) -> &SqlType;

    /// Adds this place to the error.
    fn blame(&self, error: ReadError) -> ReadError;
}

impl Named for SqlColumn {
    fn name(&self) -> &str {
        &self.name
    }

    fn sql_type(&self) -> &SqlType {
        &self.sql_type
    }

    fn blame(&self, error: ReadError) -> ReadError {
        error.in_column(&self.name)
    }
}

impl Named for SqlField {
    fn name(&self) -> &str {
        &self.name
    }

    fn sql_type(&self) -> &SqlType {
        &self.sql_type
    }

    fn blame(&self, error: ReadError) -> ReadError {
        error.inside(format_args!("field \"{}\"", self.name))
    }
}

/// Passes values to serde one after another: to a struct by name, to a tuple by position.
pub(super) struct Members<'a, N> {
    names: slice::Iter<'a, N>,
    values: vec::IntoIter<SqlValue>,
    /// The member whose name was read, but not its value.
    taken: Option<&'a N>,
}

impl<'a, N: Named> Members<'a, N> {
    pub(super) fn new(names: &'a [N], values: Vec<SqlValue>) -> Self {
        Self {
            names: names.iter(),
            values: values.into_iter(),
            taken: None,
        }
    }

    fn value<'de, S>(&mut self, of: &'a N, seed: S) -> Result<S::Value, ReadError>
    where
        S: DeserializeSeed<'de>,
        'a: 'de,
    {
        let value = self.values.next().unwrap_or(SqlValue::Null);
        let value = seed.deserialize(ValueReader::new(value, of.sql_type()));
        value.map_err(|error| of.blame(error))
    }
}

impl<'de, 'a: 'de, N: Named> MapAccess<'de> for Members<'a, N> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        self.taken = self.names.next();
        let name = self.taken.map(Named::name);
        name.map(|name| seed.deserialize(BorrowedStrDeserializer::new(name)))
            .transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        match self.taken.take() {
            Some(of) => self.value(of, seed),
            None => Err(ReadError::Other(
                "a value is asked for before its name".to_owned(),
            )),
        }
    }
}

impl<'de, 'a: 'de, N: Named> SeqAccess<'de> for Members<'a, N> {
    type Error = ReadError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, ReadError> {
        let of = self.names.next();
        of.map(|of| self.value(of, seed)).transpose()
    }
}
