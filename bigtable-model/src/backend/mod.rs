//! What executes reads and writes: Bigtable over gRPC, memory, or a wrapper around one.

pub mod batcher;
mod bulk;
mod by_table;
mod connect;
mod deletes;
mod ext;
pub mod faults;
mod forward;
#[cfg(feature = "grpc")]
pub mod grpc;
mod history;
mod inserts;
pub mod memory;
#[cfg(feature = "metrics")]
pub mod metered;
mod places;
mod row;
mod shared;
mod status;
mod tables;

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::BoxStream;

pub(crate) use bulk::{Batch, Entry, REQUESTS_IN_FLIGHT};
pub use connect::{ConnectError, connect};
pub(crate) use deletes::delete_found;
pub use deletes::{DeleteOutcome, FailedDelete};
pub use ext::BackendExt;
pub use history::History;
pub use inserts::{FailedInsert, InsertOutcome, InsertProgress, Inserts};
pub(crate) use inserts::{Stamps, write_rows};
pub(crate) use row::{at_table, send_checked, send_modification, send_row, send_update};
pub use status::{Code, Status};
pub(crate) use tables::{MOST_TABLES, lacks_table, list_tables};

use crate::data::{
    CheckAndMutateRow, FamilyChange, ReadModifyWriteRow, ReadRows, Row, RowDeletion, RowKeySample,
    RowMutations, TableSchema,
};

/// The rows of a read. Dropping it cancels the read; it borrows nothing from the backend.
pub type RowStream = BoxStream<'static, Result<Row, Status>>;

/// The outcome of one entry of a bulk write.
pub type EntryOutcome = Result<(), Status>;

/// One Bigtable instance: its tables and their rows.
///
/// The trait is what an implementor needs and no more; [`BackendExt`] puts the typed operations on top
/// of it. It is dyn-safe: programs hold an `Arc<dyn Backend>`, as [`connect`](crate::connect) returns it.
///
/// # Contract
///
/// - Requests are executed exactly as they are. What Bigtable refuses is refused with its status code.
/// - A row is atomic: a read sees all mutations of an entry or none of them, an entry that fails leaves
///   no trace, and mutations of an entry are applied in their order.
/// - `read_rows` delivers each row once, complete as far as the filter lets it through, in ascending order
///   of the keys' bytes (descending when `reversed`), and only rows with a cell left. It is lazy: no more than a
///   bounded number of rows is held, and dropping the stream ends the read. After an error the stream ends.
/// - `mutate_rows` gives one outcome per entry, in the order of the entries, or an error for the call as a
///   whole. Entries for one row in one call may be applied in any order.
/// - A write whose future completed with success is seen by every read that starts afterwards.
/// - A backend is a handle: it is cheap to clone, and clones share all they have. `handle` gives such a clone. A
///   wrapper gives one of the wrapper, not of what it wraps, since queries do all their reading through it.
/// - Futures may be dropped at any time; a write may then have been applied or not.
///
/// The same contract is tested by `bigtable_model::testing::backend_suite` (feature `testing`), which a backend of
/// your own should pass too.
pub trait Backend: fmt::Debug + Send + Sync + 'static {
    /// A handle to the same instance that lives on its own, for reads that go on after the borrow has ended.
    fn handle(&self) -> Arc<dyn Backend>;

    /// Reads rows; errors come through the stream.
    fn read_rows(&self, request: ReadRows) -> RowStream;

    /// Applies the mutations of one row.
    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>>;

    /// Applies the mutations of many rows, each row on its own.
    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        rows: Vec<RowMutations>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>>;

    /// Applies one of two lists of mutations; tells whether the predicate matched.
    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>>;

    /// Appends and increments; returns the new cells.
    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>>;

    /// Keys that divide the table into parts, ascending; the last one is empty and stands for the table's end.
    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>>;

    /// Creates a table, split at `splits` where the backend has tablets; `ALREADY_EXISTS` when there is one.
    fn create_table(
        &self,
        schema: TableSchema,
        splits: Vec<bytes::Bytes>,
    ) -> BoxFuture<'_, Result<(), Status>>;

    /// A table's families; `NOT_FOUND` when there is no such table.
    fn get_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>>;

    /// The IDs of all tables, in order.
    fn list_tables(&self) -> BoxFuture<'_, Result<Vec<String>, Status>>;

    /// Deletes a table and its rows.
    fn delete_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>>;

    /// Changes families, all of them or none.
    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>>;

    /// Deletes a range of rows.
    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>>;
}
