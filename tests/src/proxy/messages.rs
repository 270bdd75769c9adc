//! The supported part of `google/bigtable/testproxy/test_proxy.proto`, with its field numbers.

use bigtable_model::backend::grpc::wire;
use bytes::Bytes;

/// The value that enables optional features of a client.
pub const ENABLE_ALL: i32 = 1;

/// Makes a client.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CreateClientRequest {
    #[prost(string, tag = "1")]
    pub client_id: String,
    /// `host:port`, or `emulator` for the value of `BIGTABLE_EMULATOR_HOST`.
    #[prost(string, tag = "2")]
    pub data_target: String,
    #[prost(string, tag = "3")]
    pub project_id: String,
    #[prost(string, tag = "4")]
    pub instance_id: String,
    #[prost(string, tag = "5")]
    pub app_profile_id: String,
    #[prost(message, optional, tag = "6")]
    pub per_operation_timeout: Option<wire::Duration>,
    /// 0, or [`ENABLE_ALL`].
    #[prost(int32, tag = "7")]
    pub optional_feature_config: i32,
    #[prost(message, optional, tag = "8")]
    pub security_options: Option<SecurityOptions>,
}

/// TLS and a token, which the public tests do not use.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SecurityOptions {
    #[prost(string, tag = "1")]
    pub access_token: String,
    #[prost(bool, tag = "2")]
    pub use_ssl: bool,
    #[prost(string, tag = "3")]
    pub ssl_endpoint_override: String,
    #[prost(string, tag = "4")]
    pub ssl_root_certs_pem: String,
}

/// Names a client: the request of `CloseClient` and `RemoveClient`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ClientRequest {
    #[prost(string, tag = "1")]
    pub client_id: String,
}

/// Reads one row.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ReadRowRequest {
    #[prost(string, tag = "1")]
    pub client_id: String,
    #[prost(bytes = "bytes", tag = "2")]
    pub row_key: Bytes,
    #[prost(message, optional, tag = "3")]
    pub filter: Option<wire::RowFilter>,
    #[prost(string, tag = "4")]
    pub table_name: String,
}

/// The answer of `ReadRow` and `ReadModifyWriteRow`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RowResult {
    #[prost(message, optional, tag = "1")]
    pub status: Option<wire::RpcStatus>,
    #[prost(message, optional, tag = "2")]
    pub row: Option<wire::Row>,
}

/// Reads rows.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ReadRowsRequest {
    #[prost(string, tag = "1")]
    pub client_id: String,
    #[prost(message, optional, tag = "2")]
    pub request: Option<wire::ReadRowsRequest>,
    /// Ends the read after this many rows; 0 or less means never.
    #[prost(int32, tag = "3")]
    pub cancel_after_rows: i32,
}

/// The answer of `ReadRows`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RowsResult {
    #[prost(message, optional, tag = "1")]
    pub status: Option<wire::RpcStatus>,
    #[prost(message, repeated, tag = "2")]
    pub rows: Vec<wire::Row>,
}

/// The answer of `MutateRow`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MutateRowResult {
    #[prost(message, optional, tag = "1")]
    pub status: Option<wire::RpcStatus>,
}

/// The answer of `BulkMutateRows`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MutateRowsResult {
    #[prost(message, optional, tag = "1")]
    pub status: Option<wire::RpcStatus>,
    /// The failed entries.
    #[prost(message, repeated, tag = "2")]
    pub entries: Vec<wire::MutateRowsOutcome>,
}

/// The answer of `CheckAndMutateRow`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CheckAndMutateRowResult {
    #[prost(message, optional, tag = "1")]
    pub status: Option<wire::RpcStatus>,
    #[prost(message, optional, tag = "2")]
    pub result: Option<wire::CheckAndMutateRowResponse>,
}

/// The answer of `SampleRowKeys`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SampleRowKeysResult {
    #[prost(message, optional, tag = "1")]
    pub status: Option<wire::RpcStatus>,
    #[prost(message, repeated, tag = "2")]
    pub samples: Vec<wire::SampleRowKeysResponse>,
}

/// The answer of `ExecuteQuery`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ExecuteQueryResult {
    #[prost(message, optional, tag = "1")]
    pub status: Option<wire::RpcStatus>,
    #[prost(message, repeated, tag = "3")]
    pub rows: Vec<SqlRow>,
    /// The proxy's own `ResultSetMetadata`. Its columns are Bigtable's, forwarded as the server
    /// sent them.
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub metadata: Option<Bytes>,
}

/// A row of a query, with untyped values.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SqlRow {
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<wire::SqlValue>,
}

macro_rules! operation_requests {
    ($($(#[$doc:meta])* $name:ident($request:ident);)*) => {
        $($(#[$doc])*
        #[derive(Clone, PartialEq, prost::Message)]
        pub struct $name {
            #[prost(string, tag = "1")]
            pub client_id: String,
            #[prost(message, optional, tag = "2")]
            pub request: Option<wire::$request>,
        })*
    };
}

operation_requests! {
    /// Writes one row.
    MutateRowRequest(MutateRowRequest);
    /// Writes rows.
    MutateRowsRequest(MutateRowsRequest);
    /// Writes a row on a condition.
    CheckAndMutateRowRequest(CheckAndMutateRowRequest);
    /// Samples row keys.
    SampleRowKeysRequest(SampleRowKeysRequest);
    /// Runs a query.
    ExecuteQueryRequest(ExecuteQueryRequest);
    /// Appends and increments.
    ReadModifyWriteRowRequest(ReadModifyWriteRowRequest);
}
