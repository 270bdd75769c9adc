//! What executes reads and writes: Bigtable over gRPC, memory, or a wrapper around one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::BoxStream;

use crate::data::check;
use crate::data::{
    CheckAndMutateRow, FamilyChange, ReadModifyWriteRow, ReadRows, Row, RowDeletion, RowKeySample,
    RowKeySchema, RowMutations, RowOnce, TableSchema,
};
use crate::sql::{SqlParameters, SqlPlan, SqlQuery, SqlRows, SqlType};
use crate::{Code, ReadCounts, Status, Timestamp};

/// The rows of a read. Dropping it cancels the read; it borrows nothing from the backend.
pub type RowStream = BoxStream<'static, Result<Row, Status>>;

/// The outcome of one entry of a bulk write.
pub type EntryOutcome = Result<(), Status>;

/// One Bigtable instance: its tables and their rows.
///
/// The trait is what an implementor needs and no more; `bigtable-model` puts typed operations on
/// top of it. It is dyn-safe: programs hold an `Arc<dyn Backend>`, as [`connect`](crate::connect)
/// returns it.
///
/// # Contract
///
/// - Requests are executed exactly as they are. What Bigtable refuses is refused with its status
///   code.
/// - A row is atomic: a read sees all mutations of an entry or none of them, an entry that fails
///   leaves no trace, and mutations of an entry are applied in their order.
/// - `read_rows` delivers each row once, complete as far as the filter lets it through, in
///   ascending order of the keys' bytes (descending when `reversed`), and only rows with a cell
///   left. It is lazy: no more than a bounded number of rows is held, and dropping the stream ends
///   the read. After an error the stream ends.
/// - `mutate_rows` gives one outcome per entry, in the order of the entries, or an error for the
///   call as a whole. Entries for one row in one call may be applied in any order.
/// - What `check_entry` lets through is not refused by `mutate_rows` for what the entry itself
///   says, only for what the table has: one entry then does not fail those beside it.
/// - A write whose future completed with success is seen by every read that starts afterwards.
/// - A backend is a handle: it is cheap to clone, and clones share all they have. `handle` gives
///   such a clone. A wrapper gives one of the wrapper, not of what it wraps, since queries do all
///   their reading through it.
/// - Futures may be dropped at any time; a write may then have been applied or not.
///
/// The same contract is tested by `bigtable_backend::testing::backend_suite` (feature `testing`),
/// which a backend of your own should pass too.
pub trait Backend: fmt::Debug + Send + Sync + 'static {
    /// A handle to the same instance that lives on its own, for reads that go on after the borrow
    /// has ended.
    fn handle(&self) -> Arc<dyn Backend>;

    /// The time at which typed reads and conditions judge whether a garbage-collection rule of the
    /// model deletes a cell that is still stored: that of the client's clock, unless a backend says
    /// otherwise. A wrapper asks what it wraps; [`expiry`](crate::expiry) has one that is behind.
    fn expiry_time(&self) -> Timestamp {
        Timestamp::now()
    }

    /// Reads rows; errors come through the stream.
    fn read_rows(&self, request: ReadRows) -> RowStream;

    /// Reads rows as [`read_rows`](Self::read_rows) does, and counts what it looks at while the
    /// stream is polled. A backend that does not count gives no counts; this is what it does unless
    /// it says otherwise.
    fn read_rows_counted(&self, request: ReadRows) -> (RowStream, Option<Arc<ReadCounts>>) {
        (self.read_rows(request), None)
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

    /// Applies the mutations of many rows as [`mutate_rows`](Self::mutate_rows) does, but for those
    /// whose idempotency token is known: a write with it was applied already, and that is a
    /// success.
    ///
    /// A backend that keeps no tokens answers `UNIMPLEMENTED` when there is one; this is what it
    /// does unless it says otherwise. A wrapper asks what it wraps.
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

    /// Whether [`mutate_rows_once`](Self::mutate_rows_once) applies a write once, however often it
    /// is sent with its token. A backend does not unless it says so. A wrapper asks what it wraps.
    fn keeps_tokens(&self) -> bool {
        false
    }

    /// Judges one entry of a bulk write, without asking a server. `mutate_rows` may refuse all
    /// entries of a call when one of them can't be written, so whoever joins entries of several
    /// callers or events asks this first. A wrapper asks what it wraps.
    ///
    /// By default it refuses what Bigtable refuses whatever the table has.
    fn check_entry(&self, row: &RowMutations) -> Result<(), Status> {
        check::entry(row)
    }

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

    /// Keys that divide the table into parts, ascending; the last one is empty and stands for the
    /// table's end.
    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>>;

    /// Creates a table, split at `splits` where the backend has tablets; `ALREADY_EXISTS` when
    /// there is one.
    fn create_table(
        &self,
        schema: TableSchema,
        splits: Vec<bytes::Bytes>,
    ) -> BoxFuture<'_, Result<(), Status>>;

    /// A table's families and its row key schema; `NOT_FOUND` when there is no such table.
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

    /// Gives a table the row key schema by which SQL takes its keys apart, or takes it away with
    /// none. Bigtable lets a schema be added or removed, and not changed.
    ///
    /// A backend without SQL answers `UNIMPLEMENTED`; this is what it does unless it says
    /// otherwise. A wrapper asks what it wraps.
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
    /// [`db.sql(..)`](crate::SqlExt::sql) is the way to run one; this is for programs that run one
    /// query many times.
    ///
    /// A backend without SQL answers `UNIMPLEMENTED`; this is what it does unless it says
    /// otherwise. A wrapper asks what it wraps.
    fn prepare_sql<'a>(
        &'a self,
        sql: &'a str,
        parameters: BTreeMap<String, SqlType>,
    ) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        let _ = (sql, parameters);
        Box::pin(async { Err(without_sql()) })
    }

    /// Prepares a query of which is known which table it names, as
    /// [`prepare_sql`](Self::prepare_sql) does one of which it is not. A wrapper asks what it
    /// wraps.
    fn prepare_query<'a>(&'a self, query: &'a SqlQuery) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        Box::pin(async move {
            let types = query.parameters().types();
            self.prepare_sql(&query.to_string(), types).await
        })
    }

    /// Executes a plan that this backend has prepared, with a value for each of its parameters.
    /// Each row is delivered once; the order is that of the query.
    ///
    /// As [`prepare_sql`](Self::prepare_sql), it answers `UNIMPLEMENTED` unless a backend says
    /// otherwise.
    fn execute_sql(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        let _ = (plan, parameters);
        SqlRows::failed(without_sql())
    }
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
