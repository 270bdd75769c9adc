use std::fmt;

use super::Difference;
use crate::data::{FamilySchema, RowKeySchema, RowKeySchemaError};

/// Why a table cannot be given the wanted schema. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Two models share a family but want different rules for it.
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
        /// The families that the models want.
        wants: Box<(FamilySchema, FamilySchema)>,
    },
    /// Two different tables, which cannot be joined.
    #[error(
        "{table} and {other} are different tables: only schemas of the same table can be joined"
    )]
    TwoTables {
        /// The first table's ID.
        table: String,
        /// The other table's ID.
        other: String,
    },
    /// The changes may delete cells, which was not allowed.
    #[error(
        "table {table}: the changes may delete cells: allow them with `ApplyOptions::allow_unsafe`, or remove these differences{}",
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
        "table {table}: the kind of a family's cells cannot change: give the model another family, or first drop this one with its cells{}",
        Lines(differences)
    )]
    Fixed {
        /// The table's ID.
        table: String,
        /// The differences.
        differences: Vec<Difference>,
    },
    /// The family to drop belongs to the model, or is not in the table.
    #[error(
        "table {table}: family \"{family}\" cannot be dropped: only a family that the table has and the model lacks can be"
    )]
    NotUnknown {
        /// The table's ID.
        table: String,
        /// The family.
        family: String,
    },
    /// Bigtable would refuse the row key schema to add.
    #[error("table {table}: this row key schema cannot be added")]
    RowKeySchema {
        /// The table's ID.
        table: String,
        /// Why.
        #[source]
        source: RowKeySchemaError,
    },
    /// The table already has another row key schema.
    #[error(
        "table {table} has another row key schema ({have}), which cannot be changed: remove it first with `ApplyOptions::remove_row_key_schema`"
    )]
    OtherRowKeySchema {
        /// The table's ID.
        table: String,
        /// Its row key schema.
        have: Box<RowKeySchema>,
    },
    /// Two different schema bundles to add have one ID.
    #[error(
        "table {table}: two schema bundles have the ID \"{id}\": it is a model's name in lower case, so give one of the models another name"
    )]
    SameBundle {
        /// The table's ID.
        table: String,
        /// The ID of both.
        id: String,
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
    /// The ID of the affected table; of two, the first.
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
            | Self::SameBundle { table, .. }
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
