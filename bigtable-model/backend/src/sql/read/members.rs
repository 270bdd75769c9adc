//! Named values: the columns of a row, the fields of a struct.

use std::slice;
use std::vec;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::ReadError;
use super::value::ValueReader;
use crate::sql::{SqlColumn, SqlField, SqlType, SqlValue};

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
