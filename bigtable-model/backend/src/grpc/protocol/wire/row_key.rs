//! The part of `google.bigtable.admin.v2.Type` that row key schemas need, and the call that sets
//! one.

use bytes::Bytes;

use super::{Empty, FieldMask, Int64Encoding, RpcStatus, Table};

/// `Type.Struct`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RowKeyStruct {
    #[prost(message, repeated, tag = "1")]
    pub fields: Vec<RowKeyField>,
    #[prost(message, optional, tag = "2")]
    pub encoding: Option<RowKeyEncoding>,
}

/// `Type.Struct.Field`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RowKeyField {
    #[prost(string, tag = "1")]
    pub field_name: String,
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<RowKeyType>,
}

/// `Type.Struct.Encoding`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RowKeyEncoding {
    #[prost(oneof = "RowKeyEncodingKind", tags = "2, 3")]
    pub encoding: Option<RowKeyEncodingKind>,
}

/// The encodings of a struct, except the one for a struct with one field, which is not supported.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum RowKeyEncodingKind {
    #[prost(message, tag = "2")]
    DelimitedBytes(DelimitedBytes),
    #[prost(message, tag = "3")]
    OrderedCodeBytes(Empty),
}

/// `Type.Struct.Encoding.DelimitedBytes`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DelimitedBytes {
    #[prost(bytes = "bytes", tag = "1")]
    pub delimiter: Bytes,
}

/// `Type`, limited to the types of row keys.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RowKeyType {
    #[prost(oneof = "RowKeyTypeKind", tags = "1, 2, 5, 10")]
    pub kind: Option<RowKeyTypeKind>,
}

/// The kinds of [`RowKeyType`].
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum RowKeyTypeKind {
    #[prost(message, tag = "1")]
    Bytes(BytesType),
    #[prost(message, tag = "2")]
    String(StringType),
    #[prost(message, tag = "5")]
    Int64(super::Int64Type),
    #[prost(message, tag = "10")]
    Timestamp(TimestampType),
}

/// `Type.Bytes`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BytesType {
    #[prost(message, optional, tag = "1")]
    pub encoding: Option<BytesEncoding>,
}

/// `Type.Bytes.Encoding`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BytesEncoding {
    #[prost(oneof = "BytesEncodingKind", tags = "1")]
    pub encoding: Option<BytesEncodingKind>,
}

/// The encodings of bytes.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum BytesEncodingKind {
    #[prost(message, tag = "1")]
    Raw(RawBytes),
}

/// `Type.Bytes.Encoding.Raw`.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct RawBytes {
    #[prost(bool, tag = "1")]
    pub escape_nulls: bool,
}

/// `Type.String`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct StringType {
    #[prost(message, optional, tag = "1")]
    pub encoding: Option<StringEncoding>,
}

/// `Type.String.Encoding`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct StringEncoding {
    #[prost(oneof = "StringEncodingKind", tags = "1, 2")]
    pub encoding: Option<StringEncodingKind>,
}

/// The encodings of a text; the first is an older name of the second.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum StringEncodingKind {
    #[prost(message, tag = "1")]
    Utf8Raw(Empty),
    #[prost(message, tag = "2")]
    Utf8Bytes(Utf8Bytes),
}

/// `Type.String.Encoding.Utf8Bytes`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Utf8Bytes {
    #[prost(string, tag = "1")]
    pub null_escape_char: String,
}

/// `Type.Timestamp`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TimestampType {
    #[prost(message, optional, tag = "1")]
    pub encoding: Option<TimestampEncoding>,
}

/// `Type.Timestamp.Encoding`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TimestampEncoding {
    #[prost(oneof = "TimestampEncodingKind", tags = "1")]
    pub encoding: Option<TimestampEncodingKind>,
}

/// The encodings of a time.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum TimestampEncodingKind {
    #[prost(message, tag = "1")]
    UnixMicrosInt64(Int64Encoding),
}

/// Changes the parts of a table that its mask names.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct UpdateTableRequest {
    #[prost(message, optional, tag = "1")]
    pub table: Option<Table>,
    #[prost(message, optional, tag = "2")]
    pub update_mask: Option<FieldMask>,
    #[prost(bool, tag = "3")]
    pub ignore_warnings: bool,
}

/// Asks for the progress of an operation: `google.longrunning.GetOperationRequest`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct GetOperationRequest {
    #[prost(string, tag = "1")]
    pub name: String,
}

/// Work that continues after its call was answered: `google.longrunning.Operation`, without its
/// final response.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct LongOperation {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(bool, tag = "3")]
    pub done: bool,
    #[prost(message, optional, tag = "4")]
    pub error: Option<RpcStatus>,
}
