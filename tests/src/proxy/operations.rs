//! The client operations of the proxy's calls.
//!
//! A status inside a result is what the client returned. An error of the call is a fault of the
//! proxy, or of the request to it.

use bigtable_model::Status as ClientStatus;
use bigtable_model::backend::grpc::raw::{RawClient, value_message};
use bigtable_model::backend::grpc::wire::{self, RpcStatus};
use bytes::Bytes;
use futures::TryStreamExt;
use tonic::Status;

use super::Proxy;
use super::messages as m;

impl Proxy {
    pub(super) async fn read_row(self, request: m::ReadRowRequest) -> Result<m::RowResult, Status> {
        let client = self.clients.get(&request.client_id)?;
        let read = wire::ReadRowsRequest {
            table_name: named(request.table_name)?,
            rows: Some(wire::RowSet {
                row_keys: vec![request.row_key],
                row_ranges: Vec::new(),
            }),
            filter: request.filter,
            rows_limit: 1,
            ..wire::ReadRowsRequest::default()
        };
        let result = client.raw.read_rows(read).try_next().await;
        Ok(m::RowResult {
            status: Some(status(&result)),
            row: result.ok().flatten(),
        })
    }

    pub(super) async fn read_rows(
        self,
        request: m::ReadRowsRequest,
    ) -> Result<m::RowsResult, Status> {
        let client = self.clients.get(&request.client_id)?;
        let enough = usize::try_from(request.cancel_after_rows).unwrap_or(0);
        let mut stream = client.raw.read_rows(given(request.request)?);
        let mut rows = Vec::new();
        let result = loop {
            match stream.try_next().await {
                Ok(Some(row)) => rows.push(row),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
            if rows.len() == enough {
                break Ok(());
            }
        };
        Ok(m::RowsResult {
            status: Some(status(&result)),
            rows,
        })
    }

    pub(super) async fn mutate_row(
        self,
        request: m::MutateRowRequest,
    ) -> Result<m::MutateRowResult, Status> {
        let client = self.clients.get(&request.client_id)?;
        let result = client.raw.mutate_row(given(request.request)?).await;
        Ok(m::MutateRowResult {
            status: Some(status(&result)),
        })
    }

    /// Its status is the first failure, or the call's own.
    pub(super) async fn bulk_mutate_rows(
        self,
        request: m::MutateRowsRequest,
    ) -> Result<m::MutateRowsResult, Status> {
        let client = self.clients.get(&request.client_id)?;
        let request = given(request.request)?;
        let entries = request.entries.len();
        let result = client.raw.mutate_rows(request).await;
        let outcomes = match &result {
            Ok(outcomes) => outcomes.clone(),
            Err(error) => vec![Err(error.clone()); entries],
        };
        let failed: Vec<_> = (0..)
            .zip(&outcomes)
            .filter(|(_, outcome)| outcome.is_err())
            .map(|(index, outcome)| wire::MutateRowsOutcome {
                index,
                status: Some(status(outcome)),
            })
            .collect();
        let first = failed.first().and_then(|entry| entry.status.clone());
        Ok(m::MutateRowsResult {
            status: Some(first.unwrap_or_else(|| status(&result))),
            entries: failed,
        })
    }

    pub(super) async fn check_and_mutate_row(
        self,
        request: m::CheckAndMutateRowRequest,
    ) -> Result<m::CheckAndMutateRowResult, Status> {
        let client = self.clients.get(&request.client_id)?;
        let result = client
            .raw
            .check_and_mutate_row(given(request.request)?)
            .await;
        Ok(m::CheckAndMutateRowResult {
            status: Some(status(&result)),
            result: result.ok(),
        })
    }

    pub(super) async fn sample_row_keys(
        self,
        request: m::SampleRowKeysRequest,
    ) -> Result<m::SampleRowKeysResult, Status> {
        let client = self.clients.get(&request.client_id)?;
        let result = client.raw.sample_row_keys(given(request.request)?).await;
        Ok(m::SampleRowKeysResult {
            status: Some(status(&result)),
            samples: result.unwrap_or_default(),
        })
    }

    pub(super) async fn read_modify_write_row(
        self,
        request: m::ReadModifyWriteRowRequest,
    ) -> Result<m::RowResult, Status> {
        let client = self.clients.get(&request.client_id)?;
        let result = client
            .raw
            .read_modify_write_row(given(request.request)?)
            .await;
        Ok(m::RowResult {
            status: Some(status(&result)),
            row: result.ok(),
        })
    }

    pub(super) async fn execute_query(
        self,
        request: m::ExecuteQueryRequest,
    ) -> Result<m::ExecuteQueryResult, Status> {
        let client = self.clients.get(&request.client_id)?;
        let result = query(&client.raw, given(request.request)?).await;
        let status = Some(status(&result));
        let (rows, metadata) = result.unwrap_or_default();
        Ok(m::ExecuteQueryResult {
            status,
            rows,
            metadata,
        })
    }
}

/// The rows of a query, and the columns of the last plan.
async fn query(
    raw: &RawClient,
    request: wire::ExecuteQueryRequest,
) -> Result<(Vec<m::SqlRow>, Option<Bytes>), ClientStatus> {
    let mut stream = raw.execute_query(request).await?;
    let mut rows = Vec::new();
    while let Some(row) = stream.try_next().await? {
        let values = row.values().iter().map(value_message);
        rows.push(m::SqlRow {
            values: values.collect(),
        });
    }
    let columns = stream.columns();
    Ok((rows, Some(columns.encoded().clone())))
}

/// The client's status; success is a status too.
fn status<T>(result: &Result<T, ClientStatus>) -> RpcStatus {
    match result {
        Ok(_) => RpcStatus::default(),
        Err(error) => RpcStatus {
            code: error.code as i32,
            message: error.message.clone(),
            details: Vec::new(),
        },
    }
}

fn given<T>(request: Option<T>) -> Result<T, Status> {
    request.ok_or_else(|| Status::invalid_argument("request is missing"))
}

fn named(table: String) -> Result<String, Status> {
    match table.as_str() {
        "" => Err(Status::invalid_argument("table_name is missing")),
        _ => Ok(table),
    }
}
