use std::fmt;

use super::Difference;
use crate::data::{FamilySchema, RowKeySchema, RowKeySchemaError};

/// Why a table can't be what is wanted of it. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Two models share a family and want it otherwise.
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
    /// Two tables, of which one was to be made.
    #[error("{table} and {other} are two tables, and only what models want of one can be joined")]
    TwoTables {
        /// The one's ID.
        table: String,
        /// The other's.
        other: String,
    },
    /// Changes that may delete cells, which were not allowed.
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
    /// A difference that no change removes, since a family's cells are what they were when it was
    /// created.
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
    /// A family is to be dropped that is not one of those that the table has and the model has not.
    #[error(
        "table {table}: family \"{family}\" is to be dropped, and is not one that the table has and the model has not"
    )]
    NotUnknown {
        /// The table's ID.
        table: String,
        /// The family.
        family: String,
    },
    /// A row key schema is to be added that Bigtable refuses.
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
        /// What it has.
        have: Box<RowKeySchema>,
    },
    /// The table is not what it was when it was compared.
    #[error(
        "table {table} has changed since it was compared{}: compare it again",
        at_family(family)
    )]
    Changed {
        /// The table's ID.
        table: String,
        /// The family that has; none when it is the table, created or deleted, or its row key
        /// schema.
        family: Option<String>,
    },
}

impl SchemaError {
    /// The ID of the table that it concerns; of two the first.
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
