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

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::{StreamExt, TryStreamExt};

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

use super::{Backend, ConnectError, EntryOutcome, InvalidSetting, RowStream};
use crate::Status;
use crate::data::{
    CheckAndMutateRow, FamilyChange, Mutation, ReadModifyWriteRow, ReadRows, Row, RowDeletion,
    RowKeySample, RowKeySchema, RowMutations, RowOnce, TableSchema,
};
use crate::sql::{SqlParameters, SqlPlan, SqlRows, SqlType, UsedColumns};
use calls::client::Client;
use calls::query::Query;
use calls::rows::Rows;
use channel::in_flight::Pass;
#[cfg(all(test, feature = "server"))]
pub(crate) use protocol::assemble::RowAssembler;
use protocol::failure::Failure;
use protocol::method::Method;
use retry::operation::{Call, Operation, Retry};
use settings::options::Options;

/// An instance of Bigtable over gRPC. Clones share its connections.
///
/// Calls are made inside a Tokio runtime. The connections belong to the runtime of the first call
/// and are of no use once that runtime has ended.
///
/// # Failures
///
/// Every operation has a deadline. Until then, attempts that fail in a way that may pass are
/// followed by others, after a pause: reads go on where they broke off and deliver each row once;
/// of bulk writes, the entries go out again that failed; writes that are not
/// [idempotent](RowMutations::is_idempotent), conditional writes and read-modify-writes are sent
/// once. What is over Bigtable's limits is refused before it is sent. All numbers are
/// [settings](GrpcSettings), and some can be set [for some calls](GrpcBackend::with_options).
///
/// A query in SQL goes on from the last token that the server gave, and each of its rows is
/// delivered once. A plan that has expired is prepared again, as long as no token of the query has
/// come; what a server sends against the protocol is an error, and never followed by another
/// attempt.
///
/// The one exception to what is sent once is a call that HTTP/2 proves unprocessed: a stream that
/// is refused (`REFUSED_STREAM`), or that comes after the last one of a server's goodbye (`GOAWAY`
/// without an error), as servers say it now and then to every connection. It goes out once more,
/// unless there are [no retries](RetrySettings::enabled).
///
/// A call that is cancelled by the server at the end of its time, as servers do that count along,
/// has exceeded its deadline. Connections that come to nothing are not made as fast as possible:
/// after two of them there is a pause, which grows from 10 ms to 5 s, and calls fail meanwhile with
/// `UNAVAILABLE` and the reason.
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
/// | `bigtable_first_response_duration_seconds` | histogram | seconds | from the call of a read to the server's first message, failed attempts before it included |
/// | `bigtable_retries_total` | counter | attempts | those that were followed by another one |
/// | `bigtable_connectivity_errors_total` | counter | attempts | those that failed because the connection could not be made or broke |
///
/// | label | value |
/// |---|---|
/// | `method` | the RPC method, such as `ReadRows` |
/// | `table` | the table's ID; empty for `ListTables` and for SQL |
/// | `app_profile` | the app profile's ID; empty for the instance's default |
/// | `status` | how it ended, in gRPC's writing, such as `OK` or `UNAVAILABLE` |
///
/// What a caller gives up, by dropping the future or the stream before its end, ends with
/// `CANCELLED`.
#[derive(Debug, Clone)]
pub struct GrpcBackend {
    client: Arc<Client>,
    options: Arc<Options>,
}

impl GrpcBackend {
    /// A backend that connects with its first call.
    ///
    /// # Errors
    ///
    /// [`ConnectError::Setting`] for a setting that cannot work,
    /// [`ConnectError::InvalidEmulatorAddress`] and [`ConnectError::InvalidEndpoint`] for an
    /// invalid address or certificate, [`ConnectError::Credentials`] for a file of credentials that
    /// is named and can't be read, [`ConnectError::CryptoProviderMissing`] where default
    /// credentials have none to work with. Nothing is sent: credentials that are refused are met by
    /// the first call.
    pub fn new(settings: &GrpcSettings) -> Result<Self, ConnectError> {
        settings.check()?;
        Ok(Self {
            client: Arc::new(Client::new(settings)?),
            options: Arc::new(Options::new(settings)),
        })
    }

    /// The same backend with other options for the calls made through what is returned.
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
            client: Arc::clone(&self.client),
            options: Arc::new(self.options.with(options)),
        })
    }

    /// Opens all connections and has the server warm them (`PingAndWarm`), so that the first calls
    /// are as fast as later ones.
    ///
    /// # Errors
    ///
    /// The status of the first connection that failed. The backend can be used all the same.
    pub async fn warm(&self) -> Result<(), Status> {
        let _pass = self.client.gate().enter()?;
        self.client.transport().prime().await
    }

    /// Refuses all later calls, with `FAILED_PRECONDITION`, and waits for those under way to end:
    /// also those of clones. A read is under way from its first poll until its end or its drop.
    ///
    /// The refusal begins with the first poll of this future.
    pub async fn close(&self) {
        self.client.gate().close();
        self.client.gate().empty().await;
        self.client.transport().close();
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
        let pass = self.client.gate().enter()?;
        let timeout = self.options.timeout(timeout);
        let operation = Operation::begin(&self.options, method, table, retry, timeout);
        Ok((pass, operation))
    }

    /// A call that is made once.
    async fn once<T, F>(
        &self,
        method: Method,
        table: &str,
        timeout: Duration,
        attempt: impl FnMut(Call) -> F,
    ) -> Result<T, Status>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let timeout = Timeout {
            attempt: timeout,
            total: timeout,
        };
        let (_pass, operation) = self.begin(method, table, Retry::Never, timeout)?;
        operation.run(attempt).await
    }

    /// A call of the admin API that changes nothing.
    async fn admin_read<T, F>(
        &self,
        method: Method,
        table: &str,
        attempt: impl FnMut(Call) -> F,
    ) -> Result<T, Status>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let timeout = self.options.timeouts.admin_read;
        let (_pass, operation) = self.begin(method, table, Retry::Transient, timeout)?;
        operation.run(attempt).await
    }
}

fn mutations(mutations: Vec<Mutation>) -> Vec<wire::Mutation> {
    mutations.into_iter().map(Into::into).collect()
}

impl Backend for GrpcBackend {
    fn handle(&self) -> Arc<dyn Backend> {
        Arc::new(self.clone())
    }

    fn read_rows(&self, request: ReadRows) -> RowStream {
        if let Err(status) = self.options.limits.read_rows(&request) {
            return futures::stream::once(async { Err(status) }).boxed();
        }
        Rows::new(Arc::clone(&self.client), Arc::clone(&self.options), request).boxed()
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
        rows: Vec<RowMutations>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Box::pin(self.write_rows(table, rows))
    }

    /// Entries with a token are sent again where the answer was lost, whatever the settings say:
    /// the caller knows that the server keeps tokens.
    fn mutate_rows_once<'a>(
        &'a self,
        table: &'a str,
        rows: Vec<RowOnce>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Box::pin(self.write_rows_once(table, rows))
    }

    /// As [`GrpcSettings::repeat_adds`] tells.
    fn keeps_tokens(&self) -> bool {
        self.options.repeat_adds
    }

    fn check_entry(&self, row: &RowMutations) -> Result<(), Status> {
        self.options.limits.mutate_row(row)
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        Box::pin(async move {
            self.options.limits.check_and_mutate_row(&request)?;
            let table = request.table;
            let message = wire::CheckAndMutateRowRequest {
                row_key: request.key,
                predicate_filter: request.predicate.map(Into::into),
                true_mutations: mutations(request.if_true),
                false_mutations: mutations(request.if_false),
                ..Default::default()
            };
            let timeout = self.options.timeouts.check_and_mutate_row;
            let answer = self.once(Method::CHECK_AND_MUTATE_ROW, &table, timeout, |call| {
                let (message, table) = (message.clone(), &table);
                async move {
                    self.client
                        .check_and_mutate_row(&call, table, message)
                        .await
                }
            });
            Ok(answer.await?.predicate_matched)
        })
    }

    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>> {
        Box::pin(async move {
            self.options.limits.read_modify_write_row(&request)?;
            let (table, key) = (&request.table, &request.key);
            let rules: Vec<_> = request.rules.into_iter().map(Into::into).collect();
            let timeout = self.options.timeouts.read_modify_write_row;
            let answer = self.once(Method::READ_MODIFY_WRITE_ROW, table, timeout, |call| {
                let rules = rules.clone();
                async move {
                    (self.client)
                        .read_modify_write_row(&call, table, key.clone(), rules)
                        .await
                }
            });
            answer.await?.row.unwrap_or_default().try_into()
        })
    }

    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        Box::pin(async move {
            let (method, timeout) = (
                Method::SAMPLE_ROW_KEYS,
                self.options.timeouts.sample_row_keys,
            );
            let (_pass, operation) = self.begin(method, table, Retry::Transient, timeout)?;
            let attempt = |call: Call| async move {
                let samples = self.client.sample_row_keys(&call, table).await?;
                samples
                    .map_ok(|sample| RowKeySample {
                        key: sample.row_key,
                        offset_bytes: sample.offset_bytes,
                    })
                    .try_collect()
                    .await
            };
            operation.run(attempt).await
        })
    }

    fn create_table(
        &self,
        schema: TableSchema,
        splits: Vec<Bytes>,
    ) -> BoxFuture<'_, Result<(), Status>> {
        Box::pin(async move {
            let table = wire::Table {
                name: String::new(),
                ..schema.clone().into()
            };
            let (id, splits) = (&schema.table, &splits);
            let timeout = self.options.timeouts.admin_write;
            let created = self.once(Method::CREATE_TABLE, id, timeout, |call| {
                let (table, splits) = (table.clone(), splits.clone());
                async move {
                    self.client
                        .create_table(&call, id.clone(), table, splits)
                        .await
                }
            });
            created.await?;
            Ok(())
        })
    }

    fn get_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        Box::pin(async move {
            let attempt = |call: Call| async move { self.client.get_table(&call, table).await };
            (self.admin_read(Method::GET_TABLE, table, attempt).await?).try_into()
        })
    }

    fn list_tables(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        Box::pin(async move {
            let timeout = self.options.timeouts.admin_read;
            let (_pass, mut operation) =
                self.begin(Method::LIST_TABLES, "", Retry::Transient, timeout)?;
            let listed = calls::list::tables(&self.client, &mut operation).await;
            operation.ended(listed.as_ref().err());
            listed
        })
    }

    fn delete_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(async move {
            let timeout = self.options.timeouts.admin_write;
            let attempt = |call: Call| async move { self.client.delete_table(&call, table).await };
            self.once(Method::DELETE_TABLE, table, timeout, attempt)
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
            let changes: Vec<_> = changes.into_iter().map(Into::into).collect();
            let timeout = self.options.timeouts.admin_write;
            let changed = self.once(Method::MODIFY_COLUMN_FAMILIES, table, timeout, |call| {
                let changes = changes.clone();
                async move {
                    self.client
                        .modify_column_families(&call, table, changes)
                        .await
                }
            });
            changed.await?.try_into()
        })
    }

    fn set_row_key_schema<'a>(
        &'a self,
        table: &'a str,
        schema: Option<RowKeySchema>,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(async move {
            self.options.check_view(Method::UPDATE_TABLE)?;
            let _pass = self.client.gate().enter()?;
            calls::update::row_key_schema(&self.client, &self.options, table, schema).await
        })
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
            let timeout = self.options.timeouts.admin_write;
            let dropped = self.once(Method::DROP_ROW_RANGE, table, timeout, |call| {
                let target = target.clone();
                async move { self.client.drop_row_range(&call, table, target).await }
            });
            dropped.await?;
            Ok(())
        })
    }

    fn prepare_sql<'a>(
        &'a self,
        sql: &'a str,
        parameters: BTreeMap<String, SqlType>,
    ) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        Box::pin(async move {
            self.options.check_view(Method::PREPARE_QUERY)?;
            let request = calls::query::request(sql, &parameters);
            let prepared = calls::query::prepare(&self.client, &self.options, request).await?;
            Ok(SqlPlan::new(sql, parameters, prepared))
        })
    }

    fn execute_sql(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        let viewed = self.options.check_view(Method::EXECUTE_QUERY);
        if let Err(status) = viewed.and_then(|()| parameters.check_for(plan)) {
            return SqlRows::failed(status);
        }
        let columns = UsedColumns::default();
        let (client, options) = (Arc::clone(&self.client), Arc::clone(&self.options));
        let rows = Query::new(client, options, plan, parameters, columns.clone());
        SqlRows::following(columns, rows)
    }
}
