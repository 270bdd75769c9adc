//! The messages of Bigtable's protocol that this crate uses, for the client and for a server alike.
//!
//! Written by hand after the published `google.bigtable.v2` and `google.bigtable.admin.v2`
//! definitions: field numbers are theirs, and so are most names. Every `bytes` field is a
//! [`Bytes`](bytes::Bytes), and so is a `string` that holds a family's name: on the wire both are
//! the same, and a family's name is compared far more often than it is read. The conversions ensure
//! that sent names are UTF-8; received names are checked when they become text.
//!
//! Unknown fields are skipped when received, as protobuf requires. A server refuses those that
//! would change the meaning of a request; `preflight` lists them.

#![allow(
    missing_docs,
    reason = "fields are those of the published protocol, which says what they mean"
)]

mod admin;
mod api;
mod common;
mod data;
mod row_key;
mod sql;
mod types;

pub use admin::{
    CheckConsistencyRequest, CheckConsistencyResponse, ColumnFamily, CreateTableRequest,
    DeleteTableRequest, DropRowRangeRequest, DropTarget, FamilyEntry, GcRule, GcRuleKind, GcRules,
    GenerateConsistencyTokenRequest, GenerateConsistencyTokenResponse, GetTableRequest,
    ListTablesRequest, ListTablesResponse, Modification, ModificationKind,
    ModifyColumnFamiliesRequest, Split, Table, VIEW_NAME_ONLY, VIEW_SCHEMA,
};
pub use api::{
    CellChunk, CheckAndMutateRowRequest, CheckAndMutateRowResponse, FeatureFlags,
    FullReadStatsView, Idempotency, MutateRowRequest, MutateRowResponse, MutateRowsEntry,
    MutateRowsOutcome, MutateRowsRequest, MutateRowsResponse, PingAndWarmRequest,
    PingAndWarmResponse, REQUEST_STATS_FULL, RateLimitInfo, ReadIterationStats,
    ReadModifyWriteRowRequest, ReadModifyWriteRowResponse, ReadRowsRequest, ReadRowsResponse,
    RequestLatencyStats, RequestStats, RowStatus, SampleRowKeysRequest, SampleRowKeysResponse,
};
pub use common::{
    Any, BytesValue, Duration, Empty, ErrorInfo, FieldMask, PreconditionFailure,
    PreconditionViolation, RetryInfo, RpcStatus,
};
pub use data::{
    AddToCell, Cell, Column, ColumnRange, Condition, DeleteFromColumn, DeleteFromFamily,
    DeleteFromRow, Family, Filters, MergeToCell, Mutation, MutationKind, QualifierEnd,
    QualifierStart, ReadModifyWriteRule, Row, RowFilter, RowFilterKind, RowKeyEnd, RowKeyStart,
    RowRange, RowSet, RuleKind, SetCell, TimestampRange, Value, ValueBitmask, ValueEnd, ValueKind,
    ValueRange, ValueStart,
};
pub use row_key::{
    BytesEncoding, BytesEncodingKind, BytesType, DelimitedBytes, GetOperationRequest,
    LongOperation, RawBytes, RowKeyEncoding, RowKeyEncodingKind, RowKeyField, RowKeyStruct,
    RowKeyType, RowKeyTypeKind, StringEncoding, StringEncodingKind, StringType, TimestampEncoding,
    TimestampEncodingKind, TimestampType, UpdateTableRequest, Utf8Bytes,
};
pub use sql::{
    ArrayType, ArrayValue, ColumnMetadata, Date, ExecuteQueryAnswer, ExecuteQueryRequest,
    ExecuteQueryResponse, MapType, NamedType, PartialResultSet, PrepareQueryRequest,
    PrepareQueryResponse, ProtoRows, ProtoRowsBatch, ProtoSchema, ResultSetMetadata, SqlType,
    SqlTypeKind, SqlValue, SqlValueKind, StructField, StructType, Timestamp,
};
pub use types::{
    Aggregate, Aggregator, Int64Encoding, Int64EncodingKind, Int64Type, Type, TypeKind,
};

#[cfg(test)]
mod tests;
