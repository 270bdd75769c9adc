//! The methods of the two services.

use http::uri::PathAndQuery;

/// One RPC method: its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

    pub(crate) const PREPARE_QUERY: Self = Self("/google.bigtable.v2.Bigtable/PrepareQuery");
    pub(crate) const EXECUTE_QUERY: Self = Self("/google.bigtable.v2.Bigtable/ExecuteQuery");
    pub(crate) const PING_AND_WARM: Self = Self("/google.bigtable.v2.Bigtable/PingAndWarm");

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

    pub(crate) const UPDATE_TABLE: Self =
        Self("/google.bigtable.admin.v2.BigtableTableAdmin/UpdateTable");
    pub(crate) const CREATE_SCHEMA_BUNDLE: Self =
        Self("/google.bigtable.admin.v2.BigtableTableAdmin/CreateSchemaBundle");
    pub(crate) const UPDATE_SCHEMA_BUNDLE: Self =
        Self("/google.bigtable.admin.v2.BigtableTableAdmin/UpdateSchemaBundle");
    pub(crate) const GET_OPERATION: Self = Self("/google.longrunning.Operations/GetOperation");

    pub(crate) const GENERATE_CONSISTENCY_TOKEN: Self =
        Self("/google.bigtable.admin.v2.BigtableTableAdmin/GenerateConsistencyToken");
    pub(crate) const CHECK_CONSISTENCY: Self =
        Self("/google.bigtable.admin.v2.BigtableTableAdmin/CheckConsistency");

    #[cfg(feature = "server")]
    const ALL: [Self; 21] = [
        Self::READ_ROWS,
        Self::SAMPLE_ROW_KEYS,
        Self::MUTATE_ROW,
        Self::MUTATE_ROWS,
        Self::CHECK_AND_MUTATE_ROW,
        Self::READ_MODIFY_WRITE_ROW,
        Self::PING_AND_WARM,
        Self::CREATE_TABLE,
        Self::GET_TABLE,
        Self::LIST_TABLES,
        Self::DELETE_TABLE,
        Self::MODIFY_COLUMN_FAMILIES,
        Self::DROP_ROW_RANGE,
        Self::GENERATE_CONSISTENCY_TOKEN,
        Self::CHECK_CONSISTENCY,
        Self::PREPARE_QUERY,
        Self::EXECUTE_QUERY,
        Self::UPDATE_TABLE,
        Self::GET_OPERATION,
        Self::CREATE_SCHEMA_BUNDLE,
        Self::UPDATE_SCHEMA_BUNDLE,
    ];

    /// The method with this path.
    #[cfg(feature = "server")]
    pub(crate) fn named(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.0 == path)
    }

    /// The method at this index of the list.
    #[cfg(feature = "server")]
    pub(crate) fn numbered(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Whether it belongs to the admin API, which the service has at another address.
    pub(crate) fn is_admin(self) -> bool {
        self.0.starts_with("/google.bigtable.admin.") || self == Self::GET_OPERATION
    }

    /// Whether its requests may name an authorized view instead of a table.
    pub(crate) fn has_views(self) -> bool {
        [
            Self::READ_ROWS,
            Self::SAMPLE_ROW_KEYS,
            Self::MUTATE_ROW,
            Self::MUTATE_ROWS,
            Self::CHECK_AND_MUTATE_ROW,
            Self::READ_MODIFY_WRITE_ROW,
        ]
        .contains(&self)
    }

    /// The last part of the path.
    pub(crate) fn name(self) -> &'static str {
        self.0.rsplit_once('/').map_or(self.0, |(_, name)| name)
    }

    pub(crate) fn path(self) -> PathAndQuery {
        PathAndQuery::from_static(self.0)
    }
}
