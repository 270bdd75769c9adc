//! Backends, which execute reads and writes: Bigtable over gRPC, memory, or a wrapper around one.

pub(crate) mod connect_error;
#[cfg(feature = "metrics")]
pub(crate) mod labels;
pub(crate) mod method;
pub(crate) mod read;
pub(crate) mod row_order;
pub(crate) mod statement;
pub(crate) mod tables;

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::data::{
    CheckAndMutateRow, EntryBatch, EntryLimits, ReadModifyWriteRow, ReadRows, Row, RowKeySample,
    RowMutations,
};
use crate::{RowBatches, SqlService, Status, Tables, Timestamp};
use tables::WithoutSql;

/// The outcome of one entry of a bulk write.
pub type EntryOutcome = Result<(), Status>;

/// What a backend can do, and what it refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Whether an entry with a [token](crate::data::Idempotency) is applied once, even if it is
    /// sent several times. By default it is not.
    pub tokens: bool,
    /// The limits of an entry. Code that sends entries of several callers or events together checks
    /// each of them first: a backend may refuse all entries of a call if one is invalid. `None` if
    /// nothing is refused for its size. By default, Bigtable's limits.
    pub limits: Option<EntryLimits>,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            tokens: false,
            limits: Some(EntryLimits::default()),
        }
    }
}

/// One Bigtable instance: its tables and their rows.
///
/// The trait has only what an implementor needs; `bigtable-model` adds typed operations. It is
/// dyn-safe: programs hold an `Arc<dyn Backend>`, as [`connect`](crate::connect) returns it.
///
/// # Contract
///
/// - Requests are executed unchanged. What Bigtable refuses is refused with Bigtable's status code.
/// - A row is atomic: a read sees all mutations of an entry or none, an entry that fails changes
///   nothing, and mutations of an entry are applied in their order.
/// - `read_rows` delivers each row once, with all cells that the filter lets through, in ascending
///   order of the keys' bytes (descending when `reversed`), and only rows with a cell left. It is
///   lazy: it holds a bounded number of rows, and dropping the stream ends the read. After an error
///   the stream ends.
/// - `mutate_rows` returns one outcome for each entry, in the order of the entries, or an error for
///   the call as a whole. Entries for one row in one call may be applied in any order.
/// - If an entry is within the `limits` of `capabilities`, only the table can make `mutate_rows`
///   refuse it, not the entry itself: so one entry does not fail others. An entry whose token is
///   known was already applied, which is a success; a backend that keeps no tokens applies it.
/// - Every read that starts after a write has succeeded sees it.
/// - A backend is a handle: it is cheap to clone, and clones share everything. `handle` returns
///   such a clone. A wrapper returns a clone of itself, not of the inner backend, since queries
///   read through it.
/// - Futures may be dropped at any time; a write may then have been applied or not.
///
/// `bigtable_backend::testing::backend_suite` (feature `testing`) tests this contract; your own
/// backends should pass it too.
pub trait Backend: fmt::Debug + Send + Sync + 'static {
    /// An owned handle to the same instance, for reads that outlive the borrow.
    fn handle(&self) -> Arc<dyn Backend>;

    /// The time at which typed reads and conditions decide which stored cells have expired by a
    /// garbage-collection rule of the model: by default, the client's clock. A wrapper asks the
    /// inner backend; the one in [`expiry`](crate::expiry) returns an earlier time.
    fn expiry_time(&self) -> Timestamp {
        Timestamp::now()
    }

    /// The name in the instance of the table that this backend calls `table`: by default, the same.
    /// Page tokens are bound to it. A wrapper asks the inner backend;
    /// [`NamedTables`](crate::table_names::NamedTables) gives tables other names.
    fn stored_table(&self, table: &str) -> String {
        table.to_owned()
    }

    /// Reads rows; errors come through the stream. A backend that counts what it reads says so by
    /// [`RowBatches::counts`].
    fn read_rows(&self, request: ReadRows) -> RowBatches;

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
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>>;

    /// What it can do. A wrapper asks the inner backend.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    /// Applies one of two lists of mutations; returns whether the predicate matched.
    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>>;

    /// Appends and increments; returns the new cells.
    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>>;

    /// Keys that divide the table into parts, ascending; the last is empty and means the table's
    /// end.
    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>>;

    /// Its tables as such: to create, change, list and delete them.
    fn tables(&self) -> &dyn Tables;

    /// Its queries in GoogleSQL. By default, for backends without SQL, they answer
    /// `UNIMPLEMENTED`. A wrapper asks the inner backend.
    fn sql_service(&self) -> &dyn SqlService {
        &WithoutSql
    }
}
