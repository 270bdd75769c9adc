//! The calls of a backend by name.

/// The methods of a [`Backend`](crate::Backend), under their names on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// `read_rows`
    ReadRows,
    /// `mutate_row`
    MutateRow,
    /// `mutate_rows`
    MutateRows,
    /// `check_and_mutate_row`
    CheckAndMutateRow,
    /// `read_modify_write_row`
    ReadModifyWriteRow,
    /// `sample_row_keys`
    SampleRowKeys,
    /// `tables().create`
    CreateTable,
    /// `tables().get`
    GetTable,
    /// `tables().list`
    ListTables,
    /// `tables().delete`
    DeleteTable,
    /// `tables().modify_families`
    ModifyColumnFamilies,
    /// `tables().set_row_key_schema`
    UpdateTable,
    /// `tables().set_schema_bundle`, also where it replaces one by `UpdateSchemaBundle`
    CreateSchemaBundle,
    /// `tables().drop_rows`
    DropRowRange,
    /// `tables().consistency_token`
    GenerateConsistencyToken,
    /// `tables().is_consistent`
    CheckConsistency,
    /// `sql_service().prepare`
    PrepareQuery,
    /// `sql_service().execute`
    ExecuteQuery,
}

impl Method {
    /// The name on the wire, such as `ReadRows`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadRows => "ReadRows",
            Self::MutateRow => "MutateRow",
            Self::MutateRows => "MutateRows",
            Self::CheckAndMutateRow => "CheckAndMutateRow",
            Self::ReadModifyWriteRow => "ReadModifyWriteRow",
            Self::SampleRowKeys => "SampleRowKeys",
            Self::CreateTable => "CreateTable",
            Self::GetTable => "GetTable",
            Self::ListTables => "ListTables",
            Self::DeleteTable => "DeleteTable",
            Self::ModifyColumnFamilies => "ModifyColumnFamilies",
            Self::UpdateTable => "UpdateTable",
            Self::CreateSchemaBundle => "CreateSchemaBundle",
            Self::DropRowRange => "DropRowRange",
            Self::GenerateConsistencyToken => "GenerateConsistencyToken",
            Self::CheckConsistency => "CheckConsistency",
            Self::PrepareQuery => "PrepareQuery",
            Self::ExecuteQuery => "ExecuteQuery",
        }
    }

    /// Whether its requests name rows.
    pub(crate) fn has_keys(self) -> bool {
        matches!(
            self,
            Self::ReadRows
                | Self::MutateRow
                | Self::MutateRows
                | Self::CheckAndMutateRow
                | Self::ReadModifyWriteRow
        )
    }

    /// Whether its requests name a table.
    pub(crate) fn has_table(self) -> bool {
        !matches!(
            self,
            Self::ListTables | Self::PrepareQuery | Self::ExecuteQuery
        )
    }

    /// Whether it is answered with a stream of rows.
    pub(crate) fn has_rows(self) -> bool {
        matches!(self, Self::ReadRows | Self::ExecuteQuery)
    }
}
