//! A proxy in this process, and its calls.

use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::grpc::wire;
use bigtable_model_tests::proxy::Proxy;
use bigtable_model_tests::proxy::messages as m;
use prost::Message;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

use crate::mock::Mock;

pub(crate) const CLIENT: &str = "the client";
pub(crate) const TABLE: &str = "projects/project/instances/instance/tables/table";

/// A proxy. Clones talk to the same one.
#[derive(Debug, Clone)]
pub(crate) struct Driver {
    channel: Channel,
}

impl Driver {
    /// Starts a proxy without clients.
    pub(crate) fn start() -> Self {
        let (address, serving) = Proxy::default().serve(0).unwrap();
        tokio::spawn(serving);
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        Self {
            channel: endpoint.connect_lazy(),
        }
    }

    /// Starts a proxy with a client of a server.
    pub(crate) async fn with_client() -> (Self, Arc<Mock>) {
        let (mock, address) = Mock::start();
        let driver = Self::start();
        driver.create(&client_of(&address)).await.unwrap();
        (driver, mock)
    }

    /// The same, with this maximum time for the client's operations.
    pub(crate) async fn with_timeout(timeout: Duration) -> (Self, Arc<Mock>) {
        let (mock, address) = Mock::start();
        let driver = Self::start();
        let request = m::CreateClientRequest {
            per_operation_timeout: Some(wire::Duration {
                seconds: i64::try_from(timeout.as_secs()).unwrap(),
                nanos: i32::try_from(timeout.subsec_nanos()).unwrap(),
            }),
            ..client_of(&address)
        };
        driver.create(&request).await.unwrap();
        (driver, mock)
    }

    /// One call of the proxy's service.
    pub(crate) async fn call<Q, A>(&self, method: &str, request: Q) -> Result<A, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let mut grpc = Grpc::new(self.channel.clone());
        grpc.ready().await.unwrap();
        let path = format!("/google.bigtable.testproxy.CloudBigtableV2TestProxy/{method}");
        let path = PathAndQuery::try_from(path).unwrap();
        let codec = ProstCodec::<Q, A>::default();
        let answer = grpc.unary(Request::new(request), path, codec).await?;
        Ok(answer.into_inner())
    }

    pub(crate) async fn create(&self, request: &m::CreateClientRequest) -> Result<(), Status> {
        let answer = self.call::<_, wire::Empty>("CreateClient", request.clone());
        answer.await.map(|wire::Empty {}| ())
    }

    pub(crate) async fn close(&self, id: &str) -> Result<(), Status> {
        let answer = self.call::<_, wire::Empty>("CloseClient", named(id));
        answer.await.map(|wire::Empty {}| ())
    }

    pub(crate) async fn remove(&self, id: &str) -> Result<(), Status> {
        let answer = self.call::<_, wire::Empty>("RemoveClient", named(id));
        answer.await.map(|wire::Empty {}| ())
    }

    pub(crate) async fn read_row(&self, key: &'static str) -> m::RowResult {
        let request = m::ReadRowRequest {
            client_id: CLIENT.to_owned(),
            table_name: TABLE.to_owned(),
            row_key: key.into(),
            filter: None,
        };
        self.call("ReadRow", request).await.unwrap()
    }

    pub(crate) async fn read_rows(&self, request: wire::ReadRowsRequest) -> m::RowsResult {
        self.read_rows_until(request, 0).await
    }

    pub(crate) async fn read_rows_until(
        &self,
        request: wire::ReadRowsRequest,
        cancel_after_rows: i32,
    ) -> m::RowsResult {
        let request = m::ReadRowsRequest {
            client_id: CLIENT.to_owned(),
            request: Some(request),
            cancel_after_rows,
        };
        self.call("ReadRows", request).await.unwrap()
    }

    pub(crate) async fn sample_row_keys(&self) -> m::SampleRowKeysResult {
        let request = m::SampleRowKeysRequest {
            client_id: CLIENT.to_owned(),
            request: Some(wire::SampleRowKeysRequest {
                table_name: TABLE.to_owned(),
                ..wire::SampleRowKeysRequest::default()
            }),
        };
        self.call("SampleRowKeys", request).await.unwrap()
    }

    pub(crate) async fn mutate_row(&self, request: wire::MutateRowRequest) -> m::MutateRowResult {
        let request = m::MutateRowRequest {
            client_id: CLIENT.to_owned(),
            request: Some(request),
        };
        self.call("MutateRow", request).await.unwrap()
    }

    pub(crate) async fn bulk_mutate_rows(
        &self,
        request: wire::MutateRowsRequest,
    ) -> m::MutateRowsResult {
        let request = m::MutateRowsRequest {
            client_id: CLIENT.to_owned(),
            request: Some(request),
        };
        self.call("BulkMutateRows", request).await.unwrap()
    }

    pub(crate) async fn check_and_mutate_row(
        &self,
        request: wire::CheckAndMutateRowRequest,
    ) -> m::CheckAndMutateRowResult {
        let request = m::CheckAndMutateRowRequest {
            client_id: CLIENT.to_owned(),
            request: Some(request),
        };
        self.call("CheckAndMutateRow", request).await.unwrap()
    }

    pub(crate) async fn execute_query(
        &self,
        request: wire::ExecuteQueryRequest,
    ) -> m::ExecuteQueryResult {
        let request = m::ExecuteQueryRequest {
            client_id: CLIENT.to_owned(),
            request: Some(request),
        };
        self.call("ExecuteQuery", request).await.unwrap()
    }

    pub(crate) async fn read_modify_write_row(
        &self,
        request: wire::ReadModifyWriteRowRequest,
    ) -> m::RowResult {
        let request = m::ReadModifyWriteRowRequest {
            client_id: CLIENT.to_owned(),
            request: Some(request),
        };
        self.call("ReadModifyWriteRow", request).await.unwrap()
    }
}

/// The simplest request that creates [`CLIENT`].
pub(crate) fn client_of(address: &str) -> m::CreateClientRequest {
    m::CreateClientRequest {
        client_id: CLIENT.to_owned(),
        data_target: address.to_owned(),
        project_id: "project".to_owned(),
        instance_id: "instance".to_owned(),
        ..m::CreateClientRequest::default()
    }
}

pub(crate) fn named(id: &str) -> m::ClientRequest {
    m::ClientRequest {
        client_id: id.to_owned(),
    }
}

/// The code and the message of a client's status, which is present for success too.
pub(crate) fn code(status: &Option<wire::RpcStatus>) -> (tonic::Code, &str) {
    let status = status.as_ref().unwrap();
    (tonic::Code::from_i32(status.code), &status.message)
}
