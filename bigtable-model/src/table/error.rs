use std::fmt;

use super::Difference;
use crate::data::{FamilySchema, RowKeySchema, RowKeySchemaError};

/// Why a table cannot become what is wanted. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Two models share a family and want it different.
    #[error(
        "table {table}: one model's family \"{family}\" {}, another's {}: give both the same rule",
        wants.0,
        wants.1
    )]
    Conflict {
        /// The table's ID.
        table: String,
        /// The family.
        family: String,
        /// What each wants.
        wants: Box<(FamilySchema, FamilySchema)>,
    },
    /// Two different tables, which cannot be joined.
    #[error("{table} and {other} are two tables, and only what models want of one can be joined")]
    TwoTables {
        /// The ID of one.
        table: String,
        /// The ID of the other.
        other: String,
    },
    /// Changes that may delete cells, which was not allowed.
    #[error(
        "table {table}: cells may be deleted that are kept today, so allow it with `ApplyOptions::allow_unsafe`, or take these out of the differences{}",
        Lines(differences)
    )]
    Unsafe {
        /// The table's ID.
        table: String,
        /// The differences whose changes are unsafe.
        differences: Vec<Difference>,
    },
    /// Differences that no change can remove, since the kind of a family's cells is fixed when it
    /// is created.
    #[error(
        "table {table}: what a family's cells are can't change, so give the model another family, or drop this one and its cells before{}",
        Lines(differences)
    )]
    Fixed {
        /// The table's ID.
        table: String,
        /// The differences.
        differences: Vec<Difference>,
    },
    /// A family is to be dropped that the model has, or that the table does not have.
    #[error(
        "table {table}: family \"{family}\" is to be dropped, and is not one that the table has and the model has not"
    )]
    NotUnknown {
        /// The table's ID.
        table: String,
        /// The family.
        family: String,
    },
    /// Bigtable refuses the row key schema to be added.
    #[error("table {table}: this row key schema cannot be added")]
    RowKeySchema {
        /// The table's ID.
        table: String,
        /// Why.
        #[source]
        source: RowKeySchemaError,
    },
    /// A row key schema is to be added to a table that has another one.
    #[error(
        "table {table} has another row key schema ({have}), and one can be added or removed, not changed: remove it before, with `ApplyOptions::remove_row_key_schema`"
    )]
    OtherRowKeySchema {
        /// The table's ID.
        table: String,
        /// Its row key schema.
        have: Box<RowKeySchema>,
    },
    /// The table has changed since it was compared.
    #[error(
        "table {table} has changed since it was compared{}: compare it again",
        at_family(family)
    )]
    Changed {
        /// The table's ID.
        table: String,
        /// The family that has changed; `None` if the table was created or deleted, or if its row
        /// key schema has changed.
        family: Option<String>,
    },
}

impl SchemaError {
    /// The ID of the affected table; the first of two.
    #[must_use]
    pub fn table(&self) -> &str {
        match self {
            Self::Conflict { table, .. }
            | Self::TwoTables { table, .. }
            | Self::Unsafe { table, .. }
            | Self::Fixed { table, .. }
            | Self::NotUnknown { table, .. }
            | Self::RowKeySchema { table, .. }
            | Self::OtherRowKeySchema { table, .. }
            | Self::Changed { table, .. } => table,
        }
    }
}

fn at_family(family: &Option<String>) -> String {
    family
        .as_ref()
        .map_or_else(String::new, |family| format!(", in family \"{family}\""))
}

struct Lines<'a>(&'a [Difference]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|one| write!(f, "\n  {one}"))
    }
}
