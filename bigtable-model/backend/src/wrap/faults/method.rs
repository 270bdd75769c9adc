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
    /// `create_table`
    CreateTable,
    /// `get_table`
    GetTable,
    /// `list_tables`
    ListTables,
    /// `delete_table`
    DeleteTable,
    /// `modify_families`
    ModifyColumnFamilies,
    /// `drop_rows`
    DropRowRange,
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
            Self::DropRowRange => "DropRowRange",
        }
    }

    /// Whether its requests name rows.
    pub(super) fn has_keys(self) -> bool {
        matches!(
            self,
            Self::ReadRows
                | Self::MutateRow
                | Self::MutateRows
                | Self::CheckAndMutateRow
                | Self::ReadModifyWriteRow
        )
    }
}
