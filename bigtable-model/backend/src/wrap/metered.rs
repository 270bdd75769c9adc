//! A backend that counts the calls to another (feature `metrics`).

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, Stream, StreamExt};
use metrics::Unit;
use tokio::time::Instant;

use crate::Method;
use crate::backend::labels::Labels;
use crate::data::{
    CheckAndMutateRow, EntryBatch, FamilyChange, ReadModifyWriteRow, ReadRows, Row, RowBatch,
    RowDeletion, RowKeySample, RowKeySchema, RowMutations, SchemaBundle, TableSchema,
};
use crate::sql::{SqlParameters, SqlPlan, SqlQuery, SqlRows};
use crate::{Backend, Code, EntryOutcome, RowBatches, SqlService, Status, Tables, Wrapper};

const DURATION: &str = "bigtable_backend_operation_duration_seconds";
const ROWS: &str = "bigtable_backend_rows_total";

/// Counts and times calls to a backend, through the [`metrics`](https://docs.rs/metrics) facade:
/// for the memory backend, for wrappers, and for all database calls of a program. The gRPC backend
/// has its own metrics, which include attempts and retries.
///
/// | name | kind | unit | what |
/// |---|---|---|---|
/// | `bigtable_backend_operation_duration_seconds` | histogram | seconds | a call, or a read from its first poll to its end |
/// | `bigtable_backend_rows_total` | counter | rows | rows returned by reads (`OK`), and rows of writes, by the outcome of each |
///
/// | label | value |
/// |---|---|
/// | `backend` | the name given to [`new`](Self::new) |
/// | `method` | the RPC method, such as `ReadRows` |
/// | `table` | the table's ID; empty for `ListTables` and for SQL |
/// | `status` | the gRPC status code; `CANCELLED` for a call dropped before its end |
///
/// ```
/// use std::sync::Arc;
/// use bigtable_backend::metered::MeteredBackend;
/// use bigtable_backend::{Backend, MemoryBackend};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_backend::Status> {
/// let db: Arc<dyn Backend> = Arc::new(MeteredBackend::new(Arc::new(MemoryBackend::new()), "cache"));
/// assert!(db.tables().list().await?.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct MeteredBackend {
    inner: Arc<dyn Backend>,
    name: Arc<str>,
}

impl MeteredBackend {
    /// Counts the calls of `inner` under a name.
    #[must_use]
    pub fn new(inner: Arc<dyn Backend>, name: &str) -> Self {
        metrics::describe_histogram!(DURATION, Unit::Seconds, "A call of a backend.");
        metrics::describe_counter!(
            ROWS,
            Unit::Count,
            "Rows that were read or were to be written."
        );
        Self {
            inner,
            name: name.into(),
        }
    }

    fn begin(&self, method: Method, table: &str) -> Running {
        Running {
            labels: Labels::new(method.name(), table, ("backend", Arc::clone(&self.name))),
            begun: Instant::now(),
            ended: false,
        }
    }

    /// One call with one answer.
    async fn call<T>(
        &self,
        method: Method,
        table: &str,
        answer: impl Future<Output = Result<T, Status>>,
    ) -> Result<T, Status> {
        let mut running = self.begin(method, table);
        let answer = answer.await;
        running.ended(code(&answer));
        answer
    }

    /// One bulk write of `count` rows.
    async fn write_rows(
        &self,
        table: &str,
        asked: usize,
        answer: impl Future<Output = Result<Vec<EntryOutcome>, Status>>,
    ) -> Result<Vec<EntryOutcome>, Status> {
        let mut running = self.begin(Method::MutateRows, table);
        let answer = answer.await;
        match &answer {
            Ok(outcomes) => outcomes.iter().for_each(|one| running.rows(code(one), 1)),
            Err(status) => running.rows(status.code, asked as u64),
        }
        running.ended(code(&answer));
        answer
    }

    /// One call that writes one row.
    async fn write<T>(
        &self,
        method: Method,
        table: &str,
        answer: impl Future<Output = Result<T, Status>>,
    ) -> Result<T, Status> {
        let mut running = self.begin(method, table);
        let answer = answer.await;
        running.rows(code(&answer), 1);
        running.ended(code(&answer));
        answer
    }
}

fn code<T>(answer: &Result<T, Status>) -> Code {
    answer.as_ref().err().map_or(Code::Ok, |status| status.code)
}

/// A call in flight. If it is dropped before its end, its caller gave it up.
struct Running {
    labels: Labels,
    begun: Instant,
    ended: bool,
}

impl Running {
    fn rows(&self, status: Code, count: u64) {
        metrics::counter!(ROWS, self.labels.with(status)).increment(count);
    }

    fn ended(&mut self, status: Code) {
        if !std::mem::replace(&mut self.ended, true) {
            let labels = self.labels.with(status);
            metrics::histogram!(DURATION, labels).record(self.begun.elapsed());
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.ended(Code::Cancelled);
    }
}

/// What a read or a query delivers, whose rows are counted when it ends or is dropped.
struct Counted<R> {
    items: BoxStream<'static, Result<R, Status>>,
    running: Running,
    count: u64,
    /// How many rows an item has.
    rows_in: fn(&R) -> usize,
}

impl<R> Stream for Counted<R> {
    type Item = Result<R, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.items.poll_next_unpin(cx));
        match &next {
            Some(Ok(item)) => {
                let rows = (self.rows_in)(item);
                self.count += rows as u64;
            }
            Some(Err(status)) => self.running.ended(status.code),
            None => self.running.ended(Code::Ok),
        }
        Poll::Ready(next)
    }
}

impl<R> Drop for Counted<R> {
    fn drop(&mut self) {
        if self.count > 0 {
            self.running.rows(Code::Ok, self.count);
        }
    }
}

impl Wrapper for MeteredBackend {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    /// A stream that is never polled has not begun.
    fn read_rows(&self, request: ReadRows) -> RowBatches {
        let (metered, table) = (self.clone(), request.table.clone());
        let counted = |batches: RowBatches| async move {
            Counted {
                running: metered.begin(Method::ReadRows, &table),
                items: batches.boxed(),
                count: 0,
                rows_in: RowBatch::len,
            }
        };
        let batches = self.inner.read_rows(request);
        batches.through(|batches| futures::stream::once(counted(batches)).flatten())
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(self.write(Method::MutateRow, table, self.inner.mutate_row(table, row)))
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        let asked = entries.len();
        Box::pin(self.write_rows(table, asked, self.inner.mutate_rows(table, entries)))
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        Box::pin(async move {
            let table = request.table.clone();
            let answer = self.inner.check_and_mutate_row(request);
            self.write(Method::CheckAndMutateRow, &table, answer).await
        })
    }

    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>> {
        Box::pin(async move {
            let table = request.table.clone();
            let answer = self.inner.read_modify_write_row(request);
            self.write(Method::ReadModifyWriteRow, &table, answer).await
        })
    }

    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        Box::pin(self.call(
            Method::SampleRowKeys,
            table,
            self.inner.sample_row_keys(table),
        ))
    }

    fn tables(&self) -> &dyn Tables {
        self
    }

    fn sql_service(&self) -> &dyn SqlService {
        self
    }
}

impl Tables for MeteredBackend {
    fn create(&self, schema: TableSchema, splits: Vec<Bytes>) -> BoxFuture<'_, Result<(), Status>> {
        Box::pin(async move {
            let table = schema.table.clone();
            let answer = self.inner.tables().create(schema, splits);
            self.call(Method::CreateTable, &table, answer).await
        })
    }

    fn get<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        Box::pin(self.call(Method::GetTable, table, self.inner.tables().get(table)))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        Box::pin(self.call(Method::ListTables, "", self.inner.tables().list()))
    }

    fn delete<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(self.call(
            Method::DeleteTable,
            table,
            self.inner.tables().delete(table),
        ))
    }

    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        let answer = self.inner.tables().modify_families(table, changes);
        Box::pin(self.call(Method::ModifyColumnFamilies, table, answer))
    }

    fn set_row_key_schema<'a>(
        &'a self,
        table: &'a str,
        schema: Option<RowKeySchema>,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let answer = self.inner.tables().set_row_key_schema(table, schema);
        Box::pin(self.call(Method::UpdateTable, table, answer))
    }

    fn set_schema_bundle<'a>(
        &'a self,
        table: &'a str,
        bundle: SchemaBundle,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let answer = self.inner.tables().set_schema_bundle(table, bundle);
        Box::pin(self.call(Method::CreateSchemaBundle, table, answer))
    }

    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(self.call(
            Method::DropRowRange,
            table,
            self.inner.tables().drop_rows(table, rows),
        ))
    }

    fn consistency_token<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<String, Status>> {
        let answer = self.inner.tables().consistency_token(table);
        Box::pin(self.call(Method::GenerateConsistencyToken, table, answer))
    }

    fn is_consistent<'a>(
        &'a self,
        table: &'a str,
        token: &'a str,
    ) -> BoxFuture<'a, Result<bool, Status>> {
        let answer = self.inner.tables().is_consistent(table, token);
        Box::pin(self.call(Method::CheckConsistency, table, answer))
    }
}

impl SqlService for MeteredBackend {
    fn prepare<'a>(&'a self, query: &'a SqlQuery) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        Box::pin(self.call(
            Method::PrepareQuery,
            "",
            self.inner.sql_service().prepare(query),
        ))
    }

    fn execute(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        let metered = self.clone();
        (self.inner.sql_service().execute(plan, parameters)).map_rows(|rows| {
            let rows = futures::stream::once(async move {
                Counted {
                    running: metered.begin(Method::ExecuteQuery, ""),
                    items: rows,
                    count: 0,
                    rows_in: |_| 1,
                }
            });
            rows.flatten()
        })
    }
}
