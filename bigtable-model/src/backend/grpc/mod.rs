//! Bigtable itself and Google's emulator, over gRPC.

mod assemble;
pub mod auth;
mod bulk;
mod client;
mod convert;
mod endpoint;
mod headers;
pub(crate) mod method;
pub(crate) mod names;
#[cfg(feature = "server")]
mod preflight;
mod rows;
#[cfg(feature = "server")]
#[doc(hidden)]
pub mod server;
mod service;
mod settings;
pub(crate) mod status;
mod transport;
#[doc(hidden)]
pub mod wire;

use std::sync::Arc;

use bytes::Bytes;
use futures::TryStreamExt;
use futures::future::BoxFuture;
use futures::stream::StreamExt;

pub use service::ServiceSettings;
pub use settings::{GrpcEndpoint, GrpcSettings};

use super::{Backend, ConnectError, EntryOutcome, RowStream};
use crate::Status;
use crate::data::{
    CheckAndMutateRow, FamilyChange, Mutation, ReadModifyWriteRow, ReadRows, Row, RowDeletion,
    RowKeySample, RowMutations, TableSchema,
};
#[cfg(all(test, feature = "server"))]
pub(crate) use assemble::RowAssembler;
use client::Client;
use rows::Rows;

/// An instance of Bigtable over gRPC. Clones share one connection.
///
/// Calls are made inside a Tokio runtime. The connection belongs to the runtime of the first call and is of no use
/// once that runtime has ended.
#[derive(Debug, Clone)]
pub struct GrpcBackend {
    client: Arc<Client>,
}

impl GrpcBackend {
    /// A backend that connects with its first call.
    ///
    /// # Errors
    ///
    /// [`ConnectError::InvalidEmulatorAddress`] and [`ConnectError::InvalidEndpoint`] for an address that can't be one or
    /// certificates that are none, [`ConnectError::Credentials`] for a file of credentials that is named and can't be
    /// read. Nothing is sent: credentials that are refused are met by the first call.
    pub fn new(settings: &GrpcSettings) -> Result<Self, ConnectError> {
        Ok(Self {
            client: Arc::new(Client::new(settings)?),
        })
    }
}

fn mutations(mutations: Vec<Mutation>) -> Vec<wire::Mutation> {
    mutations.into_iter().map(Into::into).collect()
}

fn schema(table: wire::Table) -> Result<TableSchema, Status> {
    let families = (table.column_families.into_iter())
        .map(|(name, family)| Ok((name, family.try_into()?)))
        .collect::<Result<_, Status>>()?;
    Ok(TableSchema {
        table: names::table_id(&table.name).to_owned(),
        families,
    })
}

impl Backend for GrpcBackend {
    fn handle(&self) -> Arc<dyn Backend> {
        Arc::new(self.clone())
    }

    fn read_rows(&self, request: ReadRows) -> RowStream {
        let message = wire::ReadRowsRequest {
            rows: (!request.rows.is_all()).then(|| request.rows.into()),
            filter: request.filter.map(Into::into),
            rows_limit: request.rows_limit,
            reversed: request.reversed,
            ..Default::default()
        };
        Rows::new(Arc::clone(&self.client), request.table, message).boxed()
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(async move {
            let mutations = mutations(row.mutations);
            self.client.mutate_row(table, row.key, mutations).await?;
            Ok(())
        })
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        rows: Vec<RowMutations>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Box::pin(async move {
            let entries: Vec<_> = rows.into_iter().map(Into::into).collect();
            bulk::mutate_rows(&self.client, table, entries).await
        })
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        Box::pin(async move {
            let message = wire::CheckAndMutateRowRequest {
                row_key: request.key,
                predicate_filter: request.predicate.map(Into::into),
                true_mutations: mutations(request.if_true),
                false_mutations: mutations(request.if_false),
                ..Default::default()
            };
            let answer = (self.client)
                .check_and_mutate_row(&request.table, message)
                .await?;
            Ok(answer.predicate_matched)
        })
    }

    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>> {
        Box::pin(async move {
            let rules = request.rules.into_iter().map(Into::into).collect();
            let answer = (self.client)
                .read_modify_write_row(&request.table, request.key, rules)
                .await?;
            answer.row.unwrap_or_default().try_into()
        })
    }

    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        Box::pin(async move {
            let samples = self.client.sample_row_keys(table).await?;
            samples
                .map_ok(|sample| RowKeySample {
                    key: sample.row_key,
                    offset_bytes: sample.offset_bytes,
                })
                .map_err(|error| status::from_tonic(&error))
                .try_collect()
                .await
        })
    }

    fn create_table(
        &self,
        schema: TableSchema,
        splits: Vec<Bytes>,
    ) -> BoxFuture<'_, Result<(), Status>> {
        Box::pin(async move {
            let families = schema.families.into_iter();
            let table = wire::Table {
                name: String::new(),
                column_families: families.map(|(name, one)| (name, one.into())).collect(),
            };
            self.client
                .create_table(schema.table, table, splits)
                .await?;
            Ok(())
        })
    }

    fn get_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        Box::pin(async move { schema(self.client.get_table(table).await?) })
    }

    fn list_tables(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        Box::pin(async move {
            let mut ids = Vec::new();
            let mut token = String::new();
            loop {
                let page = self.client.list_tables(token).await?;
                let names = page.tables.iter().map(|table| names::table_id(&table.name));
                ids.extend(names.map(str::to_owned));
                token = page.next_page_token;
                if token.is_empty() {
                    break;
                }
            }
            ids.sort_unstable();
            Ok(ids)
        })
    }

    fn delete_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(async move {
            self.client.delete_table(table).await?;
            Ok(())
        })
    }

    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        Box::pin(async move {
            let changes = changes.into_iter().map(Into::into).collect();
            schema(self.client.modify_column_families(table, changes).await?)
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
            self.client.drop_row_range(table, target).await?;
            Ok(())
        })
    }
}
