//! `google/bigtable/v2/data.proto`: rows, row sets, filters, mutations.

use bytes::Bytes;

use super::{Empty, Type};

/// A row.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Row {
    #[prost(bytes = "bytes", tag = "1")]
    pub key: Bytes,
    #[prost(message, repeated, tag = "2")]
    pub families: Vec<Family>,
}

/// The columns of one family of a row.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Family {
    #[prost(bytes = "bytes", tag = "1")]
    pub name: Bytes,
    #[prost(message, repeated, tag = "2")]
    pub columns: Vec<Column>,
}

/// The cells of one column of a row, newest first.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Column {
    #[prost(bytes = "bytes", tag = "1")]
    pub qualifier: Bytes,
    #[prost(message, repeated, tag = "2")]
    pub cells: Vec<Cell>,
}

/// One cell.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Cell {
    #[prost(int64, tag = "1")]
    pub timestamp_micros: i64,
    #[prost(bytes = "bytes", tag = "2")]
    pub value: Bytes,
    #[prost(string, repeated, tag = "3")]
    pub labels: Vec<String>,
}

/// A typed value, as mutations of aggregates carry it.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Value {
    #[prost(message, optional, boxed, tag = "7")]
    pub r#type: Option<Box<Type>>,
    #[prost(oneof = "ValueKind", tags = "2, 6, 8, 9")]
    pub kind: Option<ValueKind>,
}

/// The kinds of [`Value`] that mutations use.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum ValueKind {
    #[prost(bytes = "bytes", tag = "2")]
    BytesValue(Bytes),
    #[prost(int64, tag = "6")]
    IntValue(i64),
    #[prost(bytes = "bytes", tag = "8")]
    RawValue(Bytes),
    #[prost(int64, tag = "9")]
    RawTimestampMicros(i64),
}

/// A range of row keys.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RowRange {
    #[prost(oneof = "RowKeyStart", tags = "1, 2")]
    pub start_key: Option<RowKeyStart>,
    #[prost(oneof = "RowKeyEnd", tags = "3, 4")]
    pub end_key: Option<RowKeyEnd>,
}

/// Where a [`RowRange`] begins.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum RowKeyStart {
    #[prost(bytes = "bytes", tag = "1")]
    Closed(Bytes),
    #[prost(bytes = "bytes", tag = "2")]
    Open(Bytes),
}

/// Where a [`RowRange`] ends.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum RowKeyEnd {
    #[prost(bytes = "bytes", tag = "3")]
    Open(Bytes),
    #[prost(bytes = "bytes", tag = "4")]
    Closed(Bytes),
}

/// A union of keys and ranges; empty for the whole table.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RowSet {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub row_keys: Vec<Bytes>,
    #[prost(message, repeated, tag = "2")]
    pub row_ranges: Vec<RowRange>,
}

/// A range of qualifiers in one family.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ColumnRange {
    #[prost(bytes = "bytes", tag = "1")]
    pub family_name: Bytes,
    #[prost(oneof = "QualifierStart", tags = "2, 3")]
    pub start_qualifier: Option<QualifierStart>,
    #[prost(oneof = "QualifierEnd", tags = "4, 5")]
    pub end_qualifier: Option<QualifierEnd>,
}

/// Where a [`ColumnRange`] begins.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum QualifierStart {
    #[prost(bytes = "bytes", tag = "2")]
    Closed(Bytes),
    #[prost(bytes = "bytes", tag = "3")]
    Open(Bytes),
}

/// Where a [`ColumnRange`] ends.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum QualifierEnd {
    #[prost(bytes = "bytes", tag = "4")]
    Closed(Bytes),
    #[prost(bytes = "bytes", tag = "5")]
    Open(Bytes),
}

/// A range of cell timestamps; an end of 0 is no end.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct TimestampRange {
    #[prost(int64, tag = "1")]
    pub start_timestamp_micros: i64,
    #[prost(int64, tag = "2")]
    pub end_timestamp_micros: i64,
}

/// A range of cell values.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ValueRange {
    #[prost(oneof = "ValueStart", tags = "1, 2")]
    pub start_value: Option<ValueStart>,
    #[prost(oneof = "ValueEnd", tags = "3, 4")]
    pub end_value: Option<ValueEnd>,
}

/// Where a [`ValueRange`] begins.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum ValueStart {
    #[prost(bytes = "bytes", tag = "1")]
    Closed(Bytes),
    #[prost(bytes = "bytes", tag = "2")]
    Open(Bytes),
}

/// Where a [`ValueRange`] ends.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum ValueEnd {
    #[prost(bytes = "bytes", tag = "3")]
    Closed(Bytes),
    #[prost(bytes = "bytes", tag = "4")]
    Open(Bytes),
}

/// A mask whose bits a value must have.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ValueBitmask {
    #[prost(bytes = "bytes", tag = "1")]
    pub mask: Bytes,
}

/// A filter; without a kind it lets everything through.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RowFilter {
    #[prost(
        oneof = "RowFilterKind",
        tags = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20"
    )]
    pub kind: Option<RowFilterKind>,
}

/// The kinds of [`RowFilter`].
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum RowFilterKind {
    #[prost(message, tag = "1")]
    Chain(Filters),
    #[prost(message, tag = "2")]
    Interleave(Filters),
    #[prost(message, tag = "3")]
    Condition(Box<Condition>),
    #[prost(bytes = "bytes", tag = "4")]
    RowKeyRegex(Bytes),
    #[prost(bytes = "bytes", tag = "5")]
    FamilyNameRegex(Bytes),
    #[prost(bytes = "bytes", tag = "6")]
    ColumnQualifierRegex(Bytes),
    #[prost(message, tag = "7")]
    ColumnRange(ColumnRange),
    #[prost(message, tag = "8")]
    TimestampRange(TimestampRange),
    #[prost(bytes = "bytes", tag = "9")]
    ValueRegex(Bytes),
    #[prost(int32, tag = "10")]
    CellsPerRowOffset(i32),
    #[prost(int32, tag = "11")]
    CellsPerRowLimit(i32),
    #[prost(int32, tag = "12")]
    CellsPerColumnLimit(i32),
    #[prost(bool, tag = "13")]
    StripValue(bool),
    #[prost(double, tag = "14")]
    RowSample(f64),
    #[prost(message, tag = "15")]
    ValueRange(ValueRange),
    #[prost(bool, tag = "16")]
    Sink(bool),
    #[prost(bool, tag = "17")]
    PassAll(bool),
    #[prost(bool, tag = "18")]
    BlockAll(bool),
    #[prost(string, tag = "19")]
    ApplyLabel(String),
    #[prost(message, tag = "20")]
    ValueBitmask(ValueBitmask),
}

/// The members of a chain or an interleave.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Filters {
    #[prost(message, repeated, tag = "1")]
    pub filters: Vec<RowFilter>,
}

/// One of two filters, chosen by a third.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Condition {
    #[prost(message, optional, boxed, tag = "1")]
    pub predicate_filter: Option<Box<RowFilter>>,
    #[prost(message, optional, boxed, tag = "2")]
    pub true_filter: Option<Box<RowFilter>>,
    #[prost(message, optional, boxed, tag = "3")]
    pub false_filter: Option<Box<RowFilter>>,
}

/// One change to a row.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Mutation {
    #[prost(oneof = "MutationKind", tags = "1, 2, 3, 4, 5, 6")]
    pub kind: Option<MutationKind>,
}

/// The kinds of [`Mutation`].
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum MutationKind {
    #[prost(message, tag = "1")]
    SetCell(SetCell),
    #[prost(message, tag = "2")]
    DeleteFromColumn(DeleteFromColumn),
    #[prost(message, tag = "3")]
    DeleteFromFamily(DeleteFromFamily),
    #[prost(message, tag = "4")]
    DeleteFromRow(DeleteFromRow),
    #[prost(message, tag = "5")]
    AddToCell(AddToCell),
    #[prost(message, tag = "6")]
    MergeToCell(MergeToCell),
}

/// Writes one cell.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SetCell {
    #[prost(bytes = "bytes", tag = "1")]
    pub family_name: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub column_qualifier: Bytes,
    #[prost(int64, tag = "3")]
    pub timestamp_micros: i64,
    #[prost(bytes = "bytes", tag = "4")]
    pub value: Bytes,
}

/// Adds to a cell of an aggregate family.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct AddToCell {
    #[prost(bytes = "bytes", tag = "1")]
    pub family_name: Bytes,
    #[prost(message, optional, tag = "2")]
    pub column_qualifier: Option<Value>,
    #[prost(message, optional, tag = "3")]
    pub timestamp: Option<Value>,
    #[prost(message, optional, tag = "4")]
    pub input: Option<Value>,
}

/// Merges an aggregate's state into a cell of an aggregate family.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MergeToCell {
    #[prost(bytes = "bytes", tag = "1")]
    pub family_name: Bytes,
    #[prost(message, optional, tag = "2")]
    pub column_qualifier: Option<Value>,
    #[prost(message, optional, tag = "3")]
    pub timestamp: Option<Value>,
    #[prost(message, optional, tag = "4")]
    pub input: Option<Value>,
}

/// Deletes cells of one column.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DeleteFromColumn {
    #[prost(bytes = "bytes", tag = "1")]
    pub family_name: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub column_qualifier: Bytes,
    #[prost(message, optional, tag = "3")]
    pub time_range: Option<TimestampRange>,
}

/// Deletes the cells of one family.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DeleteFromFamily {
    #[prost(bytes = "bytes", tag = "1")]
    pub family_name: Bytes,
}

/// Deletes the row.
pub type DeleteFromRow = Empty;

/// What one rule of a read-modify-write does to one column.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ReadModifyWriteRule {
    #[prost(bytes = "bytes", tag = "1")]
    pub family_name: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub column_qualifier: Bytes,
    #[prost(oneof = "RuleKind", tags = "3, 4")]
    pub rule: Option<RuleKind>,
}

/// The kinds of [`ReadModifyWriteRule`].
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum RuleKind {
    #[prost(bytes = "bytes", tag = "3")]
    AppendValue(Bytes),
    #[prost(int64, tag = "4")]
    IncrementAmount(i64),
}
