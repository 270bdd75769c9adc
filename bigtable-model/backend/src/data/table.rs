mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::RowKeySchema;

/// A table: its ID, its families, its row key schema.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct TableSchema {
    /// The table's ID, without project and instance: 1 to 50 characters of `[-_.a-zA-Z0-9]`.
    pub table: String,
    /// The families by name.
    pub families: BTreeMap<String, FamilySchema>,
    /// How Bigtable decodes row keys for SQL. Most tables have none, and only Bigtable itself keeps
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_key_schema: Option<RowKeySchema>,
}

/// Messages of protocol buffers as which SQL reads values of a table. Only Bigtable itself keeps
/// schema bundles.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SchemaBundle {
    /// Its ID, unique in the table: SQL names a message as `id.package.Message`.
    pub id: String,
    /// A `google.protobuf.FileDescriptorSet` with the files of the messages and those that they
    /// import.
    pub descriptors: Bytes,
}

/// A family: how long its cells are kept, and whether they are aggregates.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct FamilySchema {
    /// Which cells may be deleted; `None` keeps them all.
    pub gc_rule: Option<GcRule>,
    /// For an aggregate family: what its cells are.
    pub aggregate: Option<AggregateKind>,
}

/// Which cells of a family may be deleted. The service does so at a time of its own choosing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GcRule {
    /// All but the newest n cells of a column.
    MaxVersions(i32),
    /// Cells older than this: whole milliseconds, at least 1 ms.
    MaxAge(Duration),
    /// Cells that any of the rules would delete.
    Union(Cow<'static, [GcRule]>),
    /// Cells that each of the rules would delete.
    Intersection(Cow<'static, [GcRule]>),
}

/// What the cells of an aggregate family hold; their input is a 64-bit integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum AggregateKind {
    /// The sum of the inputs.
    Sum,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

impl AggregateKind {
    /// The value of a cell after an addition to `held`. Sums wrap around.
    #[must_use]
    pub fn add(self, held: i64, input: i64) -> i64 {
        match self {
            Self::Sum => held.wrapping_add(input),
            Self::Min => held.min(input),
            Self::Max => held.max(input),
        }
    }
}

/// A change to one family of an existing table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FamilyChange {
    /// Adds a family.
    Create(String, FamilySchema),
    /// Replaces a family's garbage-collection rule.
    Update(String, FamilySchema),
    /// Deletes a family and its cells.
    Drop(String),
}

/// Which rows `drop_rows` deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowDeletion {
    /// Rows whose key begins with these bytes, at least one.
    Prefix(Bytes),
    /// All rows of the table.
    All,
}
