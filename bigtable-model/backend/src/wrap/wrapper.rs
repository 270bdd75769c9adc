//! Custom wrappers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::data::{
    CheckAndMutateRow, FamilyChange, ReadModifyWriteRow, ReadRows, Row, RowDeletion, RowKeySample,
    RowKeySchema, RowMutations, RowOnce, TableSchema,
};
use crate::sql::{SqlParameters, SqlPlan, SqlQuery, SqlRows, SqlType};
use crate::{Backend, EntryOutcome, ReadCounts, RowStream, Status, Timestamp};

/// A [`Backend`] that forwards to another, except for the methods that it implements.
///
/// It says which backend is inside and implements the methods that differ; each of the others calls
/// the same method of [`inner`](Wrapper::inner). Clones must share its state, since queries read
/// through a clone, the [`handle`](Backend::handle). A wrapper is used as a `Backend`, and this
/// trait need not be in scope. If both traits are in scope, call methods through a
/// [`handle`](Backend::handle), since both traits have them.
///
/// A wrapper that changes writes must implement all five: [`mutate_row`](Wrapper::mutate_row),
/// [`mutate_rows`](Wrapper::mutate_rows), [`mutate_rows_once`](Wrapper::mutate_rows_once),
/// [`check_and_mutate_row`](Wrapper::check_and_mutate_row) and
/// [`read_modify_write_row`](Wrapper::read_modify_write_row).
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use bigtable_backend::data::{FamilySchema, ReadRows, TableSchema};
/// use bigtable_backend::{Backend, MemoryBackend, RowStream, Wrapper};
/// use futures::TryStreamExt;
///
/// /// Counts reads.
/// #[derive(Debug, Clone)]
/// struct CountedReads {
///     inner: Arc<dyn Backend>,
///     reads: Arc<AtomicU64>,
/// }
///
/// impl Wrapper for CountedReads {
///     fn inner(&self) -> &dyn Backend {
///         &*self.inner
///     }
///
///     fn read_rows(&self, request: ReadRows) -> RowStream {
///         self.reads.fetch_add(1, Ordering::Relaxed);
///         self.inner.read_rows(request)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_backend::Status> {
/// let counted = CountedReads { inner: MemoryBackend::new().handle(), reads: Arc::default() };
/// let db = counted.handle(); // a backend as others are
/// let families = [("m".to_owned(), FamilySchema::default())].into();
/// db.create_table(TableSchema { table: "SENSOR".to_owned(), families, ..TableSchema::default() }, Vec::new()).await?;
/// let request = ReadRows { table: "SENSOR".to_owned(), ..ReadRows::default() };
/// let rows: Vec<_> = db.read_rows(request).try_collect().await?;
/// assert_eq!(rows.len(), 0);
/// assert_eq!(counted.reads.load(Ordering::Relaxed), 1);
/// # Ok(())
/// # }
/// ```
pub trait Wrapper: fmt::Debug + Clone + Send + Sync + 'static {
    /// The backend inside.
    fn inner(&self) -> &dyn Backend;

    /// See [`Backend::expiry_time`].
    fn expiry_time(&self) -> Timestamp {
        self.inner().expiry_time()
    }

    /// See [`Backend::read_rows`].
    fn read_rows(&self, request: ReadRows) -> RowStream {
        self.inner().read_rows(request)
    }

    /// See [`Backend::read_rows_counted`]. By default it reads with this wrapper's
    /// [`read_rows`](Wrapper::read_rows) and counts nothing. A wrapper that does not change reads
    /// calls `self.inner().read_rows_counted(request)` to keep the counts.
    fn read_rows_counted(&self, request: ReadRows) -> (RowStream, Option<Arc<ReadCounts>>) {
        (Wrapper::read_rows(self, request), None)
    }

    /// See [`Backend::mutate_row`].
    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        self.inner().mutate_row(table, row)
    }

    /// See [`Backend::mutate_rows`].
    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        rows: Vec<RowMutations>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        self.inner().mutate_rows(table, rows)
    }

    /// See [`Backend::mutate_rows_once`].
    fn mutate_rows_once<'a>(
        &'a self,
        table: &'a str,
        rows: Vec<RowOnce>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        self.inner().mutate_rows_once(table, rows)
    }

    /// See [`Backend::keeps_tokens`].
    fn keeps_tokens(&self) -> bool {
        self.inner().keeps_tokens()
    }

    /// See [`Backend::check_entry`].
    ///
    /// # Errors
    /// Why the entry is refused.
    fn check_entry(&self, row: &RowMutations) -> Result<usize, Status> {
        self.inner().check_entry(row)
    }

    /// See [`Backend::check_and_mutate_row`].
    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        self.inner().check_and_mutate_row(request)
    }

    /// See [`Backend::read_modify_write_row`].
    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>> {
        self.inner().read_modify_write_row(request)
    }

    /// See [`Backend::sample_row_keys`].
    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        self.inner().sample_row_keys(table)
    }

    /// See [`Backend::create_table`].
    fn create_table(
        &self,
        schema: TableSchema,
        splits: Vec<bytes::Bytes>,
    ) -> BoxFuture<'_, Result<(), Status>> {
        self.inner().create_table(schema, splits)
    }

    /// See [`Backend::get_table`].
    fn get_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        self.inner().get_table(table)
    }

    /// See [`Backend::list_tables`].
    fn list_tables(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        self.inner().list_tables()
    }

    /// See [`Backend::delete_table`].
    fn delete_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        self.inner().delete_table(table)
    }

    /// See [`Backend::modify_families`].
    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        self.inner().modify_families(table, changes)
    }

    /// See [`Backend::set_row_key_schema`].
    fn set_row_key_schema<'a>(
        &'a self,
        table: &'a str,
        schema: Option<RowKeySchema>,
    ) -> BoxFuture<'a, Result<(), Status>> {
        self.inner().set_row_key_schema(table, schema)
    }

    /// See [`Backend::prepare_sql`].
    fn prepare_sql<'a>(
        &'a self,
        sql: &'a str,
        parameters: BTreeMap<String, SqlType>,
    ) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        self.inner().prepare_sql(sql, parameters)
    }

    /// See [`Backend::prepare_query`].
    fn prepare_query<'a>(&'a self, query: &'a SqlQuery) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        self.inner().prepare_query(query)
    }

    /// See [`Backend::execute_sql`].
    fn execute_sql(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        self.inner().execute_sql(plan, parameters)
    }

    /// See [`Backend::drop_rows`].
    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>> {
        self.inner().drop_rows(table, rows)
    }
}

impl<W: Wrapper> Backend for W {
    fn handle(&self) -> Arc<dyn Backend> {
        Arc::new(self.clone())
    }

    fn expiry_time(&self) -> Timestamp {
        Wrapper::expiry_time(self)
    }

    fn read_rows(&self, request: ReadRows) -> RowStream {
        Wrapper::read_rows(self, request)
    }

    fn read_rows_counted(&self, request: ReadRows) -> (RowStream, Option<Arc<ReadCounts>>) {
        Wrapper::read_rows_counted(self, request)
    }

    fn keeps_tokens(&self) -> bool {
        Wrapper::keeps_tokens(self)
    }

    fn check_entry(&self, row: &RowMutations) -> Result<usize, Status> {
        Wrapper::check_entry(self, row)
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Wrapper::mutate_row(self, table, row)
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        rows: Vec<RowMutations>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Wrapper::mutate_rows(self, table, rows)
    }

    fn mutate_rows_once<'a>(
        &'a self,
        table: &'a str,
        rows: Vec<RowOnce>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Wrapper::mutate_rows_once(self, table, rows)
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        Wrapper::check_and_mutate_row(self, request)
    }

    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>> {
        Wrapper::read_modify_write_row(self, request)
    }

    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        Wrapper::sample_row_keys(self, table)
    }

    fn create_table(
        &self,
        schema: TableSchema,
        splits: Vec<bytes::Bytes>,
    ) -> BoxFuture<'_, Result<(), Status>> {
        Wrapper::create_table(self, schema, splits)
    }

    fn get_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        Wrapper::get_table(self, table)
    }

    fn list_tables(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        Wrapper::list_tables(self)
    }

    fn delete_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        Wrapper::delete_table(self, table)
    }

    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        Wrapper::modify_families(self, table, changes)
    }

    fn set_row_key_schema<'a>(
        &'a self,
        table: &'a str,
        schema: Option<RowKeySchema>,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Wrapper::set_row_key_schema(self, table, schema)
    }

    fn prepare_sql<'a>(
        &'a self,
        sql: &'a str,
        parameters: BTreeMap<String, SqlType>,
    ) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        Wrapper::prepare_sql(self, sql, parameters)
    }

    fn prepare_query<'a>(&'a self, query: &'a SqlQuery) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        Wrapper::prepare_query(self, query)
    }

    fn execute_sql(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        Wrapper::execute_sql(self, plan, parameters)
    }

    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Wrapper::drop_rows(self, table, rows)
    }
}
