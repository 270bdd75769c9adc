//! Backends, which execute reads and writes: Bigtable over gRPC, memory, or a wrapper around one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};

use crate::data::check;
use crate::data::{
    CheckAndMutateRow, EntryBatch, EntrySize, FamilyChange, ReadModifyWriteRow, ReadRows, Row,
    RowBatch, RowDeletion, RowKeySample, RowKeySchema, RowMutations, RowOnce, TableSchema,
};
use crate::sql::{SqlParameters, SqlPlan, SqlQuery, SqlRows, SqlType};
use crate::{Code, ReadCounts, Status, Timestamp};

/// The rows of a read. Dropping it cancels the read; it borrows nothing from the backend.
pub type RowStream = BoxStream<'static, Result<Row, Status>>;

/// The rows of a read, some at a time: no batch is empty. Dropping it cancels the read; it borrows
/// nothing from the backend.
pub type BatchStream = BoxStream<'static, Result<RowBatch, Status>>;

/// The outcome of one entry of a bulk write.
pub type EntryOutcome = Result<(), Status>;

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
/// - `read_rows` delivers each row once, complete as far as the filter lets it through, in
///   ascending order of the keys' bytes (descending when `reversed`), and only rows with a cell
///   left. It is lazy: it holds a bounded number of rows, and dropping the stream ends the read.
///   After an error the stream ends.
/// - `mutate_rows` returns one outcome for each entry, in the order of the entries, or an error for
///   the call as a whole. Entries for one row in one call may be applied in any order.
/// - If `check_entry` accepts an entry, only the table can make `mutate_rows` refuse it, not the
///   entry itself: so one entry does not fail others.
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
    /// garbage-collection rule of the model: by default, that of the client's clock. A wrapper asks
    /// the inner backend; [`expiry`](crate::expiry) has one with an earlier time.
    fn expiry_time(&self) -> Timestamp {
        Timestamp::now()
    }

    /// The name in the instance of the table that this backend calls `table`: by default, the same.
    /// Page tokens are bound to it. A wrapper asks the inner backend;
    /// [`NamedTables`](crate::table_names::NamedTables) gives tables other names.
    fn stored_table(&self, table: &str) -> String {
        table.to_owned()
    }

    /// Reads rows; errors come through the stream.
    fn read_rows(&self, request: ReadRows) -> RowStream;

    /// Reads rows like [`read_rows`](Self::read_rows), and counts the rows and cells that it reads
    /// while the stream is polled. By default it returns no counts.
    fn read_rows_counted(&self, request: ReadRows) -> (RowStream, Option<Arc<ReadCounts>>) {
        (self.read_rows(request), None)
    }

    /// Reads rows like [`read_rows`](Self::read_rows), several at a time. Queries use it: a row
    /// then needs neither a poll nor an allocation of its own. Rows before an error are delivered
    /// first. No batch is empty.
    ///
    /// By default each batch is one row of [`read_rows`](Self::read_rows). A wrapper that does not
    /// change reads asks the inner backend.
    fn read_batches(&self, request: ReadRows) -> BatchStream {
        one_by_one(self.read_rows(request))
    }

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

    /// Applies the mutations of many rows, like [`mutate_rows`](Self::mutate_rows), except those
    /// whose idempotency token is known: they were already applied, which is a success.
    ///
    /// By default, for backends that keep no tokens, it answers `UNIMPLEMENTED` if there is a
    /// token. A wrapper asks the inner backend.
    fn mutate_rows_once<'a>(
        &'a self,
        table: &'a str,
        rows: Vec<RowOnce>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Box::pin(async move {
            if rows.iter().any(|one| one.idempotency.is_some()) {
                return Err(without_tokens());
            }
            let rows = rows.into_iter().map(|one| one.row);
            self.mutate_rows(table, rows.collect()).await
        })
    }

    /// Applies entries that are encoded already, like [`mutate_rows`](Self::mutate_rows). Bulk
    /// writes of events use it if the backend [takes](Self::takes_entry) such entries: over gRPC an
    /// entry then needs no memory of its own.
    ///
    /// By default they become rows for [`mutate_rows`](Self::mutate_rows). A wrapper that does not
    /// change writes asks the inner backend.
    fn mutate_batch<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Box::pin(async move { self.mutate_rows(table, entries.to_rows()?).await })
    }

    /// Whether [`mutate_rows_once`](Self::mutate_rows_once) applies a write once, even if it is
    /// sent several times with its token. A backend does not unless it says so. A wrapper asks the
    /// inner backend.
    fn keeps_tokens(&self) -> bool {
        false
    }

    /// Checks one entry of a bulk write, without calling a server, and returns its size on the
    /// wire in bytes ([`RowMutations::wire_bytes`]). `mutate_rows` may refuse all entries of a call
    /// if one of them is invalid, so code that sends entries of several callers or events together
    /// checks each first. A wrapper asks the inner backend.
    ///
    /// By default it refuses entries that Bigtable refuses for every table.
    fn check_entry(&self, row: &RowMutations) -> Result<usize, Status> {
        check::entry(row).map(|()| row.wire_bytes())
    }

    /// Whether an entry of this size may come encoded, for [`mutate_batch`](Self::mutate_batch),
    /// without a look by [`check_entry`](Self::check_entry). Before the first of a bulk write,
    /// `check_entry` is asked about a row with the families of the model, which is not written. By
    /// default none may: bulk writes of events come as rows, and so they should where `check_entry`
    /// looks at more than sizes and families.
    fn takes_entry(&self, size: &EntrySize) -> bool {
        let _ = size;
        false
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

    /// Creates a table, split at `splits` if the backend has tablets; `ALREADY_EXISTS` if it
    /// exists.
    fn create_table(
        &self,
        schema: TableSchema,
        splits: Vec<bytes::Bytes>,
    ) -> BoxFuture<'_, Result<(), Status>>;

    /// A table's families and its row key schema; `NOT_FOUND` if it does not exist.
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

    /// Sets the row key schema with which SQL decodes a table's keys, or removes it with `None`. In
    /// Bigtable a schema can be added or removed, but not changed.
    ///
    /// By default, for backends without SQL, it answers `UNIMPLEMENTED`. A wrapper asks the inner
    /// backend.
    fn set_row_key_schema<'a>(
        &'a self,
        table: &'a str,
        schema: Option<RowKeySchema>,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let _ = (table, schema);
        Box::pin(async { Err(without_row_key_schemas()) })
    }

    /// Deletes a range of rows.
    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>>;

    /// Prepares a query in GoogleSQL with parameters of these types.
    /// To run a query, use [`db.sql(..)`](crate::SqlExt::sql); this is for programs that run one
    /// query many times.
    ///
    /// By default, for backends without SQL, it answers `UNIMPLEMENTED`. A wrapper asks the inner
    /// backend.
    fn prepare_sql<'a>(
        &'a self,
        sql: &'a str,
        parameters: BTreeMap<String, SqlType>,
    ) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        let _ = (sql, parameters);
        Box::pin(async { Err(without_sql()) })
    }

    /// Prepares a query whose table is known, like [`prepare_sql`](Self::prepare_sql). A wrapper
    /// asks the inner backend.
    fn prepare_query<'a>(&'a self, query: &'a SqlQuery) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        Box::pin(async move {
            let types = query.parameters().types();
            self.prepare_sql(&query.to_string(), types).await
        })
    }

    /// Executes a plan that this backend has prepared, with a value for each of its parameters.
    /// Each row is delivered once; the order is that of the query.
    ///
    /// Like [`prepare_sql`](Self::prepare_sql), it answers `UNIMPLEMENTED` by default.
    fn execute_sql(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        let _ = (plan, parameters);
        SqlRows::failed(without_sql())
    }
}

/// Each row as a batch of its own.
pub(crate) fn one_by_one(rows: RowStream) -> BatchStream {
    rows.map_ok(RowBatch::from).boxed()
}

/// Also of a table that is to be created with one.
pub(crate) fn without_row_key_schemas() -> Status {
    Status::new(
        Code::Unimplemented,
        "this backend keeps no row key schemas, since it runs no SQL: only Bigtable itself does, over gRPC",
    )
}

fn without_tokens() -> Status {
    Status::new(
        Code::Unimplemented,
        "this backend keeps no idempotency tokens, so that a write which is sent again would be applied again: send it without a token, once",
    )
}

fn without_sql() -> Status {
    Status::new(
        Code::Unimplemented,
        "this backend runs no SQL: only Bigtable itself does, over gRPC; read with `read_rows` instead",
    )
}
