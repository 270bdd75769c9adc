//! The messages of SQL: `PrepareQuery`, `ExecuteQuery`, and the types and values of their columns.
//!
//! Types here are those of columns and parameters, without the encodings that a table's schema adds
//! to them.

use bytes::Bytes;

use super::Empty;

/// Asks for the plan of a query.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PrepareQueryRequest {
    #[prost(string, tag = "1")]
    pub instance_name: String,
    #[prost(string, tag = "2")]
    pub app_profile_id: String,
    #[prost(string, tag = "3")]
    pub query: String,
    /// The encoding of results; there is one, without settings.
    #[prost(message, optional, tag = "4")]
    pub proto_format: Option<Empty>,
    #[prost(btree_map = "string, message", tag = "6")]
    pub param_types: std::collections::BTreeMap<String, SqlType>,
}

/// A plan.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PrepareQueryResponse {
    /// A [`ResultSetMetadata`], decoded separately, since its size is limited.
    #[prost(bytes = "bytes", tag = "1")]
    pub metadata: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub prepared_query: Bytes,
    #[prost(message, optional, tag = "3")]
    pub valid_until: Option<Timestamp>,
}

/// Asks for the rows of a plan.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ExecuteQueryRequest {
    #[prost(string, tag = "1")]
    pub instance_name: String,
    #[prost(string, tag = "2")]
    pub app_profile_id: String,
    /// The text of a query without a plan, sent by older clients.
    #[prost(string, tag = "3")]
    pub query: String,
    /// The encoding of such a query's results.
    #[prost(message, optional, tag = "4")]
    pub proto_format: Option<Empty>,
    #[prost(btree_map = "string, message", tag = "7")]
    pub params: std::collections::BTreeMap<String, SqlValue>,
    #[prost(bytes = "bytes", tag = "8")]
    pub resume_token: Bytes,
    #[prost(bytes = "bytes", tag = "9")]
    pub prepared_query: Bytes,
}

/// A part of the answer.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ExecuteQueryResponse {
    #[prost(oneof = "ExecuteQueryAnswer", tags = "1, 2")]
    pub response: Option<ExecuteQueryAnswer>,
}

/// What the part is.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum ExecuteQueryAnswer {
    /// A [`ResultSetMetadata`], as queries without a plan are answered.
    #[prost(bytes = "bytes", tag = "1")]
    Metadata(Bytes),
    #[prost(message, tag = "2")]
    Results(PartialResultSet),
}

/// A part of a batch of rows.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PartialResultSet {
    #[prost(message, optional, tag = "3")]
    pub proto_rows_batch: Option<ProtoRowsBatch>,
    #[prost(int32, tag = "4")]
    pub estimated_batch_size: i32,
    #[prost(bytes = "bytes", tag = "5")]
    pub resume_token: Bytes,
    /// Present at the end of a batch.
    #[prost(uint32, optional, tag = "6")]
    pub batch_checksum: Option<u32>,
    #[prost(bool, tag = "7")]
    pub reset: bool,
}

/// A part of the bytes of a [`ProtoRows`].
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ProtoRowsBatch {
    #[prost(bytes = "bytes", tag = "1")]
    pub batch_data: Bytes,
}

/// Rows: the values of all columns of all rows, one after another.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ProtoRows {
    #[prost(message, repeated, tag = "2")]
    pub values: Vec<SqlValue>,
}

/// The description of a query's rows.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ResultSetMetadata {
    #[prost(message, optional, tag = "1")]
    pub proto_schema: Option<ProtoSchema>,
}

/// The columns of a query.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ProtoSchema {
    #[prost(message, repeated, tag = "1")]
    pub columns: Vec<ColumnMetadata>,
}

/// A column of a query.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ColumnMetadata {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<SqlType>,
}

/// `google.bigtable.v2.Type` of a column, a parameter or a part of one.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SqlType {
    #[prost(
        oneof = "SqlTypeKind",
        tags = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14"
    )]
    pub kind: Option<SqlTypeKind>,
}

/// The kinds of [`SqlType`].
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum SqlTypeKind {
    #[prost(message, tag = "1")]
    Bytes(Empty),
    #[prost(message, tag = "2")]
    String(Empty),
    #[prost(message, tag = "3")]
    Array(Box<ArrayType>),
    #[prost(message, tag = "4")]
    Map(Box<MapType>),
    #[prost(message, tag = "5")]
    Int64(Empty),
    #[prost(message, tag = "6")]
    Aggregate(Empty),
    #[prost(message, tag = "7")]
    Struct(StructType),
    #[prost(message, tag = "8")]
    Bool(Empty),
    #[prost(message, tag = "9")]
    Float64(Empty),
    #[prost(message, tag = "10")]
    Timestamp(Empty),
    #[prost(message, tag = "11")]
    Date(Empty),
    #[prost(message, tag = "12")]
    Float32(Empty),
    #[prost(message, tag = "13")]
    Proto(NamedType),
    #[prost(message, tag = "14")]
    Enum(NamedType),
}

/// `Type.Array`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ArrayType {
    #[prost(message, optional, boxed, tag = "1")]
    pub element_type: Option<Box<SqlType>>,
}

/// `Type.Map`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MapType {
    #[prost(message, optional, boxed, tag = "1")]
    pub key_type: Option<Box<SqlType>>,
    #[prost(message, optional, boxed, tag = "2")]
    pub value_type: Option<Box<SqlType>>,
}

/// `Type.Struct`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct StructType {
    #[prost(message, repeated, tag = "1")]
    pub fields: Vec<StructField>,
}

/// `Type.Struct.Field`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct StructField {
    #[prost(string, tag = "1")]
    pub field_name: String,
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<SqlType>,
}

/// `Type.Proto` and `Type.Enum`, which are alike: a definition by name, in a schema bundle.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct NamedType {
    #[prost(string, tag = "1")]
    pub schema_bundle_id: String,
    #[prost(string, tag = "2")]
    pub name: String,
}

/// `google.bigtable.v2.Value` of a column, a parameter or a part of one. Without a kind it is NULL.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SqlValue {
    /// The type of a parameter; nested values have none.
    #[prost(message, optional, tag = "7")]
    pub r#type: Option<SqlType>,
    #[prost(oneof = "SqlValueKind", tags = "2, 3, 4, 6, 10, 11, 12, 13")]
    pub kind: Option<SqlValueKind>,
}

/// The kinds of [`SqlValue`].
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum SqlValueKind {
    #[prost(bytes = "bytes", tag = "2")]
    Bytes(Bytes),
    #[prost(string, tag = "3")]
    String(String),
    #[prost(message, tag = "4")]
    Array(ArrayValue),
    #[prost(int64, tag = "6")]
    Int(i64),
    #[prost(bool, tag = "10")]
    Bool(bool),
    #[prost(double, tag = "11")]
    Float(f64),
    #[prost(message, tag = "12")]
    Timestamp(Timestamp),
    #[prost(message, tag = "13")]
    Date(Date),
}

/// `google.bigtable.v2.ArrayValue`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ArrayValue {
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<SqlValue>,
}

/// `google.protobuf.Timestamp`.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Timestamp {
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

/// `google.type.Date`.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Date {
    #[prost(int32, tag = "1")]
    pub year: i32,
    #[prost(int32, tag = "2")]
    pub month: i32,
    #[prost(int32, tag = "3")]
    pub day: i32,
}
