//! One attempt of each call, in the protocol's own messages.
//!
//! Nothing is checked or changed here but the names and the routing: what the caller puts into a message goes out.

use bytes::Bytes;
use tonic::Streaming;

use super::headers::Routing;
use super::method::Method;
use super::names::InstanceName;
use super::settings::GrpcSettings;
use super::transport::Transport;
use super::wire;
use crate::Status;
use crate::backend::ConnectError;

/// An instance and the way to it.
#[derive(Debug)]
pub(crate) struct Client {
    instance: InstanceName,
    app_profile: String,
    transport: Transport,
}

impl Client {
    pub(crate) fn new(settings: &GrpcSettings) -> Result<Self, ConnectError> {
        Ok(Self {
            instance: InstanceName::new(settings),
            app_profile: settings.app_profile.clone(),
            transport: Transport::new(settings)?,
        })
    }

    fn routing<'a>(&'a self, name: &'a str) -> Routing<'a> {
        Routing::Table {
            name,
            app_profile: &self.app_profile,
        }
    }

    pub(crate) async fn read_rows(
        &self,
        table: &str,
        mut request: wire::ReadRowsRequest,
    ) -> Result<Streaming<wire::ReadRowsResponse>, Status> {
        request.table_name = self.instance.table(table);
        request.app_profile_id.clone_from(&self.app_profile);
        let name = request.table_name.clone();
        self.transport
            .streaming(Method::READ_ROWS, self.routing(&name), request)
            .await
    }

    pub(crate) async fn sample_row_keys(
        &self,
        table: &str,
    ) -> Result<Streaming<wire::SampleRowKeysResponse>, Status> {
        let name = self.instance.table(table);
        let request = wire::SampleRowKeysRequest {
            table_name: name.clone(),
            app_profile_id: self.app_profile.clone(),
        };
        self.transport
            .streaming(Method::SAMPLE_ROW_KEYS, self.routing(&name), request)
            .await
    }

    pub(crate) async fn mutate_row(
        &self,
        table: &str,
        row_key: Bytes,
        mutations: Vec<wire::Mutation>,
    ) -> Result<wire::MutateRowResponse, Status> {
        let name = self.instance.table(table);
        let request = wire::MutateRowRequest {
            table_name: name.clone(),
            app_profile_id: self.app_profile.clone(),
            row_key,
            mutations,
        };
        self.transport
            .unary(Method::MUTATE_ROW, self.routing(&name), request)
            .await
    }

    pub(crate) async fn mutate_rows(
        &self,
        table: &str,
        entries: Vec<wire::MutateRowsEntry>,
    ) -> Result<Streaming<wire::MutateRowsResponse>, Status> {
        let name = self.instance.table(table);
        let request = wire::MutateRowsRequest {
            table_name: name.clone(),
            app_profile_id: self.app_profile.clone(),
            entries,
        };
        self.transport
            .streaming(Method::MUTATE_ROWS, self.routing(&name), request)
            .await
    }

    pub(crate) async fn check_and_mutate_row(
        &self,
        table: &str,
        mut request: wire::CheckAndMutateRowRequest,
    ) -> Result<wire::CheckAndMutateRowResponse, Status> {
        request.table_name = self.instance.table(table);
        request.app_profile_id.clone_from(&self.app_profile);
        let name = request.table_name.clone();
        self.transport
            .unary(Method::CHECK_AND_MUTATE_ROW, self.routing(&name), request)
            .await
    }

    pub(crate) async fn read_modify_write_row(
        &self,
        table: &str,
        row_key: Bytes,
        rules: Vec<wire::ReadModifyWriteRule>,
    ) -> Result<wire::ReadModifyWriteRowResponse, Status> {
        let name = self.instance.table(table);
        let request = wire::ReadModifyWriteRowRequest {
            table_name: name.clone(),
            app_profile_id: self.app_profile.clone(),
            row_key,
            rules,
        };
        self.transport
            .unary(Method::READ_MODIFY_WRITE_ROW, self.routing(&name), request)
            .await
    }

    pub(crate) async fn create_table(
        &self,
        table: String,
        schema: wire::Table,
        splits: Vec<Bytes>,
    ) -> Result<wire::Table, Status> {
        let request = wire::CreateTableRequest {
            parent: self.instance.as_str().to_owned(),
            table_id: table,
            table: Some(schema),
            initial_splits: splits.into_iter().map(|key| wire::Split { key }).collect(),
        };
        self.transport
            .unary(Method::CREATE_TABLE, self.parent(), request)
            .await
    }

    pub(crate) async fn list_tables(
        &self,
        page_token: String,
    ) -> Result<wire::ListTablesResponse, Status> {
        let request = wire::ListTablesRequest {
            parent: self.instance.as_str().to_owned(),
            view: wire::VIEW_NAME_ONLY,
            page_token,
            page_size: 0,
        };
        self.transport
            .unary(Method::LIST_TABLES, self.parent(), request)
            .await
    }

    fn parent(&self) -> Routing<'_> {
        Routing::Admin {
            field: "parent",
            name: self.instance.as_str(),
        }
    }

    pub(crate) async fn get_table(&self, table: &str) -> Result<wire::Table, Status> {
        let name = self.instance.table(table);
        let request = wire::GetTableRequest {
            name: name.clone(),
            view: wire::VIEW_SCHEMA,
        };
        self.transport
            .unary(Method::GET_TABLE, by_name(&name), request)
            .await
    }

    pub(crate) async fn delete_table(&self, table: &str) -> Result<wire::Empty, Status> {
        let name = self.instance.table(table);
        let request = wire::DeleteTableRequest { name: name.clone() };
        self.transport
            .unary(Method::DELETE_TABLE, by_name(&name), request)
            .await
    }

    pub(crate) async fn modify_column_families(
        &self,
        table: &str,
        modifications: Vec<wire::Modification>,
    ) -> Result<wire::Table, Status> {
        let name = self.instance.table(table);
        let request = wire::ModifyColumnFamiliesRequest {
            name: name.clone(),
            modifications,
        };
        self.transport
            .unary(Method::MODIFY_COLUMN_FAMILIES, by_name(&name), request)
            .await
    }

    pub(crate) async fn drop_row_range(
        &self,
        table: &str,
        target: wire::DropTarget,
    ) -> Result<wire::Empty, Status> {
        let name = self.instance.table(table);
        let request = wire::DropRowRangeRequest {
            name: name.clone(),
            target: Some(target),
        };
        self.transport
            .unary(Method::DROP_ROW_RANGE, by_name(&name), request)
            .await
    }
}

fn by_name(name: &str) -> Routing<'_> {
    Routing::Admin {
        field: "name",
        name,
    }
}
