//! The methods of the two services.

use http::uri::PathAndQuery;

/// One RPC method: its path and, for logs, its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Method(&'static str);

impl Method {
    pub(crate) const READ_ROWS: Self = Self("/google.bigtable.v2.Bigtable/ReadRows");
    pub(crate) const SAMPLE_ROW_KEYS: Self = Self("/google.bigtable.v2.Bigtable/SampleRowKeys");
    pub(crate) const MUTATE_ROW: Self = Self("/google.bigtable.v2.Bigtable/MutateRow");
    pub(crate) const MUTATE_ROWS: Self = Self("/google.bigtable.v2.Bigtable/MutateRows");
    pub(crate) const CHECK_AND_MUTATE_ROW: Self =
        Self("/google.bigtable.v2.Bigtable/CheckAndMutateRow");
    pub(crate) const READ_MODIFY_WRITE_ROW: Self =
        Self("/google.bigtable.v2.Bigtable/ReadModifyWriteRow");

    pub(crate) const CREATE_TABLE: Self =
        Self("/google.bigtable.admin.v2.BigtableTableAdmin/CreateTable");
    pub(crate) const GET_TABLE: Self =
        Self("/google.bigtable.admin.v2.BigtableTableAdmin/GetTable");
    pub(crate) const LIST_TABLES: Self =
        Self("/google.bigtable.admin.v2.BigtableTableAdmin/ListTables");
    pub(crate) const DELETE_TABLE: Self =
        Self("/google.bigtable.admin.v2.BigtableTableAdmin/DeleteTable");
    pub(crate) const MODIFY_COLUMN_FAMILIES: Self =
        Self("/google.bigtable.admin.v2.BigtableTableAdmin/ModifyColumnFamilies");
    pub(crate) const DROP_ROW_RANGE: Self =
        Self("/google.bigtable.admin.v2.BigtableTableAdmin/DropRowRange");

    pub(crate) fn path(self) -> PathAndQuery {
        PathAndQuery::from_static(self.0)
    }
}
