//! The target of a call, as far as rules match it.

use bytes::Bytes;

use crate::Method;
use crate::data::{EntryBatch, RowSet};

/// The target of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) method: Method,
    pub(super) table: Option<&'a str>,
    pub(super) keys: Keys<'a>,
}

/// The rows that a call names.
#[derive(Debug, Clone, Copy)]
pub(super) enum Keys<'a> {
    None,
    One(&'a Bytes),
    Rows(&'a RowSet),
    Entries(&'a EntryBatch),
}

impl Keys<'_> {
    /// The key, if there is exactly one.
    pub(super) fn one(self) -> Option<Bytes> {
        match self {
            Self::One(key) => Some(key.clone()),
            _ => None,
        }
    }
}

impl<'a> Target<'a> {
    /// A call on one row.
    pub(super) fn row(method: Method, table: &'a str, key: &'a Bytes) -> Self {
        Self {
            method,
            table: Some(table),
            keys: Keys::One(key),
        }
    }

    /// A call on a table as a whole.
    pub(super) fn table(method: Method, table: &'a str) -> Self {
        Self {
            method,
            table: Some(table),
            keys: Keys::None,
        }
    }

    /// A call that names no table.
    pub(super) fn without_table(method: Method) -> Self {
        Self {
            method,
            table: None,
            keys: Keys::None,
        }
    }
}
