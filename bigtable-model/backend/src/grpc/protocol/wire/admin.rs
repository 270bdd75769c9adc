//! `google/bigtable/admin/v2`: tables, families, garbage-collection rules.

use bytes::Bytes;

use super::{Duration, FieldMask, RowKeyStruct, Type};

/// `Table.View`: names only.
pub const VIEW_NAME_ONLY: i32 = 1;
/// `Table.View`: names and families.
pub const VIEW_SCHEMA: i32 = 2;

/// A table.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Table {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "3")]
    pub column_families: Vec<FamilyEntry>,
    #[prost(int32, tag = "4")]
    pub granularity: i32,
    #[prost(message, optional, tag = "15")]
    pub row_key_schema: Option<RowKeyStruct>,
}

/// An entry of the map `column_families`.
///
/// On the wire a map is a list of such entries. Encoded as a map, a family without any setting
/// would be left out of its entry, and protobuf.js, with it the official client for Node.js, reads
/// an entry without a message as null.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct FamilyEntry {
    #[prost(string, tag = "1")]
    pub name: String,
    /// Encoded even if nothing in it is set, which is what `required` means to prost; if it is
    /// missing, it is read as empty.
    #[prost(message, required, tag = "2")]
    pub family: ColumnFamily,
}

/// A family.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ColumnFamily {
    #[prost(message, optional, tag = "1")]
    pub gc_rule: Option<GcRule>,
    #[prost(message, optional, tag = "3")]
    pub value_type: Option<Type>,
}

/// Which cells may be deleted; none without a kind.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct GcRule {
    #[prost(oneof = "GcRuleKind", tags = "1, 2, 3, 4")]
    pub rule: Option<GcRuleKind>,
}

/// The kinds of [`GcRule`].
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum GcRuleKind {
    #[prost(int32, tag = "1")]
    MaxNumVersions(i32),
    #[prost(message, tag = "2")]
    MaxAge(Duration),
    #[prost(message, tag = "3")]
    Intersection(GcRules),
    #[prost(message, tag = "4")]
    Union(GcRules),
}

/// The members of an intersection or a union.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct GcRules {
    #[prost(message, repeated, tag = "1")]
    pub rules: Vec<GcRule>,
}

/// Creates a table.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CreateTableRequest {
    #[prost(string, tag = "1")]
    pub parent: String,
    #[prost(string, tag = "2")]
    pub table_id: String,
    #[prost(message, optional, tag = "3")]
    pub table: Option<Table>,
    #[prost(message, repeated, tag = "4")]
    pub initial_splits: Vec<Split>,
}

/// A key at which a new table is split.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Split {
    #[prost(bytes = "bytes", tag = "1")]
    pub key: Bytes,
}

/// Asks for the tables of an instance.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ListTablesRequest {
    #[prost(string, tag = "1")]
    pub parent: String,
    #[prost(int32, tag = "2")]
    pub view: i32,
    #[prost(string, tag = "3")]
    pub page_token: String,
    #[prost(int32, tag = "4")]
    pub page_size: i32,
}

/// Some of the tables.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ListTablesResponse {
    #[prost(message, repeated, tag = "1")]
    pub tables: Vec<Table>,
    #[prost(string, tag = "2")]
    pub next_page_token: String,
}

/// Asks for a table.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct GetTableRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(int32, tag = "2")]
    pub view: i32,
}

/// Deletes a table.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DeleteTableRequest {
    #[prost(string, tag = "1")]
    pub name: String,
}

/// Changes families, all of them or none.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ModifyColumnFamiliesRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "2")]
    pub modifications: Vec<Modification>,
}

/// A change to one family.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Modification {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(oneof = "ModificationKind", tags = "2, 3, 4")]
    pub kind: Option<ModificationKind>,
    #[prost(message, optional, tag = "6")]
    pub update_mask: Option<FieldMask>,
}

/// The kinds of [`Modification`]; an update without a mask replaces the garbage-collection rule.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum ModificationKind {
    #[prost(message, tag = "2")]
    Create(ColumnFamily),
    #[prost(message, tag = "3")]
    Update(ColumnFamily),
    #[prost(bool, tag = "4")]
    Drop(bool),
}

/// Deletes rows.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DropRowRangeRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(oneof = "DropTarget", tags = "2, 3")]
    pub target: Option<DropTarget>,
}

/// Which rows a [`DropRowRangeRequest`] deletes.
#[derive(Clone, PartialEq, Eq, prost::Oneof)]
pub enum DropTarget {
    #[prost(bytes = "bytes", tag = "2")]
    RowKeyPrefix(Bytes),
    #[prost(bool, tag = "3")]
    DeleteAllDataFromTable(bool),
}

/// Asks for a token for the writes so far.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct GenerateConsistencyTokenRequest {
    #[prost(string, tag = "1")]
    pub name: String,
}

/// The token.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct GenerateConsistencyTokenResponse {
    #[prost(string, tag = "1")]
    pub consistency_token: String,
}

/// Asks whether the writes before a token are in every cluster.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CheckConsistencyRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub consistency_token: String,
}

/// Whether they are.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct CheckConsistencyResponse {
    #[prost(bool, tag = "1")]
    pub consistent: bool,
}

/// Messages as which SQL reads values of a table.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SchemaBundle {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub proto_schema: Option<ProtoDescriptors>,
}

/// `google.bigtable.admin.v2.ProtoSchema`: `google.bigtable.v2` has another message of that name.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ProtoDescriptors {
    #[prost(bytes = "bytes", tag = "2")]
    pub proto_descriptors: Bytes,
}

/// Creates a schema bundle of a table.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CreateSchemaBundleRequest {
    #[prost(string, tag = "1")]
    pub parent: String,
    #[prost(string, tag = "2")]
    pub schema_bundle_id: String,
    #[prost(message, optional, tag = "3")]
    pub schema_bundle: Option<SchemaBundle>,
}

/// Changes the parts of a schema bundle that its mask names.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct UpdateSchemaBundleRequest {
    #[prost(message, optional, tag = "1")]
    pub schema_bundle: Option<SchemaBundle>,
    #[prost(message, optional, tag = "2")]
    pub update_mask: Option<FieldMask>,
    #[prost(bool, tag = "3")]
    pub ignore_warnings: bool,
}
