//! Calls with the protocol's own messages, for tests that compare what is sent.
//!
//! Nothing is checked before it is sent, except by the [`RequestLimits`](super::RequestLimits) of
//! the backend's settings. Tables belong to the backend's instance.

use bytes::Bytes;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use prost::Message as _;

use super::protocol::assemble::RowAssembler;
use super::protocol::chunk::{Chunk, Chunks};
use super::protocol::{names, wire};
use super::{CallOptions, GrpcBackend, GrpcSettings};
use crate::data::{
    CheckAndMutateRow, EntryBatch, Mutation, ReadModifyWriteRow, ReadRows, Row, RowMutations,
    RowOnce,
};
use crate::fields::read::malformed;
use crate::{Backend, EntryOutcome, InvalidSetting};
use crate::{Code, Status};

mod sql;

pub use sql::{decode_sql, type_message, value_message};

/// A backend that is called with messages. A request without an app profile uses the backend's.
#[derive(Debug, Clone)]
pub struct RawClient(GrpcBackend);

impl RawClient {
    /// The same connections, settings and retries.
    #[must_use]
    pub fn new(backend: GrpcBackend) -> Self {
        Self(backend)
    }

    /// The backend that makes the calls.
    #[must_use]
    pub fn backend(&self) -> &GrpcBackend {
        &self.0
    }

    /// The backend for one request, and the ID of its table.
    fn target<'a>(
        &self,
        table: &'a str,
        view: &'a str,
        profile: &str,
    ) -> Result<(GrpcBackend, &'a str), Status> {
        let (table, view) = match (table, names::split_view(view)) {
            ("", Some((table, view))) => (table, view),
            _ if view.is_empty() => (table, ""),
            _ => {
                let message = format!("\"{view}\" beside \"{table}\" is no authorized view");
                return Err(Status::new(Code::InvalidArgument, message));
            }
        };
        let instance = &self.0.instance.name;
        let id = names::table_id(table);
        if instance.table(id) != table {
            return Err(Status::new(
                Code::InvalidArgument,
                format!("\"{table}\" is no table of {}", instance.as_str()),
            ));
        }
        let backend = self.with_profile(profile)?;
        let backend = match view {
            "" => backend,
            view => backend.with_options(CallOptions::new().authorized_view(view))?,
        };
        Ok((backend, id))
    }

    fn with_profile(&self, profile: &str) -> Result<GrpcBackend, InvalidSetting> {
        match profile {
            "" => Ok(self.0.clone()),
            profile => (self.0).with_options(CallOptions::new().app_profile(profile)),
        }
    }

    /// The backend for one request that names the instance.
    fn of_instance(&self, instance: &str, profile: &str) -> Result<GrpcBackend, Status> {
        let own = self.0.instance.name.as_str();
        if instance != own {
            let message = format!("\"{instance}\" is not {own}");
            return Err(Status::new(Code::InvalidArgument, message));
        }
        Ok(self.with_profile(profile)?)
    }

    /// `ReadRows`, with chunks assembled into rows.
    #[must_use]
    pub fn read_rows(
        &self,
        request: wire::ReadRowsRequest,
    ) -> BoxStream<'static, Result<wire::Row, Status>> {
        match self.open(request) {
            Ok(rows) => rows,
            Err(error) => stream::once(async { Err(error) }).boxed(),
        }
    }

    fn open(
        &self,
        request: wire::ReadRowsRequest,
    ) -> Result<BoxStream<'static, Result<wire::Row, Status>>, Status> {
        let (backend, table) = self.target(
            &request.table_name,
            &request.authorized_view_name,
            &request.app_profile_id,
        )?;
        let rows = backend.read_rows(ReadRows {
            table: table.to_owned(),
            rows: request.rows.unwrap_or_default().into(),
            filter: request.filter.map(TryInto::try_into).transpose()?,
            rows_limit: request.rows_limit,
            reversed: request.reversed,
        });
        Ok(rows.rows().map_ok(wire::Row::from).boxed())
    }

    /// `SampleRowKeys`, all answers.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub async fn sample_row_keys(
        &self,
        request: wire::SampleRowKeysRequest,
    ) -> Result<Vec<wire::SampleRowKeysResponse>, Status> {
        let (backend, table) = self.target(
            &request.table_name,
            &request.authorized_view_name,
            &request.app_profile_id,
        )?;
        let samples = backend.sample_row_keys(table).await?.into_iter();
        let samples = samples.map(|sample| wire::SampleRowKeysResponse {
            row_key: sample.key,
            offset_bytes: sample.offset_bytes,
        });
        Ok(samples.collect())
    }

    /// `MutateRow`.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub async fn mutate_row(&self, request: wire::MutateRowRequest) -> Result<(), Status> {
        let (backend, table) = self.target(
            &request.table_name,
            &request.authorized_view_name,
            &request.app_profile_id,
        )?;
        let row = RowMutations {
            key: request.row_key,
            mutations: mutations(request.mutations)?,
        };
        let Some(idempotency) = request.idempotency else {
            return backend.mutate_row(table, row).await;
        };
        let idempotency = Some(idempotency.try_into()?);
        let entries = EntryBatch::from_iter([RowOnce { row, idempotency }]);
        let outcomes = backend.mutate_rows(table, entries.into()).await?;
        outcomes.into_iter().next().unwrap_or(Ok(()))
    }

    /// `MutateRows`: the outcome of every entry.
    ///
    /// # Errors
    ///
    /// The server's status if it answers no entry.
    pub async fn mutate_rows(
        &self,
        request: wire::MutateRowsRequest,
    ) -> Result<Vec<EntryOutcome>, Status> {
        let (backend, table) = self.target(
            &request.table_name,
            &request.authorized_view_name,
            &request.app_profile_id,
        )?;
        let rows = request.entries.into_iter().map(TryInto::try_into);
        let rows = rows.collect::<Result<Vec<RowOnce>, Status>>()?;
        let entries = EntryBatch::from_iter(rows);
        backend.mutate_rows(table, entries.into()).await
    }

    /// `CheckAndMutateRow`.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub async fn check_and_mutate_row(
        &self,
        request: wire::CheckAndMutateRowRequest,
    ) -> Result<wire::CheckAndMutateRowResponse, Status> {
        let (backend, table) = self.target(
            &request.table_name,
            &request.authorized_view_name,
            &request.app_profile_id,
        )?;
        let answer = backend.check_and_mutate_row(CheckAndMutateRow {
            table: table.to_owned(),
            key: request.row_key,
            predicate: request
                .predicate_filter
                .map(TryInto::try_into)
                .transpose()?,
            if_true: mutations(request.true_mutations)?,
            if_false: mutations(request.false_mutations)?,
        });
        let predicate_matched = answer.await?;
        Ok(wire::CheckAndMutateRowResponse { predicate_matched })
    }

    /// `ReadModifyWriteRow`.
    ///
    /// # Errors
    ///
    /// What the server answers.
    pub async fn read_modify_write_row(
        &self,
        request: wire::ReadModifyWriteRowRequest,
    ) -> Result<wire::Row, Status> {
        let (backend, table) = self.target(
            &request.table_name,
            &request.authorized_view_name,
            &request.app_profile_id,
        )?;
        let rules = request.rules.into_iter().map(TryInto::try_into);
        let answer = backend.read_modify_write_row(ReadModifyWriteRow {
            table: table.to_owned(),
            key: request.row_key,
            rules: rules.collect::<Result<_, Status>>()?,
        });
        Ok(answer.await?.into())
    }
}

/// The same client, announcing every feature to servers, whether or not it supports it. Bigtable
/// itself may answer such a client in ways that it does not understand; it is for tests that
/// compare what is announced.
#[must_use]
pub fn announcing_everything(settings: GrpcSettings) -> GrpcSettings {
    GrpcSettings {
        announces_everything: true,
        ..settings
    }
}

/// A `ReadRowsResponse`, decoded as by reads.
///
/// # Errors
///
/// `INTERNAL` for bytes that are not such a message.
pub fn decode_chunks(message: Bytes) -> Result<wire::ReadRowsResponse, Status> {
    let mut read = Chunks::new(message.clone());
    let mut chunks = Vec::new();
    let wrapped = |chunk: &Chunk<'_>, bytes: &[u8]| wire::BytesValue {
        value: chunk.message.slice_ref(bytes),
    };
    while let Some(chunk) = read.next()? {
        chunks.push(wire::CellChunk {
            row_key: chunk.message.slice_ref(chunk.row_key),
            family_name: chunk.family.map(|name| wrapped(&chunk, name)),
            qualifier: chunk.qualifier.map(|name| wrapped(&chunk, name)),
            timestamp_micros: chunk.timestamp_micros,
            value: chunk.message.slice_ref(chunk.value),
            value_size: chunk.value_size,
            row_status: chunk.row_status,
            labels: chunk.labels,
        });
    }
    let skipped = Skipped::decode(message).map_err(malformed)?;
    let (last_scanned_row_key, _) = read.finish();
    Ok(wire::ReadRowsResponse {
        chunks,
        last_scanned_row_key,
        request_stats: skipped.request_stats,
    })
}

/// The parts of a `ReadRowsResponse` that reads skip.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
struct Skipped {
    #[prost(message, optional, tag = "3")]
    request_stats: Option<wire::RequestStats>,
}

/// The rows of all `ReadRowsResponse`s of a read, assembled as by reads.
///
/// # Errors
///
/// `INTERNAL` for bytes that are not such messages, and for messages that break the protocol.
pub fn decode_rows(messages: impl IntoIterator<Item = Bytes>) -> Result<Vec<Row>, Status> {
    let mut assembler = RowAssembler::new(false);
    let mut rows = Vec::new();
    for message in messages {
        let mut chunks = Chunks::new(message);
        while let Some(mut chunk) = chunks.next()? {
            assembler.push(&mut chunk)?;
        }
        if let Some(batch) = assembler.take_rows() {
            rows.extend(batch.rows().map(|row| row.to_row()));
        }
    }
    assembler.finish()?;
    Ok(rows)
}

fn mutations(mutations: Vec<wire::Mutation>) -> Result<Vec<Mutation>, Status> {
    mutations.into_iter().map(TryInto::try_into).collect()
}
