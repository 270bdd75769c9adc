//! The columns of a query.

use bytes::Bytes;

use super::SqlType;

/// A column of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlColumn {
    /// The name; empty if the query gives none. Several columns may have one name.
    pub name: String,
    /// The type.
    pub sql_type: SqlType,
}

/// The columns of a query, in the order of the values of a row.
#[derive(Debug, Clone, Default)]
pub struct SqlColumns {
    columns: Vec<SqlColumn>,
    encoded: Bytes,
}

impl SqlColumns {
    /// These columns.
    #[must_use]
    pub fn new(columns: Vec<SqlColumn>) -> Self {
        Self {
            columns,
            encoded: Bytes::new(),
        }
    }

    /// The same columns, with the message from which they were decoded.
    #[cfg(feature = "grpc")]
    pub(crate) fn with_encoded(self, encoded: Bytes) -> Self {
        Self { encoded, ..self }
    }

    /// All columns.
    #[must_use]
    pub fn as_slice(&self) -> &[SqlColumn] {
        &self.columns
    }

    /// The number of columns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there are no columns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The index of a column; the first if several have the same name.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The columns as the server sent them, a `google.bigtable.v2.ProtoSchema`, for programs that
    /// forward them; empty for columns that do not come from a server. Types may have more detail
    /// there than in [`SqlType`].
    #[must_use]
    pub fn encoded(&self) -> &Bytes {
        &self.encoded
    }

    /// The columns' names, as an error lists them.
    pub(crate) fn names(&self) -> String {
        let names = self.columns.iter().map(|column| column.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    }
}

/// Compares names and types.
impl PartialEq for SqlColumns {
    fn eq(&self, other: &Self) -> bool {
        self.columns == other.columns
    }
}

impl Eq for SqlColumns {}
