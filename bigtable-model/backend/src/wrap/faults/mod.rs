//! Fault injection: a backend that fails by rule, to test how a program handles failures.
//!
//! [`FaultyBackend`] wraps any backend. [`FaultRule`]s, plain data, say which calls fail and how;
//! other calls pass through.
//!
//! | fault | what the caller sees | what happened |
//! |---|---|---|
//! | [`Error`](Fault::Error) | the status | nothing: the backend was not asked |
//! | [`Latency`](Fault::Latency) | the answer, later | the call |
//! | [`CutRead`](Fault::CutRead) | some rows, then the status | the read, up to that point |
//! | [`FailEntry`](Fault::FailEntry) | the status for the entry | the entry was applied or not, as declared |
//! | [`LoseAnswer`](Fault::LoseAnswer) | the status | the call, whatever it answered |
//!
//! | method | is called by |
//! |---|---|
//! | `ReadRows` | all queries, `get`; deletes and updates that have to read first |
//! | `MutateRow` | single inserts, updates (`add_...` among them) and deletes |
//! | `MutateRows` | `insert_many`, `delete_many`, `delete_all`, jobs, additions to roll-ups |
//! | `CheckAndMutateRow` | whatever has a condition or a version |
//! | `ReadModifyWriteRow` | `increment`, `append` |
//!
//! # Order and counting
//!
//! Rules are checked in order, and each counts the calls that it matches. Latencies add up; the
//! first rule that makes a call fail ends the search, so a call fails once and later rules do not
//! count it. Rules for entries are checked after those for calls, for each entry in order; a bulk
//! write that fails as a whole has no failed entries.
//!
//! Whether [`When::Probability`] hits depends only on the seed, the rule's position and its count
//! of matches: the same calls in the same order have the same faults. Concurrent calls may come in
//! any order.
//!
//! # Cut reads and the wire
//!
//! A server sends a row as chunks, the last of which commits it, and a client delivers a row once
//! it is committed. A stream that is interrupted between rows delivers the committed rows and then
//! the error. If it is interrupted inside a row, the client drops the chunks of that row: the
//! caller sees the same, except that the row must exist. So with `inside_row` the next row is read
//! and dropped, and a read without a next row succeeds. In both cases, a client that resumes reads
//! asks for the rows after the last one delivered.
//!
//! ```
//! use std::sync::Arc;
//! use bigtable_backend::faults::{Fault, FaultRule, FaultyBackend, Method, When};
//! use bigtable_backend::data::{FamilySchema, Mutation, RowMutations, TableSchema};
//! use bigtable_backend::{Backend, Code, MemoryBackend, Status};
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let busy = Fault::Error(Status::new(Code::Unavailable, "the tablet is moving"));
//! let rule = FaultRule::new(busy).method(Method::MutateRow).prefix("ZXZZT#").when(When::First(2));
//! let db = FaultyBackend::new(Arc::new(MemoryBackend::new()), 7, vec![rule])?;
//!
//! let families = [("MD".to_owned(), FamilySchema::default())].into();
//! db.tables().create(TableSchema { table: "QUOTE".to_owned(), families, ..TableSchema::default() }, Vec::new()).await?;
//! let quote = RowMutations {
//!     key: "ZXZZT#1".into(),
//!     mutations: vec![Mutation::SetCell {
//!         family: "MD".into(),
//!         qualifier: "BID".into(),
//!         timestamp_micros: 1000,
//!         value: "600.55".into(),
//!     }],
//! };
//! let mut attempts = 1;
//! while let Err(status) = db.mutate_row("QUOTE", quote.clone()).await {
//!     assert_eq!(status.code, Code::Unavailable);
//!     attempts += 1;
//! }
//! assert_eq!(attempts, 3);
//! assert_eq!(db.injected().errors, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

mod rule;
mod state;
mod target;

use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt};

pub use crate::Method;
pub use rule::{Fault, FaultRule, FaultRuleError, KeyMatch, When};
pub use state::{Call, Injected, InjectedFault};

use crate::data::{
    CheckAndMutateRow, EntryBatch, FamilyChange, ReadModifyWriteRow, ReadRows, Row, RowDeletion,
    RowKeySample, RowKeySchema, RowMutations, SchemaBundle, TableSchema,
};
use crate::sql::{SqlParameters, SqlPlan, SqlQuery, SqlRow, SqlRows};
use crate::{Backend, EntryOutcome, RowBatches, SqlService, Status, Tables, Wrapper};
use state::{EntryHit, Failing, Hit, Shared};
use target::{Keys, Target};

/// A backend that forwards calls to another and makes some of them fail: see the [module](self).
///
/// Clones and handles share rules, counts and log.
#[derive(Debug, Clone)]
pub struct FaultyBackend {
    inner: Arc<dyn Backend>,
    shared: Arc<Shared>,
}

impl FaultyBackend {
    /// Wraps a backend with these rules; without rules it changes nothing.
    ///
    /// # Errors
    /// [`FaultRuleError`] if a rule could never apply, such as a cut of a write.
    pub fn new(
        inner: Arc<dyn Backend>,
        seed: u64,
        rules: Vec<FaultRule>,
    ) -> Result<Self, FaultRuleError> {
        let shared = Arc::new(Shared::new(seed, rules)?);
        Ok(Self { inner, shared })
    }

    /// The seed, to print with a failure.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.shared.seed()
    }

    /// The rules, as they were given.
    #[must_use]
    pub fn rules(&self) -> Vec<FaultRule> {
        self.shared.rules()
    }

    /// Turns the rules off, or on again. Calls made while they are off are logged, but no rule
    /// counts them.
    pub fn set_active(&self, active: bool) {
        self.shared.set_active(active);
    }

    /// How many faults were injected so far.
    #[must_use]
    pub fn injected(&self) -> Injected {
        self.shared.injected()
    }

    /// The last 10,000 calls in the order in which they began, each with its faults so far.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.shared.calls()
    }

    /// One call with one answer.
    async fn call<T>(
        &self,
        target: Target<'_>,
        answer: impl Future<Output = Result<T, Status>>,
    ) -> Result<T, Status> {
        let (call, hit) = self.begin(target).await;
        let Some(hit) = hit else {
            return answer.await;
        };
        if hit.failing == Failing::Unanswered {
            drop(answer.await);
        }
        self.shared.record(call, hit.rule, None);
        Err(hit.status)
    }

    /// Logs the call, waits as long as the rules say, and returns what is to happen.
    async fn begin(&self, target: Target<'_>) -> (u64, Option<Hit>) {
        let decision = self.shared.begin(target);
        if !decision.delay.is_zero() {
            tokio::time::sleep(decision.delay).await;
        }
        (decision.call, decision.hit)
    }

    async fn read(self, request: ReadRows) -> RowBatches {
        let target = Target {
            method: Method::ReadRows,
            table: Some(&request.table),
            keys: Keys::Rows(&request.rows),
        };
        let (call, hit) = self.begin(target).await;
        if hit.is_none() {
            return self.inner.read_rows(request);
        }
        let inner = Arc::clone(&self.inner);
        RowBatches::of_rows(self.cut(call, hit, || inner.read_rows(request).rows().boxed()))
    }

    async fn query(self, rows: Rows<SqlRow>) -> Rows<SqlRow> {
        let (call, hit) = self
            .begin(Target::without_table(Method::ExecuteQuery))
            .await;
        self.cut(call, hit, || rows)
    }

    /// The rows that a caller sees.
    fn cut<T: Send + 'static>(
        self,
        call: u64,
        hit: Option<Hit>,
        rows: impl FnOnce() -> Rows<T>,
    ) -> Rows<T> {
        let Some(hit) = hit else {
            return rows();
        };
        if let Failing::Cut {
            after_rows,
            inside_row,
        } = hit.failing
        {
            let cut = Cut {
                shared: self.shared,
                call,
                hit,
                inside_row,
            };
            return cut.stream(rows(), after_rows);
        }
        self.shared.record(call, hit.rule, None);
        stream::once(async { Err(hit.status) }).boxed()
    }

    /// A bulk write whose entries may fail: entries that must not be applied are not sent to the
    /// backend.
    async fn write_entries(
        &self,
        call: u64,
        table: &str,
        entries: &EntryBatch,
    ) -> Result<Vec<EntryOutcome>, Status> {
        let mut sent = EntryBatch::default();
        let mut hits = Vec::with_capacity(entries.len());
        for (index, once) in entries.to_rows_once()?.iter().enumerate() {
            let hit = self.shared.entry(table, &once.row.key);
            if let Some(hit) = &hit {
                self.shared.record(call, hit.rule, Some(index));
            }
            if hit.as_ref().is_none_or(|hit| hit.applied) {
                sent.push_once(once);
            }
            hits.push(hit);
        }
        // A request without entries would be refused, which must not happen if all entries are held
        // back.
        let answered = match sent.is_empty() && !hits.is_empty() {
            true => Vec::new(),
            false => self.inner.mutate_rows(table, sent.into()).await?,
        };
        Ok(outcomes(hits, answered))
    }
}

/// The end of a read that is cut.
struct Cut {
    shared: Arc<Shared>,
    call: u64,
    hit: Hit,
    inside_row: bool,
}

impl Cut {
    /// This many rows, then the status.
    fn stream<T: Send + 'static>(self, rows: Rows<T>, after_rows: u64) -> Rows<T> {
        stream::unfold(Some((self, rows, after_rows)), Self::next).boxed()
    }

    async fn next<T>(
        state: Option<CutState<T>>,
    ) -> Option<(Result<T, Status>, Option<CutState<T>>)> {
        let (cut, mut rows, left) = state?;
        if left > 0 || cut.inside_row {
            match rows.next().await? {
                Ok(row) if left > 0 => return Some((Ok(row), Some((cut, rows, left - 1)))),
                // The row exists, and is dropped.
                Ok(_) => {}
                Err(status) => return Some((Err(status), None)),
            }
        }
        cut.shared.record(cut.call, cut.hit.rule, None);
        Some((Err(cut.hit.status), None))
    }
}

/// A pending cut: the rows before it, and how many of them are left.
type CutState<T> = (Cut, Rows<T>, u64);

/// Rows of a read or of a query.
type Rows<T> = BoxStream<'static, Result<T, Status>>;

/// Merges the outcomes of the entries that were sent and of the failed ones in the order of the
/// request.
fn outcomes(hits: Vec<Option<EntryHit>>, answered: Vec<EntryOutcome>) -> Vec<EntryOutcome> {
    let mut answered = answered.into_iter();
    let outcome = |hit: Option<EntryHit>| match hit {
        None => answered.next(),
        Some(hit) => {
            if hit.applied {
                let _ = answered.next()?;
            }
            Some(Err(hit.status))
        }
    };
    // If a backend answers too few entries, that is passed on.
    hits.into_iter().map_while(outcome).collect()
}

impl Wrapper for FaultyBackend {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        RowBatches::new(stream::once(self.clone().read(request)).flatten())
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(async move {
            let key = row.key.clone();
            let target = Target::row(Method::MutateRow, table, &key);
            self.call(target, self.inner.mutate_row(table, row)).await
        })
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Box::pin(async move {
            let target = Target {
                method: Method::MutateRows,
                table: Some(table),
                keys: Keys::Entries(&entries),
            };
            let (call, hit) = self.begin(target).await;
            let Some(hit) = hit else {
                return self.write_entries(call, table, &entries).await;
            };
            if hit.failing == Failing::Unanswered {
                drop(self.inner.mutate_rows(table, entries).await);
            }
            self.shared.record(call, hit.rule, None);
            Err(hit.status)
        })
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        Box::pin(async move {
            let (table, key) = (request.table.clone(), request.key.clone());
            let target = Target::row(Method::CheckAndMutateRow, &table, &key);
            let answer = self.inner.check_and_mutate_row(request);
            self.call(target, answer).await
        })
    }

    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>> {
        Box::pin(async move {
            let (table, key) = (request.table.clone(), request.key.clone());
            let target = Target::row(Method::ReadModifyWriteRow, &table, &key);
            let answer = self.inner.read_modify_write_row(request);
            self.call(target, answer).await
        })
    }

    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        let target = Target::table(Method::SampleRowKeys, table);
        Box::pin(self.call(target, self.inner.sample_row_keys(table)))
    }

    fn tables(&self) -> &dyn Tables {
        self
    }

    fn sql_service(&self) -> &dyn SqlService {
        self
    }
}

impl Tables for FaultyBackend {
    fn create(&self, schema: TableSchema, splits: Vec<Bytes>) -> BoxFuture<'_, Result<(), Status>> {
        Box::pin(async move {
            let table = schema.table.clone();
            let target = Target::table(Method::CreateTable, &table);
            let answer = self.inner.tables().create(schema, splits);
            self.call(target, answer).await
        })
    }

    fn get<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        let target = Target::table(Method::GetTable, table);
        Box::pin(self.call(target, self.inner.tables().get(table)))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        let target = Target::without_table(Method::ListTables);
        Box::pin(self.call(target, self.inner.tables().list()))
    }

    fn delete<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        let target = Target::table(Method::DeleteTable, table);
        Box::pin(self.call(target, self.inner.tables().delete(table)))
    }

    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        let target = Target::table(Method::ModifyColumnFamilies, table);
        Box::pin(self.call(target, self.inner.tables().modify_families(table, changes)))
    }

    fn set_row_key_schema<'a>(
        &'a self,
        table: &'a str,
        schema: Option<RowKeySchema>,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let target = Target::table(Method::UpdateTable, table);
        Box::pin(self.call(
            target,
            self.inner.tables().set_row_key_schema(table, schema),
        ))
    }

    fn set_schema_bundle<'a>(
        &'a self,
        table: &'a str,
        bundle: SchemaBundle,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let target = Target::table(Method::CreateSchemaBundle, table);
        Box::pin(self.call(target, self.inner.tables().set_schema_bundle(table, bundle)))
    }

    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let target = Target::table(Method::DropRowRange, table);
        Box::pin(self.call(target, self.inner.tables().drop_rows(table, rows)))
    }

    fn consistency_token<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<String, Status>> {
        let target = Target::table(Method::GenerateConsistencyToken, table);
        Box::pin(self.call(target, self.inner.tables().consistency_token(table)))
    }

    fn is_consistent<'a>(
        &'a self,
        table: &'a str,
        token: &'a str,
    ) -> BoxFuture<'a, Result<bool, Status>> {
        let target = Target::table(Method::CheckConsistency, table);
        Box::pin(self.call(target, self.inner.tables().is_consistent(table, token)))
    }
}

impl SqlService for FaultyBackend {
    fn prepare<'a>(&'a self, query: &'a SqlQuery) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        let target = Target::without_table(Method::PrepareQuery);
        Box::pin(self.call(target, self.inner.sql_service().prepare(query)))
    }

    fn execute(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        let faulty = self.clone();
        (self.inner.sql_service().execute(plan, parameters))
            .map_rows(|rows| stream::once(faulty.query(rows)).flatten())
    }
}
