//! A server that answers as a test tells it, and remembers what it was asked.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bigtable_model::backend::grpc::server::{Answer, Answers, GrpcServer, GrpcService, Messages};
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, wire};
use futures::stream;
use futures::{Stream, StreamExt};
use tonic::metadata::MetadataMap;
use tonic::transport::server::{Server, TcpIncoming};
use tonic::{Request, Response, Status};

/// How one call that streams its answers goes.
#[derive(Debug)]
pub(crate) enum Step<A> {
    Send(A),
    Fail(Status),
    /// Never another message.
    Hang,
}

type Scripts<A> = Mutex<VecDeque<Vec<Step<A>>>>;

/// The server. A call that no script is left for fails.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    read_rows: Scripts<wire::ReadRowsResponse>,
    mutate_rows: Scripts<wire::MutateRowsResponse>,
    headers: Mutex<Vec<MetadataMap>>,
    reads: Mutex<Vec<wire::ReadRowsRequest>>,
    /// Calls whose answers nobody waits for any more, because they ended or were cancelled.
    ended: Arc<AtomicUsize>,
}

impl Scripted {
    /// Starts it; it ends with the test's runtime.
    pub(crate) async fn start() -> (Arc<Self>, GrpcBackend) {
        let server = Arc::new(Self::default());
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let incoming = TcpIncoming::bind(any).unwrap();
        let address = incoming.local_addr().unwrap().to_string();
        let service = GrpcService::new(Arc::clone(&server));
        tokio::spawn(Server::builder().serve_with_incoming(service, incoming));
        let settings = GrpcSettings::new("p", "i")
            .app_profile("my profile")
            .emulator(address);
        (server, GrpcBackend::new(&settings).unwrap())
    }

    pub(crate) fn on_read_rows(&self, steps: Vec<Step<wire::ReadRowsResponse>>) {
        self.read_rows.lock().unwrap().push_back(steps);
    }

    pub(crate) fn on_mutate_rows(&self, steps: Vec<Step<wire::MutateRowsResponse>>) {
        self.mutate_rows.lock().unwrap().push_back(steps);
    }

    pub(crate) fn headers(&self) -> Vec<MetadataMap> {
        self.headers.lock().unwrap().clone()
    }

    pub(crate) fn reads(&self) -> Vec<wire::ReadRowsRequest> {
        self.reads.lock().unwrap().clone()
    }

    pub(crate) fn ended(&self) -> usize {
        self.ended.load(Ordering::SeqCst)
    }

    fn note<Q>(&self, request: &Request<Q>) {
        let headers = request.metadata().clone();
        self.headers.lock().unwrap().push(headers);
    }
}

/// Counts when it is dropped.
struct Ended(Arc<AtomicUsize>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Scripted {
    fn play<A: Send + 'static>(&self, scripts: &Scripts<A>) -> Answers<A> {
        let Some(steps) = scripts.lock().unwrap().pop_front() else {
            return Box::pin(async { Err(Status::failed_precondition("no script is left")) });
        };
        let ended = Ended(Arc::clone(&self.ended));
        let answers = answers(steps).inspect(move |_| {
            let _held = &ended;
        });
        Box::pin(async move { Ok(Response::new(Messages::new(answers))) })
    }
}

fn answers<A: Send + 'static>(
    steps: Vec<Step<A>>,
) -> impl Stream<Item = Result<A, Status>> + Send + 'static {
    stream::iter(steps).then(|step| async {
        match step {
            Step::Send(answer) => Ok(answer),
            Step::Fail(status) => Err(status),
            Step::Hang => std::future::pending().await,
        }
    })
}

impl GrpcServer for Scripted {
    fn read_rows(
        &self,
        request: Request<wire::ReadRowsRequest>,
    ) -> Answers<wire::ReadRowsResponse> {
        self.note(&request);
        self.reads.lock().unwrap().push(request.into_inner());
        self.play(&self.read_rows)
    }

    fn mutate_rows(
        &self,
        request: Request<wire::MutateRowsRequest>,
    ) -> Answers<wire::MutateRowsResponse> {
        self.note(&request);
        self.play(&self.mutate_rows)
    }

    fn mutate_row(
        &self,
        request: Request<wire::MutateRowRequest>,
    ) -> Answer<wire::MutateRowResponse> {
        self.note(&request);
        Box::pin(async { Ok(Response::new(wire::MutateRowResponse {})) })
    }

    fn get_table(&self, request: Request<wire::GetTableRequest>) -> Answer<wire::Table> {
        self.note(&request);
        let table = wire::Table {
            name: request.into_inner().name,
            ..wire::Table::default()
        };
        Box::pin(async { Ok(Response::new(table)) })
    }
}
