//! The service with which the public conformance tests of Bigtable clients drive the gRPC backend.
//!
//! It is thin: it forwards the tests' requests to the client, and the client's results to the
//! tests. The program is `test-proxy`.

#![allow(
    missing_docs,
    reason = "fields are those of the published service, which says what they mean"
)]

mod clients;
pub mod messages;
mod operations;
mod service;

use std::net::SocketAddr;
use std::sync::Arc;

use bigtable_model::backend::grpc::wire::Empty;
use tonic::Status;
use tonic::transport::server::{Server, TcpIncoming};

use clients::Clients;
use messages::{ClientRequest, CreateClientRequest};

/// The proxy, with its clients. Clones share the clients.
#[derive(Debug, Clone, Default)]
pub struct Proxy {
    clients: Arc<Clients>,
}

impl Proxy {
    /// Serves until the process or its runtime ends. The address is bound before this returns.
    ///
    /// # Errors
    ///
    /// If the port is in use.
    pub fn serve(
        self,
        port: u16,
    ) -> std::io::Result<(
        SocketAddr,
        impl Future<Output = Result<(), tonic::transport::Error>>,
    )> {
        let incoming = TcpIncoming::bind(SocketAddr::from(([127, 0, 0, 1], port)))?;
        let address = incoming.local_addr()?;
        let incoming = incoming.with_nodelay(Some(true));
        Ok((
            address,
            Server::builder().serve_with_incoming(self, incoming),
        ))
    }

    async fn create_client(self, request: CreateClientRequest) -> Result<Empty, Status> {
        self.clients.create(&request)?;
        Ok(Empty {})
    }

    /// Operations in progress continue, later ones are refused. A second call changes nothing.
    async fn close_client(self, request: ClientRequest) -> Result<Empty, Status> {
        self.clients.get(&request.client_id)?.close();
        Ok(Empty {})
    }

    /// Removes the ID. Operations in progress continue.
    async fn remove_client(self, request: ClientRequest) -> Result<Empty, Status> {
        self.clients.remove(&request.client_id)?;
        Ok(Empty {})
    }
}
