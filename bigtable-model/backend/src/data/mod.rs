//! Bigtable's own data as plain values: rows and cells, mutations, row sets, filters, requests,
//! tables.
//!
//! These types are exactly what goes over the wire, unchecked: Bigtable may refuse a value of them.
//! Models, queries and plans, one level up, keep a program from writing such values.

pub(crate) mod batch;
mod entry_batch;
pub(crate) mod entry_limits;
mod filter;
pub mod limits;
mod mutation;
mod once;
#[doc(hidden)]
pub mod ordered_code;
mod request;
mod row;
mod row_key;
mod row_set;
mod table;

pub use batch::{BuiltPart, CellRef, RowBatch, RowBuilder, RowRef};
#[doc(hidden)]
pub use entry_batch::EncodedEntry;
#[cfg(feature = "grpc")]
pub(crate) use entry_batch::Unsent;
pub use entry_batch::{EntryBatch, EntrySize};
#[cfg(feature = "memory")]
pub(crate) use entry_batch::{Kept, KeptEntry};
pub use entry_limits::EntryLimits;
pub use filter::RowFilter;
#[cfg(test)]
pub(crate) use mutation::mutation;
pub use mutation::{Mutation, RowMutations, SERVER_TIME};
#[doc(hidden)]
pub use mutation::{MutationRef, ValueRef};
pub use once::{Idempotency, RowOnce};
pub use request::{
    CheckAndMutateRow, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, RowKeySample, RuleAction,
};
pub use row::{Cell, Row};
pub use row_key::{
    IntEncoding, RowKeyEncoding, RowKeyError, RowKeyField, RowKeySchema, RowKeySchemaError,
    RowKeyType, RowKeyValue,
};
#[cfg(feature = "grpc")]
pub(crate) use row_set::disjoint;
pub use row_set::{ByteRange, RowRange, RowSet, prefix_end, united};
#[cfg(feature = "memory")]
pub(crate) use row_set::{Start, compare_ends, join};
pub use table::{
    AggregateKind, FamilyChange, FamilySchema, GcRule, RowDeletion, SchemaBundle, TableSchema,
};
