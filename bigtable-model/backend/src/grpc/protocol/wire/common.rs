//! Messages of `google.protobuf` and `google.rpc`.

use bytes::Bytes;

/// `google.protobuf.Empty`.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Empty {}

/// `google.protobuf.BytesValue`, and `StringValue` as well: on the wire they are the same.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BytesValue {
    #[prost(bytes = "bytes", tag = "1")]
    pub value: Bytes,
}

/// `google.protobuf.Duration`: seconds and nanoseconds have the same sign.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Duration {
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

/// `google.protobuf.FieldMask`: the names of fields.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct FieldMask {
    #[prost(string, repeated, tag = "1")]
    pub paths: Vec<String>,
}

/// `google.protobuf.Any`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Any {
    #[prost(string, tag = "1")]
    pub type_url: String,
    #[prost(bytes = "bytes", tag = "2")]
    pub value: Bytes,
}

/// `google.rpc.Status`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RpcStatus {
    #[prost(int32, tag = "1")]
    pub code: i32,
    #[prost(string, tag = "2")]
    pub message: String,
    #[prost(message, repeated, tag = "3")]
    pub details: Vec<Any>,
}

/// `google.rpc.RetryInfo`.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct RetryInfo {
    #[prost(message, optional, tag = "1")]
    pub retry_delay: Option<Duration>,
}

/// `google.rpc.ErrorInfo`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ErrorInfo {
    #[prost(string, tag = "1")]
    pub reason: String,
    #[prost(string, tag = "2")]
    pub domain: String,
    #[prost(map = "string, string", tag = "3")]
    pub metadata: std::collections::HashMap<String, String>,
}

/// `google.rpc.PreconditionFailure`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PreconditionFailure {
    #[prost(message, repeated, tag = "1")]
    pub violations: Vec<PreconditionViolation>,
}

/// `PreconditionFailure.Violation`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PreconditionViolation {
    #[prost(string, tag = "1")]
    pub r#type: String,
    #[prost(string, tag = "2")]
    pub subject: String,
    #[prost(string, tag = "3")]
    pub description: String,
}
