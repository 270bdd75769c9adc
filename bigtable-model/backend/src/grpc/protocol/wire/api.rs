//! `google/bigtable/v2/bigtable.proto` and `feature_flags.proto`: the data API's requests and
//! responses.

use bytes::Bytes;

use super::{
    BytesValue, Duration, Mutation, ReadModifyWriteRule, Row, RowFilter, RowSet, RpcStatus,
    Timestamp,
};

/// Asks for rows.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ReadRowsRequest {
    #[prost(string, tag = "1")]
    pub table_name: String,
    #[prost(string, tag = "5")]
    pub app_profile_id: String,
    #[prost(message, optional, tag = "2")]
    pub rows: Option<RowSet>,
    #[prost(message, optional, tag = "3")]
    pub filter: Option<RowFilter>,
    #[prost(int64, tag = "4")]
    pub rows_limit: i64,
    #[prost(int32, tag = "6")]
    pub request_stats_view: i32,
    #[prost(bool, tag = "7")]
    pub reversed: bool,
    #[prost(string, tag = "9")]
    pub authorized_view_name: String,
}

/// `ReadRowsRequest.RequestStatsView`: full statistics.
pub const REQUEST_STATS_FULL: i32 = 2;

/// A part of the rows.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ReadRowsResponse {
    #[prost(message, repeated, tag = "1")]
    pub chunks: Vec<CellChunk>,
    #[prost(bytes = "bytes", tag = "2")]
    pub last_scanned_row_key: Bytes,
    #[prost(message, optional, tag = "3")]
    pub request_stats: Option<RequestStats>,
}

/// The statistics of a read, in a last message of their own.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct RequestStats {
    #[prost(message, optional, tag = "1")]
    pub full_read_stats_view: Option<FullReadStatsView>,
}

/// Full statistics.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct FullReadStatsView {
    #[prost(message, optional, tag = "1")]
    pub read_iteration_stats: Option<ReadIterationStats>,
    #[prost(message, optional, tag = "2")]
    pub request_latency_stats: Option<RequestLatencyStats>,
}

/// The rows and cells that were read, and those that were returned.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct ReadIterationStats {
    #[prost(int64, tag = "1")]
    pub rows_seen_count: i64,
    #[prost(int64, tag = "2")]
    pub rows_returned_count: i64,
    #[prost(int64, tag = "3")]
    pub cells_seen_count: i64,
    #[prost(int64, tag = "4")]
    pub cells_returned_count: i64,
}

/// The time from receiving the request to sending this.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct RequestLatencyStats {
    #[prost(message, optional, tag = "1")]
    pub frontend_server_latency: Option<Duration>,
}

/// A cell or a part of one, and what it does to the row in progress.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CellChunk {
    #[prost(bytes = "bytes", tag = "1")]
    pub row_key: Bytes,
    #[prost(message, optional, tag = "2")]
    pub family_name: Option<BytesValue>,
    #[prost(message, optional, tag = "3")]
    pub qualifier: Option<BytesValue>,
    #[prost(int64, tag = "4")]
    pub timestamp_micros: i64,
    #[prost(string, repeated, tag = "5")]
    pub labels: Vec<String>,
    #[prost(bytes = "bytes", tag = "6")]
    pub value: Bytes,
    #[prost(int32, tag = "7")]
    pub value_size: i32,
    #[prost(oneof = "RowStatus", tags = "8, 9")]
    pub row_status: Option<RowStatus>,
}

/// What a chunk says about the row in progress.
#[derive(Clone, Copy, PartialEq, Eq, prost::Oneof)]
pub enum RowStatus {
    #[prost(bool, tag = "8")]
    ResetRow(bool),
    #[prost(bool, tag = "9")]
    CommitRow(bool),
}

/// Asks for keys that divide the table.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SampleRowKeysRequest {
    #[prost(string, tag = "1")]
    pub table_name: String,
    #[prost(string, tag = "2")]
    pub app_profile_id: String,
    #[prost(string, tag = "4")]
    pub authorized_view_name: String,
}

/// One such key.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SampleRowKeysResponse {
    #[prost(bytes = "bytes", tag = "1")]
    pub row_key: Bytes,
    #[prost(int64, tag = "2")]
    pub offset_bytes: i64,
}

/// Changes one row.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MutateRowRequest {
    #[prost(string, tag = "1")]
    pub table_name: String,
    #[prost(string, tag = "4")]
    pub app_profile_id: String,
    #[prost(bytes = "bytes", tag = "2")]
    pub row_key: Bytes,
    #[prost(message, repeated, tag = "3")]
    pub mutations: Vec<Mutation>,
    #[prost(string, tag = "6")]
    pub authorized_view_name: String,
    #[prost(message, optional, tag = "8")]
    pub idempotency: Option<Idempotency>,
}

/// How a repeated write is recognised.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Idempotency {
    #[prost(bytes = "bytes", tag = "1")]
    pub token: Bytes,
    #[prost(message, optional, tag = "2")]
    pub start_time: Option<Timestamp>,
}

/// The row was changed.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct MutateRowResponse {}

/// Changes many rows, each on its own.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MutateRowsRequest {
    #[prost(string, tag = "1")]
    pub table_name: String,
    #[prost(string, tag = "3")]
    pub app_profile_id: String,
    #[prost(message, repeated, tag = "2")]
    pub entries: Vec<MutateRowsEntry>,
    #[prost(string, tag = "5")]
    pub authorized_view_name: String,
}

/// `MutateRowsRequest.Entry`: the changes of one row.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MutateRowsEntry {
    #[prost(bytes = "bytes", tag = "1")]
    pub row_key: Bytes,
    #[prost(message, repeated, tag = "2")]
    pub mutations: Vec<Mutation>,
    #[prost(message, optional, tag = "3")]
    pub idempotency: Option<Idempotency>,
}

/// The outcomes of some of the entries.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MutateRowsResponse {
    #[prost(message, repeated, tag = "1")]
    pub entries: Vec<MutateRowsOutcome>,
    #[prost(message, optional, tag = "3")]
    pub rate_limit_info: Option<RateLimitInfo>,
}

/// `MutateRowsResponse.Entry`: the outcome of one entry.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MutateRowsOutcome {
    #[prost(int64, tag = "1")]
    pub index: i64,
    #[prost(message, optional, tag = "2")]
    pub status: Option<RpcStatus>,
}

/// The server's advice on the rate of bulk writes.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RateLimitInfo {
    #[prost(message, optional, tag = "1")]
    pub period: Option<Duration>,
    #[prost(double, tag = "2")]
    pub factor: f64,
}

/// Changes a row in one of two ways.
#[derive(Clone, PartialEq, prost::Message)]
pub struct CheckAndMutateRowRequest {
    #[prost(string, tag = "1")]
    pub table_name: String,
    #[prost(string, tag = "7")]
    pub app_profile_id: String,
    #[prost(bytes = "bytes", tag = "2")]
    pub row_key: Bytes,
    #[prost(message, optional, tag = "6")]
    pub predicate_filter: Option<RowFilter>,
    #[prost(message, repeated, tag = "4")]
    pub true_mutations: Vec<Mutation>,
    #[prost(message, repeated, tag = "5")]
    pub false_mutations: Vec<Mutation>,
    #[prost(string, tag = "9")]
    pub authorized_view_name: String,
}

/// Which of the two ways.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct CheckAndMutateRowResponse {
    #[prost(bool, tag = "1")]
    pub predicate_matched: bool,
}

/// Warms a connection.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PingAndWarmRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub app_profile_id: String,
}

/// The connection is warm.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct PingAndWarmResponse {}

/// Appends to and increments cells of a row.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ReadModifyWriteRowRequest {
    #[prost(string, tag = "1")]
    pub table_name: String,
    #[prost(string, tag = "4")]
    pub app_profile_id: String,
    #[prost(bytes = "bytes", tag = "2")]
    pub row_key: Bytes,
    #[prost(message, repeated, tag = "3")]
    pub rules: Vec<ReadModifyWriteRule>,
    #[prost(string, tag = "6")]
    pub authorized_view_name: String,
}

/// The new cells.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ReadModifyWriteRowResponse {
    #[prost(message, optional, tag = "1")]
    pub row: Option<Row>,
}

/// The features that the client supports, sent as the `bigtable-features` header.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct FeatureFlags {
    #[prost(bool, tag = "1")]
    pub reverse_scans: bool,
    #[prost(bool, tag = "3")]
    pub mutate_rows_rate_limit: bool,
    #[prost(bool, tag = "4")]
    pub last_scanned_row_responses: bool,
    #[prost(bool, tag = "5")]
    pub mutate_rows_rate_limit2: bool,
    #[prost(bool, tag = "6")]
    pub routing_cookie: bool,
    #[prost(bool, tag = "7")]
    pub retry_info: bool,
    #[prost(bool, tag = "8")]
    pub client_side_metrics_enabled: bool,
    #[prost(bool, tag = "9")]
    pub traffic_director_enabled: bool,
    #[prost(bool, tag = "10")]
    pub direct_access_requested: bool,
    #[prost(bool, tag = "11")]
    pub peer_info: bool,
    #[prost(bool, tag = "12")]
    pub sessions_compatible: bool,
    #[prost(bool, tag = "13")]
    pub sessions_required: bool,
}
