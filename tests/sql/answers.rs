//! A server's answers, and a client for it.

use std::time::Duration;

use bigtable_model::backend::grpc::GrpcBackend;
use bigtable_model::backend::grpc::wire::{
    self, ExecuteQueryAnswer, ExecuteQueryResponse, PartialResultSet, PrepareQueryResponse,
    ProtoRowsBatch, SqlTypeKind, SqlValueKind,
};
use bigtable_model::backend::sql::{SqlParameters, SqlQuery, SqlRow, SqlValue};
use bigtable_model::{Backend, Code, Status};
use bytes::Bytes;
use futures::TryStreamExt;
use prost::Message;

use crate::scripted::{Scripted, Step, with_detail};

pub(crate) const SQL: &str = "SELECT * FROM t";

pub(crate) fn of(kind: SqlTypeKind) -> wire::SqlType {
    wire::SqlType { kind: Some(kind) }
}

pub(crate) fn string() -> wire::SqlType {
    of(SqlTypeKind::String(wire::Empty {}))
}

pub(crate) fn int64() -> wire::SqlType {
    of(SqlTypeKind::Int64(wire::Empty {}))
}

pub(crate) fn column(name: &str, of: wire::SqlType) -> wire::ColumnMetadata {
    wire::ColumnMetadata {
        name: name.to_owned(),
        r#type: Some(of),
    }
}

pub(crate) fn metadata(columns: Vec<wire::ColumnMetadata>) -> Bytes {
    let metadata = wire::ResultSetMetadata {
        proto_schema: Some(wire::ProtoSchema { columns }),
    };
    metadata.encode_to_vec().into()
}

/// A plan that the server identifies by `token`.
pub(crate) fn plan(
    token: &'static str,
    columns: Vec<wire::ColumnMetadata>,
) -> PrepareQueryResponse {
    PrepareQueryResponse {
        metadata: metadata(columns),
        prepared_query: Bytes::from_static(token.as_bytes()),
        valid_until: None,
    }
}

/// A single column of texts.
pub(crate) fn texts(token: &'static str) -> PrepareQueryResponse {
    plan(token, vec![column("name", string())])
}

pub(crate) fn value(kind: SqlValueKind) -> wire::SqlValue {
    wire::SqlValue {
        r#type: None,
        kind: Some(kind),
    }
}

pub(crate) fn text(text: &str) -> wire::SqlValue {
    value(SqlValueKind::String(text.to_owned()))
}

pub(crate) fn int(number: i64) -> wire::SqlValue {
    value(SqlValueKind::Int(number))
}

pub(crate) fn list(values: Vec<wire::SqlValue>) -> wire::SqlValue {
    value(SqlValueKind::Array(wire::ArrayValue { values }))
}

pub(crate) fn null() -> wire::SqlValue {
    wire::SqlValue::default()
}

/// The bytes of a batch.
pub(crate) fn rows(values: Vec<wire::SqlValue>) -> Bytes {
    wire::ProtoRows { values }.encode_to_vec().into()
}

/// CRC32C (Castagnoli), bit by bit.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0x82f6_3b78 * (crc & 1))
        })
    })
}

/// A message of a stream, assembled from parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part(PartialResultSet);

impl Part {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn reset(mut self) -> Self {
        self.0.reset = true;
        self
    }

    pub(crate) fn data(mut self, data: impl AsRef<[u8]>) -> Self {
        self.0.proto_rows_batch = Some(ProtoRowsBatch {
            batch_data: Bytes::copy_from_slice(data.as_ref()),
        });
        self
    }

    /// A whole batch.
    pub(crate) fn batch(self, values: Vec<wire::SqlValue>) -> Self {
        let data = rows(values);
        let sum = checksum(&data);
        self.data(data).checksum(sum)
    }

    pub(crate) fn checksum(mut self, checksum: u32) -> Self {
        self.0.batch_checksum = Some(checksum);
        self
    }

    pub(crate) fn token(mut self, token: &'static str) -> Self {
        self.0.resume_token = Bytes::from_static(token.as_bytes());
        self
    }

    pub(crate) fn token_bytes(mut self, token: Bytes) -> Self {
        self.0.resume_token = token;
        self
    }

    pub(crate) fn message(self) -> ExecuteQueryResponse {
        ExecuteQueryResponse {
            response: Some(ExecuteQueryAnswer::Results(self.0)),
        }
    }
}

impl From<Part> for Step<ExecuteQueryResponse> {
    fn from(part: Part) -> Self {
        Self::Send(part.message())
    }
}

pub(crate) fn unavailable<A>() -> Step<A> {
    Step::Fail(tonic::Status::unavailable("lost"))
}

/// A server's answer for an expired plan.
pub(crate) fn expired<A>() -> Step<A> {
    Step::Fail(precondition("PREPARED_QUERY_EXPIRED"))
}

pub(crate) fn precondition(violation: &str) -> tonic::Status {
    let failure = wire::PreconditionFailure {
        violations: vec![wire::PreconditionViolation {
            r#type: violation.to_owned(),
            subject: "plan".to_owned(),
            description: "too old".to_owned(),
        }],
    };
    let name = "google.rpc.PreconditionFailure";
    with_detail(
        tonic::Code::FailedPrecondition,
        "the plan is too old",
        name,
        failure,
    )
}

impl Scripted {
    /// Scripts the next preparation.
    pub(crate) fn prepares(&self, plan: PrepareQueryResponse) {
        self.prepare.script([Step::Send(plan)]);
    }

    /// Scripts the next `ExecuteQuery`.
    pub(crate) fn executes<const N: usize>(&self, parts: [Part; N]) {
        self.execute.script(parts.map(Step::from));
    }

    /// The numbers of preparations and executions.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.prepare.seen().len(), self.execute.seen().len())
    }
}

/// A query without parameters.
pub(crate) fn plain() -> SqlQuery {
    SqlQuery::text(SQL, SqlParameters::new())
}

/// All rows of one query.
pub(crate) async fn all(
    backend: &GrpcBackend,
    parameters: SqlParameters,
) -> Result<Vec<SqlRow>, Status> {
    let query = SqlQuery::text(SQL, parameters.clone());
    let plan = backend.sql_service().prepare(&query).await?;
    backend
        .sql_service()
        .execute(&plan, parameters)
        .try_collect()
        .await
}

/// The texts of the only column of a query's rows.
pub(crate) async fn names(backend: &GrpcBackend) -> Result<Vec<String>, Status> {
    let rows = all(backend, SqlParameters::new()).await?;
    let names = rows.into_iter().map(|row| match row.values() {
        [SqlValue::String(name)] => name.to_string(),
        other => panic!("{other:?}"),
    });
    Ok(names.collect())
}

/// An error that the client created.
pub(crate) fn assert_broken(error: &Status, words: &str) {
    assert_eq!(error.code, Code::Internal, "{error}");
    let message = error.message.to_lowercase();
    assert!(message.contains(&words.to_lowercase()), "{message}");
}

/// Short pauses for tests.
pub(crate) fn hasty(
    settings: bigtable_model::backend::grpc::GrpcSettings,
) -> bigtable_model::backend::grpc::GrpcSettings {
    settings.retry(bigtable_model::backend::grpc::RetrySettings {
        first_delay: Duration::from_micros(100),
        max_delay: Duration::from_millis(1),
        ..Default::default()
    })
}
