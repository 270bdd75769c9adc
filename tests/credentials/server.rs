//! A server of Bigtable's protocol that records how calls are authenticated.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bigtable_model::backend::grpc::server::{Answer, GrpcServer, GrpcService};
use bigtable_model::backend::grpc::wire;
use tonic::transport::server::{Server, TcpIncoming};
use tonic::transport::{Identity, ServerTlsConfig};
use tonic::{Request, Response};

/// The credentials of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Presented {
    pub(crate) authorization: Option<String>,
    pub(crate) quota_project: Option<String>,
}

impl Presented {
    pub(crate) fn new(authorization: &str, quota_project: Option<&str>) -> Self {
        Self {
            authorization: Some(authorization.to_owned()),
            quota_project: quota_project.map(str::to_owned),
        }
    }

    pub(crate) const NOTHING: Self = Self {
        authorization: None,
        quota_project: None,
    };
}

/// The server on its own port.
#[derive(Debug, Default)]
pub(crate) struct Notes(Mutex<Vec<Presented>>);

/// Its address and certificate.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) address: String,
    pub(crate) certificate: String,
}

impl Notes {
    /// Serves with TLS, as `localhost`.
    pub(crate) fn start_tls() -> (Arc<Self>, Place) {
        let own = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let certificate = own.cert.pem();
        let identity = Identity::from_pem(&certificate, own.signing_key.serialize_pem());
        let tls = ServerTlsConfig::new().identity(identity);
        let server = Server::builder().tls_config(tls).unwrap();
        let (notes, port) = Self::serve(server);
        let place = Place {
            address: format!("localhost:{port}"),
            certificate,
        };
        (notes, place)
    }

    /// Serves without TLS.
    pub(crate) fn start_plaintext() -> (Arc<Self>, String) {
        let (notes, port) = Self::serve(Server::builder());
        (notes, format!("127.0.0.1:{port}"))
    }

    fn serve(server: Server) -> (Arc<Self>, u16) {
        let notes = Arc::new(Self::default());
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let incoming = TcpIncoming::bind(any).unwrap();
        let port = incoming.local_addr().unwrap().port();
        let service = GrpcService::new(Arc::clone(&notes));
        tokio::spawn(server.serve_with_incoming(service, incoming));
        (notes, port)
    }

    pub(crate) fn taken(&self) -> Vec<Presented> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    fn note<Q>(&self, request: &Request<Q>) {
        let header = |name| {
            let mut values = request.metadata().get_all(name).iter();
            let value = values
                .next()
                .map(|value| value.to_str().unwrap().to_owned());
            assert!(values.next().is_none(), "{name} is there twice");
            value
        };
        self.0.lock().unwrap().push(Presented {
            authorization: header("authorization"),
            quota_project: header("x-goog-user-project"),
        });
    }
}

impl GrpcServer for Notes {
    fn mutate_row(
        &self,
        request: Request<wire::MutateRowRequest>,
    ) -> Answer<wire::MutateRowResponse> {
        self.note(&request);
        Box::pin(async { Ok(Response::new(wire::MutateRowResponse {})) })
    }

    fn list_tables(
        &self,
        request: Request<wire::ListTablesRequest>,
    ) -> Answer<wire::ListTablesResponse> {
        self.note(&request);
        Box::pin(async { Ok(Response::new(wire::ListTablesResponse::default())) })
    }
}
