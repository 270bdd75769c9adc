//! Bigtable itself and Google's emulator, over gRPC.

mod calls;
mod channel;
mod observe;
mod once;
#[cfg(feature = "server")]
mod preflight;
pub(crate) mod protocol;
#[doc(hidden)]
pub mod raw;
mod retry;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod server;
mod settings;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;

pub use channel::auth;
#[doc(hidden)]
pub use protocol::wire;
pub use settings::flow::FlowControl;
pub use settings::limits::RequestLimits;
pub use settings::options::{CallOptions, SkippedRows};
pub use settings::pool::{Keepalive, PoolSettings, Resize};
pub use settings::service::ServiceSettings;
pub use settings::timing::{RetrySettings, Timeout, Timeouts};
pub use settings::{GrpcEndpoint, GrpcSettings};

use super::{
    Backend, Capabilities, ConnectError, EntryOutcome, InvalidSetting, RowBatches, SqlService,
    Tables,
};
use crate::Status;
use crate::data::{
    CheckAndMutateRow, EntryBatch, FamilyChange, Mutation, ReadModifyWriteRow, ReadRows, Row,
    RowDeletion, RowKeySample, RowKeySchema, RowMutations, SchemaBundle, TableSchema,
};
use crate::sql::{SqlParameters, SqlPlan, SqlQuery, SqlRows, UsedColumns};
use calls::query::Query;
use calls::rows::Batches;
use channel::in_flight::Pass;
use channel::instance::Instance;
#[cfg(all(test, feature = "server"))]
pub(crate) use protocol::assemble::RowAssembler;
use protocol::method::Method;
use protocol::request::{Request, Sent};
use retry::operation::{Call, Operation, Retry};
use settings::options::Options;

/// An instance of Bigtable over gRPC. Clones share its connections.
///
/// Calls need a Tokio runtime. The connections belong to the runtime of the first call, and cannot
/// be used once that runtime has ended.
///
/// # Failures
///
/// Every operation has a deadline. Until then, attempts with a transient failure are repeated after
/// a pause: reads resume where they were interrupted and deliver each row once; bulk writes resend
/// only the entries that failed; writes that are not [idempotent](RowMutations::is_idempotent),
/// conditional writes and read-modify-writes are sent once. Requests over Bigtable's limits are
/// refused before they are sent. All numbers are [settings](GrpcSettings), and some can be set [for
/// some calls](GrpcBackend::with_options).
///
/// A SQL query resumes from the server's last resume token, and each of its rows is delivered once.
/// An expired plan is prepared again, as long as no token of the query has come. Answers that break
/// the protocol are errors, and are never retried.
///
/// The one exception to writes that are sent once is a call that HTTP/2 proves unprocessed: a
/// refused stream (`REFUSED_STREAM`), or a stream after the last one that a `GOAWAY` without an
/// error names, which servers send to every connection from time to time. Such a call is sent once
/// more, unless there are [no retries](RetrySettings::enabled). A call that was not sent at all,
/// since its channel could not connect, goes to another channel; if none can, it is tried for a
/// minute.
///
/// A call that the server cancels when its timeout is over has exceeded its deadline. Failed
/// connections are not retried as fast as possible: after two of them there is a pause, which grows
/// from 10 ms to 5 s, and meanwhile calls fail with `UNAVAILABLE` and the reason.
///
/// # Spans
///
/// Under the target `bigtable_backend::grpc` each operation is a `tracing` span at the level
/// `DEBUG` with the fields `method`, `table`, `app_profile` and `status`, and inside it each
/// attempt one with `method`, `attempt` and `status`.
///
/// # Metrics
///
/// With the feature `metrics` the client counts through the [`metrics`](https://docs.rs/metrics)
/// facade, for whatever recorder the program installs:
///
/// | name | kind | unit | what |
/// |---|---|---|---|
/// | `bigtable_operation_duration_seconds` | histogram | seconds | an operation, all attempts and the pauses between them |
/// | `bigtable_attempt_duration_seconds` | histogram | seconds | one attempt |
/// | `bigtable_first_response_duration_seconds` | histogram | seconds | from the call of a read to the server's first message, including failed attempts before it |
/// | `bigtable_retries_total` | counter | attempts | those that were followed by another |
/// | `bigtable_connectivity_errors_total` | counter | attempts | those that failed because the connection could not be made or broke |
///
/// | label | value |
/// |---|---|
/// | `method` | the RPC method, such as `ReadRows` |
/// | `table` | the table's ID; empty for `ListTables` and for SQL |
/// | `app_profile` | the app profile's ID; empty for the instance's default |
/// | `status` | how it ended, as gRPC writes it, such as `OK` or `UNAVAILABLE` |
///
/// If a caller drops the future or the stream before its end, the status is `CANCELLED`.
#[derive(Debug, Clone)]
pub struct GrpcBackend {
    instance: Arc<Instance>,
    options: Arc<Options>,
}

impl GrpcBackend {
    /// A backend that connects with its first call.
    ///
    /// # Errors
    ///
    /// [`ConnectError::Setting`] for a setting that cannot work,
    /// [`ConnectError::InvalidEmulatorAddress`] and [`ConnectError::InvalidEndpoint`] for an
    /// invalid address or certificate, [`ConnectError::Credentials`] for a named credentials file
    /// that cannot be read, [`ConnectError::CryptoProviderMissing`] if default credentials have no
    /// crypto provider. Nothing is sent: the first call finds out whether the credentials are
    /// accepted.
    pub fn new(settings: &GrpcSettings) -> Result<Self, ConnectError> {
        settings.check()?;
        Ok(Self {
            instance: Arc::new(Instance::new(settings)?),
            options: Arc::new(Options::new(settings)),
        })
    }

    /// The same backend, with other options for calls made through the returned one.
    ///
    /// ```
    /// use std::time::Duration;
    /// use bigtable_backend::grpc::{CallOptions, GrpcBackend, GrpcSettings};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let db = GrpcBackend::new(&GrpcSettings::new("p", "i").emulator("localhost:8086"))?;
    /// let quick = CallOptions::new().deadline(Duration::from_millis(50)).without_retries();
    /// let quick = db.with_options(quick)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidSetting`] for an option that cannot work.
    pub fn with_options(&self, options: CallOptions) -> Result<Self, InvalidSetting> {
        options.check()?;
        Ok(Self {
            instance: Arc::clone(&self.instance),
            options: Arc::new(self.options.with(options)),
        })
    }

    /// Opens all connections and asks the server to warm them up (`PingAndWarm`), which makes the
    /// first calls as fast as later ones.
    ///
    /// # Errors
    ///
    /// The status of the first connection that failed. The backend can still be used.
    pub async fn warm(&self) -> Result<(), Status> {
        let _pass = self.instance.enter()?;
        self.instance.transport.prime().await
    }

    /// Refuses all later calls with `FAILED_PRECONDITION`, and waits for those in flight, including
    /// those of clones. A read is in flight from its first poll until it ends or is dropped.
    ///
    /// Calls are refused from the first poll of this future.
    pub async fn close(&self) {
        self.instance.gate.close();
        self.instance.gate.empty().await;
        self.instance.transport.close();
    }

    /// A call with one answer.
    async fn call<Q: Request>(
        &self,
        table: &str,
        retry: Retry,
        timeout: Timeout,
        request: Q,
    ) -> Result<Q::Answer, Status> {
        let (_pass, operation) = self.begin(Q::METHOD, table, retry, timeout)?;
        let sent = &Sent::new(&request)?;
        drop(request);
        let transport = &self.instance.transport;
        let attempt = |call: Call| async move { transport.unary(&call, sent).await };
        operation.run(attempt).await
    }

    /// A call that is made once.
    async fn once<Q: Request>(
        &self,
        table: &str,
        timeout: Duration,
        request: Q,
    ) -> Result<Q::Answer, Status> {
        let timeout = self.options.timeout(Timeout {
            attempt: timeout,
            total: timeout,
        });
        self.call(table, Retry::Never, timeout, request).await
    }

    /// Lets an operation begin.
    fn begin(
        &self,
        method: Method,
        table: &str,
        retry: Retry,
        timeout: Timeout,
    ) -> Result<(Pass, Operation), Status> {
        self.options.check_view(method)?;
        let pass = self.instance.enter()?;
        let operation = Operation::begin(&self.options, method, table, retry, timeout);
        Ok((pass, operation))
    }

    /// A read that begins at its first poll.
    fn read(&self, request: ReadRows) -> Result<Batches, Status> {
        self.options.limits.read_rows(&request)?;
        let (instance, options) = (Arc::clone(&self.instance), Arc::clone(&self.options));
        Ok(Batches::new(instance, options, request))
    }
}

fn mutations(mutations: Vec<Mutation>) -> Vec<wire::Mutation> {
    mutations.into_iter().map(Into::into).collect()
}

impl Backend for GrpcBackend {
    fn handle(&self) -> Arc<dyn Backend> {
        Arc::new(self.clone())
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        match self.read(request) {
            Ok(batches) => RowBatches::new(batches),
            Err(status) => RowBatches::failed(status),
        }
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(self.write_row(table, row))
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Box::pin(self.write_rows(table, entries))
    }

    /// Whether tokens are kept is set by [`GrpcSettings::repeat_adds`], and the limits by
    /// [`GrpcSettings::limits`].
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tokens: self.options.repeat_adds,
            limits: self.options.limits.of_entries(),
        }
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        Box::pin(async move {
            self.options.limits.check_and_mutate_row(&request)?;
            let target = self.instance.target(&request.table, &self.options);
            let message = wire::CheckAndMutateRowRequest {
                table_name: target.table,
                authorized_view_name: target.view,
                app_profile_id: target.app_profile,
                row_key: request.key,
                predicate_filter: request.predicate.map(Into::into),
                true_mutations: mutations(request.if_true),
                false_mutations: mutations(request.if_false),
            };
            let timeout = self.options.timeouts.check_and_mutate_row;
            let answer = self.once(&request.table, timeout, message).await?;
            Ok(answer.predicate_matched)
        })
    }

    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>> {
        Box::pin(async move {
            self.options.limits.read_modify_write_row(&request)?;
            let target = self.instance.target(&request.table, &self.options);
            let message = wire::ReadModifyWriteRowRequest {
                table_name: target.table,
                authorized_view_name: target.view,
                app_profile_id: target.app_profile,
                row_key: request.key.clone(),
                rules: request.rules.into_iter().map(Into::into).collect(),
            };
            let timeout = self.options.timeouts.read_modify_write_row;
            let answer = self.once(&request.table, timeout, message).await?;
            answer.row.unwrap_or_default().of(&request.key)?.try_into()
        })
    }

    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        Box::pin(async move {
            let timeout = self.options.timeout(self.options.timeouts.sample_row_keys);
            let retry = Retry::Transient;
            let (_pass, operation) = self.begin(Method::SAMPLE_ROW_KEYS, table, retry, timeout)?;
            calls::samples::row_keys(&self.instance, &self.options, table, operation).await
        })
    }

    fn tables(&self) -> &dyn Tables {
        self
    }

    fn sql_service(&self) -> &dyn SqlService {
        self
    }
}

impl Tables for GrpcBackend {
    fn create(&self, schema: TableSchema, splits: Vec<Bytes>) -> BoxFuture<'_, Result<(), Status>> {
        Box::pin(async move {
            let id = schema.table.clone();
            let message = wire::CreateTableRequest {
                parent: self.instance.name.as_str().to_owned(),
                table_id: id.clone(),
                table: Some(wire::Table {
                    name: String::new(),
                    ..schema.into()
                }),
                initial_splits: splits.into_iter().map(|key| wire::Split { key }).collect(),
            };
            self.once(&id, self.options.timeouts.admin_write, message)
                .await?;
            Ok(())
        })
    }

    fn get<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        Box::pin(async move {
            let message = wire::GetTableRequest {
                name: self.instance.name.table(table),
                view: wire::VIEW_SCHEMA,
            };
            let timeout = self.options.timeout(self.options.timeouts.admin_read);
            let found = self.call(table, Retry::Transient, timeout, message).await?;
            found.try_into()
        })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        Box::pin(async move {
            let timeout = self.options.timeout(self.options.timeouts.admin_read);
            let (_pass, mut operation) =
                self.begin(Method::LIST_TABLES, "", Retry::Transient, timeout)?;
            let listed = calls::list::tables(&self.instance, &mut operation).await;
            operation.ended(listed.as_ref().err());
            listed
        })
    }

    fn delete<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(async move {
            let name = self.instance.name.table(table);
            let message = wire::DeleteTableRequest { name };
            self.once(table, self.options.timeouts.admin_write, message)
                .await?;
            Ok(())
        })
    }

    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        Box::pin(async move {
            let message = wire::ModifyColumnFamiliesRequest {
                name: self.instance.name.table(table),
                modifications: changes.into_iter().map(Into::into).collect(),
            };
            let timeout = self.options.timeouts.admin_write;
            self.once(table, timeout, message).await?.try_into()
        })
    }

    fn set_row_key_schema<'a>(
        &'a self,
        table: &'a str,
        schema: Option<RowKeySchema>,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let changed = calls::update::row_key_schema(&self.instance, &self.options, table, schema);
        Box::pin(changed)
    }

    fn set_schema_bundle<'a>(
        &'a self,
        table: &'a str,
        bundle: SchemaBundle,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let set = calls::update::schema_bundle(&self.instance, &self.options, table, bundle);
        Box::pin(set)
    }

    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(async move {
            let target = match rows {
                RowDeletion::Prefix(prefix) => wire::DropTarget::RowKeyPrefix(prefix),
                RowDeletion::All => wire::DropTarget::DeleteAllDataFromTable(true),
            };
            let message = wire::DropRowRangeRequest {
                name: self.instance.name.table(table),
                target: Some(target),
            };
            self.once(table, self.options.timeouts.admin_write, message)
                .await?;
            Ok(())
        })
    }

    fn consistency_token<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<String, Status>> {
        Box::pin(async move {
            let name = self.instance.name.table(table);
            let message = wire::GenerateConsistencyTokenRequest { name };
            let timeout = self.options.timeout(self.options.timeouts.admin_read);
            let answer = self.call(table, Retry::Transient, timeout, message).await?;
            Ok(answer.consistency_token)
        })
    }

    fn is_consistent<'a>(
        &'a self,
        table: &'a str,
        token: &'a str,
    ) -> BoxFuture<'a, Result<bool, Status>> {
        Box::pin(async move {
            let message = wire::CheckConsistencyRequest {
                name: self.instance.name.table(table),
                consistency_token: token.to_owned(),
            };
            let timeout = self.options.timeout(self.options.timeouts.admin_read);
            let answer = self.call(table, Retry::Transient, timeout, message).await?;
            Ok(answer.consistent)
        })
    }
}

impl SqlService for GrpcBackend {
    fn prepare<'a>(&'a self, query: &'a SqlQuery) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        Box::pin(async move {
            self.options.check_view(Method::PREPARE_QUERY)?;
            let (instance, options) = (&self.instance, &self.options);
            let (sql, types) = (query.to_string(), query.parameters().types());
            let request = calls::query::request(instance, options, &sql, &types);
            let prepared = calls::query::prepare(instance, options, request).await?;
            Ok(SqlPlan::new(&sql, types, prepared))
        })
    }

    fn execute(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        let viewed = self.options.check_view(Method::EXECUTE_QUERY);
        if let Err(status) = viewed.and_then(|()| parameters.check_for(plan)) {
            return SqlRows::failed(status);
        }
        let columns = UsedColumns::default();
        let (instance, options) = (Arc::clone(&self.instance), Arc::clone(&self.options));
        let rows = Query::new(instance, options, plan, parameters, columns.clone());
        SqlRows::following(columns, rows)
    }
}
