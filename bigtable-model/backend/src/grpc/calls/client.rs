//! One attempt of each call, in the protocol's own messages.
//!
//! Only names and routing are added here: messages are sent as the caller made them.

use bytes::Bytes;
use tonic::body::Body;

use crate::ConnectError;
use crate::grpc::channel::flow::Flow;
use crate::grpc::channel::headers::Routing;
use crate::grpc::channel::in_flight::Gate;
use crate::grpc::channel::transport::{Answers, Transport};
use crate::grpc::protocol::chunk::Chunks;
use crate::grpc::protocol::entries::{Entries, EntriesBody, Outcomes};
use crate::grpc::protocol::failure::Failure;
use crate::grpc::protocol::method::Method;
use crate::grpc::protocol::names::{InstanceName, Target};
use crate::grpc::protocol::wire;
use crate::grpc::retry::operation::Call;
use crate::grpc::settings::GrpcSettings;

/// An instance and its transport.
#[derive(Debug)]
pub(crate) struct Client {
    instance: InstanceName,
    transport: Transport,
    gate: Gate,
    /// `None` if bulk writes are sent at once.
    flow: Option<Flow>,
}

impl Client {
    pub(crate) fn new(settings: &GrpcSettings) -> Result<Self, ConnectError> {
        crate::grpc::observe::meter::describe();
        Ok(Self {
            instance: InstanceName::new(&settings.project, &settings.instance),
            transport: Transport::new(settings)?,
            gate: Gate::default(),
            flow: settings.flow_control.map(Flow::new),
        })
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.gate
    }

    pub(crate) fn flow(&self) -> Option<&Flow> {
        self.flow.as_ref()
    }

    pub(crate) fn instance(&self) -> &InstanceName {
        &self.instance
    }

    pub(crate) fn transport(&self) -> &Transport {
        &self.transport
    }

    fn target(&self, call: &Call, table: &str) -> Target {
        self.instance.target(table, call.view.as_deref())
    }

    pub(crate) async fn read_rows(
        &self,
        call: &Call,
        table: &str,
        mut request: wire::ReadRowsRequest,
    ) -> Result<Answers<Chunks>, Failure> {
        let target = self.target(call, table);
        request.table_name.clone_from(&target.table);
        request.authorized_view_name.clone_from(&target.view);
        request.app_profile_id = call.app_profile.to_string();
        self.transport
            .streaming(Method::READ_ROWS, by_target(&target, call), call, request)
            .await
    }

    pub(crate) async fn sample_row_keys(
        &self,
        call: &Call,
        table: &str,
    ) -> Result<Answers<wire::SampleRowKeysResponse>, Failure> {
        let target = self.target(call, table);
        let request = wire::SampleRowKeysRequest {
            table_name: target.table.clone(),
            authorized_view_name: target.view.clone(),
            app_profile_id: call.app_profile.to_string(),
        };
        self.transport
            .streaming(
                Method::SAMPLE_ROW_KEYS,
                by_target(&target, call),
                call,
                request,
            )
            .await
    }

    pub(crate) async fn mutate_row(
        &self,
        call: &Call,
        table: &str,
        mut request: wire::MutateRowRequest,
    ) -> Result<wire::MutateRowResponse, Failure> {
        let target = self.target(call, table);
        request.table_name.clone_from(&target.table);
        request.authorized_view_name.clone_from(&target.view);
        request.app_profile_id = call.app_profile.to_string();
        self.transport
            .unary(Method::MUTATE_ROW, by_target(&target, call), call, request)
            .await
    }

    pub(crate) async fn mutate_rows(
        &self,
        call: &Call,
        table: &str,
        entries: Entries,
    ) -> Result<Answers<Outcomes>, Failure> {
        let target = self.target(call, table);
        let body = Body::new(EntriesBody::new(entries, &target, &call.app_profile)?);
        self.transport
            .streaming_body(Method::MUTATE_ROWS, by_target(&target, call), call, body)
            .await
    }

    pub(crate) async fn check_and_mutate_row(
        &self,
        call: &Call,
        table: &str,
        mut request: wire::CheckAndMutateRowRequest,
    ) -> Result<wire::CheckAndMutateRowResponse, Failure> {
        let target = self.target(call, table);
        request.table_name.clone_from(&target.table);
        request.authorized_view_name.clone_from(&target.view);
        request.app_profile_id = call.app_profile.to_string();
        self.transport
            .unary(
                Method::CHECK_AND_MUTATE_ROW,
                by_target(&target, call),
                call,
                request,
            )
            .await
    }

    pub(crate) async fn read_modify_write_row(
        &self,
        call: &Call,
        table: &str,
        row_key: Bytes,
        rules: Vec<wire::ReadModifyWriteRule>,
    ) -> Result<wire::ReadModifyWriteRowResponse, Failure> {
        let target = self.target(call, table);
        let request = wire::ReadModifyWriteRowRequest {
            table_name: target.table.clone(),
            authorized_view_name: target.view.clone(),
            app_profile_id: call.app_profile.to_string(),
            row_key,
            rules,
        };
        self.transport
            .unary(
                Method::READ_MODIFY_WRITE_ROW,
                by_target(&target, call),
                call,
                request,
            )
            .await
    }

    pub(crate) async fn prepare_query(
        &self,
        call: &Call,
        mut request: wire::PrepareQueryRequest,
    ) -> Result<wire::PrepareQueryResponse, Failure> {
        request.instance_name = self.instance.as_str().to_owned();
        request.app_profile_id = call.app_profile.to_string();
        self.transport
            .unary(Method::PREPARE_QUERY, self.by_instance(call), call, request)
            .await
    }

    pub(crate) async fn execute_query(
        &self,
        call: &Call,
        mut request: wire::ExecuteQueryRequest,
    ) -> Result<Answers<wire::ExecuteQueryResponse>, Failure> {
        request.instance_name = self.instance.as_str().to_owned();
        request.app_profile_id = call.app_profile.to_string();
        self.transport
            .streaming(Method::EXECUTE_QUERY, self.by_instance(call), call, request)
            .await
    }

    fn by_instance<'a>(&'a self, call: &'a Call) -> Routing<'a> {
        Routing::Instance {
            name: self.instance.as_str(),
            app_profile: &call.app_profile,
        }
    }

    pub(crate) async fn create_table(
        &self,
        call: &Call,
        table: String,
        schema: wire::Table,
        splits: Vec<Bytes>,
    ) -> Result<wire::Table, Failure> {
        let request = wire::CreateTableRequest {
            parent: self.instance.as_str().to_owned(),
            table_id: table,
            table: Some(schema),
            initial_splits: splits.into_iter().map(|key| wire::Split { key }).collect(),
        };
        self.transport
            .unary(Method::CREATE_TABLE, self.parent(), call, request)
            .await
    }

    pub(crate) async fn list_tables(
        &self,
        call: &Call,
        page_token: String,
    ) -> Result<wire::ListTablesResponse, Failure> {
        let request = wire::ListTablesRequest {
            parent: self.instance.as_str().to_owned(),
            view: wire::VIEW_NAME_ONLY,
            page_token,
            page_size: 0,
        };
        self.transport
            .unary(Method::LIST_TABLES, self.parent(), call, request)
            .await
    }

    fn parent(&self) -> Routing<'_> {
        Routing::Admin {
            field: "parent",
            name: self.instance.as_str(),
        }
    }

    pub(crate) async fn get_table(&self, call: &Call, table: &str) -> Result<wire::Table, Failure> {
        let name = self.instance.table(table);
        let request = wire::GetTableRequest {
            name: name.clone(),
            view: wire::VIEW_SCHEMA,
        };
        self.transport
            .unary(Method::GET_TABLE, by_name(&name), call, request)
            .await
    }

    pub(crate) async fn delete_table(
        &self,
        call: &Call,
        table: &str,
    ) -> Result<wire::Empty, Failure> {
        let name = self.instance.table(table);
        let request = wire::DeleteTableRequest { name: name.clone() };
        self.transport
            .unary(Method::DELETE_TABLE, by_name(&name), call, request)
            .await
    }

    pub(crate) async fn modify_column_families(
        &self,
        call: &Call,
        table: &str,
        modifications: Vec<wire::Modification>,
    ) -> Result<wire::Table, Failure> {
        let name = self.instance.table(table);
        let request = wire::ModifyColumnFamiliesRequest {
            name: name.clone(),
            modifications,
        };
        self.transport
            .unary(
                Method::MODIFY_COLUMN_FAMILIES,
                by_name(&name),
                call,
                request,
            )
            .await
    }

    pub(crate) async fn update_table(
        &self,
        call: &Call,
        table: &str,
        request: wire::UpdateTableRequest,
    ) -> Result<wire::LongOperation, Failure> {
        let name = self.instance.table(table);
        let routing = Routing::Admin {
            field: "table.name",
            name: &name,
        };
        self.transport
            .unary(Method::UPDATE_TABLE, routing, call, request)
            .await
    }

    pub(crate) async fn get_operation(
        &self,
        call: &Call,
        name: String,
    ) -> Result<wire::LongOperation, Failure> {
        let request = wire::GetOperationRequest { name: name.clone() };
        self.transport
            .unary(Method::GET_OPERATION, by_name(&name), call, request)
            .await
    }

    pub(crate) async fn drop_row_range(
        &self,
        call: &Call,
        table: &str,
        target: wire::DropTarget,
    ) -> Result<wire::Empty, Failure> {
        let name = self.instance.table(table);
        let request = wire::DropRowRangeRequest {
            name: name.clone(),
            target: Some(target),
        };
        self.transport
            .unary(Method::DROP_ROW_RANGE, by_name(&name), call, request)
            .await
    }
}

fn by_target<'a>(target: &'a Target, call: &'a Call) -> Routing<'a> {
    let app_profile = &call.app_profile;
    match target.view.is_empty() {
        true => Routing::Table {
            name: &target.table,
            app_profile,
        },
        false => Routing::View {
            name: &target.view,
            app_profile,
        },
    }
}

fn by_name(name: &str) -> Routing<'_> {
    Routing::Admin {
        field: "name",
        name,
    }
}
