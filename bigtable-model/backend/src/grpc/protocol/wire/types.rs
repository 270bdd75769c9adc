//! The part of `google.bigtable.v2.Type` (and the admin API's twin of it) that aggregate families
//! need.

use super::Empty;

/// A type of data; only the kinds below are supported.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Type {
    #[prost(oneof = "TypeKind", tags = "5, 6")]
    pub kind: Option<TypeKind>,
}

/// The kinds of [`Type`].
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum TypeKind {
    #[prost(message, tag = "5")]
    Int64(Int64Type),
    #[prost(message, tag = "6")]
    Aggregate(Box<Aggregate>),
}

/// `Type.Int64`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Int64Type {
    #[prost(message, optional, tag = "1")]
    pub encoding: Option<Int64Encoding>,
}

/// `Type.Int64.Encoding`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Int64Encoding {
    #[prost(oneof = "Int64EncodingKind", tags = "1, 2")]
    pub kind: Option<Int64EncodingKind>,
}

/// The encodings of a 64-bit integer.
#[derive(Clone, Copy, PartialEq, Eq, prost::Oneof)]
pub enum Int64EncodingKind {
    #[prost(message, tag = "1")]
    BigEndianBytes(Empty),
    #[prost(message, tag = "2")]
    OrderedCodeBytes(Empty),
}

/// `Type.Aggregate`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Aggregate {
    #[prost(message, optional, boxed, tag = "1")]
    pub input_type: Option<Box<Type>>,
    #[prost(message, optional, boxed, tag = "2")]
    pub state_type: Option<Box<Type>>,
    #[prost(oneof = "Aggregator", tags = "4, 5, 6, 7")]
    pub aggregator: Option<Aggregator>,
}

/// How an aggregate combines its input.
#[derive(Clone, Copy, PartialEq, Eq, prost::Oneof)]
pub enum Aggregator {
    #[prost(message, tag = "4")]
    Sum(Empty),
    #[prost(message, tag = "5")]
    HllppUniqueCount(Empty),
    #[prost(message, tag = "6")]
    Max(Empty),
    #[prost(message, tag = "7")]
    Min(Empty),
}
