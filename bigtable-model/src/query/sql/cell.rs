//! Columns as GoogleSQL names them.

use std::fmt::{self, Display};

use crate::backend::sql::{Literal, Quoted};
use crate::model::ColumnSchema;

/// A column of a family: its newest cell, or with `with_history` all of its cells.
pub(super) struct Cell<'a> {
    pub(super) family: &'a str,
    pub(super) qualifier: &'a [u8],
}

impl<'a> Cell<'a> {
    pub(super) fn of(column: &'a ColumnSchema) -> Self {
        Self {
            family: &column.family,
            qualifier: column.qualifier.as_bytes(),
        }
    }
}

impl Display for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = Quoted(self.family);
        match std::str::from_utf8(self.qualifier) {
            Ok(name) => write!(f, "{family}[{}]", Literal(name)),
            Err(_) => write!(f, "{family}[b'{}']", self.qualifier.escape_ascii()),
        }
    }
}
