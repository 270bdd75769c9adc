//! A server that answers as a test scripts it, and records its requests.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bigtable_model::backend::grpc::server::{Answer, Answers, GrpcServer, GrpcService, Messages};
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, wire};
use futures::stream;
use futures::{Stream, StreamExt};
use prost::Message;
use tonic::metadata::MetadataMap;
use tonic::transport::server::{Server, TcpIncoming};
use tonic::{Code, Request, Response, Status};

/// The steps of one call. A call with a single answer ends with its first `Send` or `Fail`.
#[derive(Debug)]
pub(crate) enum Step<A> {
    Send(A),
    Fail(Status),
    Wait(Duration),
    /// No further message.
    Hang,
}

/// A call as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Seen<Q> {
    pub(crate) at: Instant,
    pub(crate) headers: MetadataMap,
    pub(crate) message: Q,
}

/// The calls of one method.
#[derive(Debug)]
pub(crate) struct Calls<Q, A> {
    scripts: Mutex<VecDeque<(MetadataMap, Vec<Step<A>>)>>,
    seen: Mutex<Vec<Seen<Q>>>,
}

impl<Q, A> Default for Calls<Q, A> {
    fn default() -> Self {
        Self {
            scripts: Mutex::default(),
            seen: Mutex::default(),
        }
    }
}

impl<Q: Clone, A> Calls<Q, A> {
    /// Scripts the next call.
    pub(crate) fn script(&self, steps: impl Into<Vec<Step<A>>>) {
        self.script_with(MetadataMap::new(), steps);
    }

    /// The same, with headers before the first answer.
    pub(crate) fn script_with(&self, headers: MetadataMap, steps: impl Into<Vec<Step<A>>>) {
        self.scripts
            .lock()
            .unwrap()
            .push_back((headers, steps.into()));
    }

    pub(crate) fn seen(&self) -> Vec<Seen<Q>> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn messages(&self) -> Vec<Q> {
        self.seen().into_iter().map(|seen| seen.message).collect()
    }

    fn take(&self, request: Request<Q>) -> Option<(MetadataMap, Vec<Step<A>>)> {
        self.seen.lock().unwrap().push(Seen {
            at: Instant::now(),
            headers: request.metadata().clone(),
            message: request.into_inner(),
        });
        self.scripts.lock().unwrap().pop_front()
    }
}

/// The server. A call without a script fails, except that `MutateRow` and `GetTable` succeed.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    pub(crate) read_rows: Calls<wire::ReadRowsRequest, wire::ReadRowsResponse>,
    pub(crate) mutate_rows: Calls<wire::MutateRowsRequest, wire::MutateRowsResponse>,
    pub(crate) sample_row_keys: Calls<wire::SampleRowKeysRequest, wire::SampleRowKeysResponse>,
    pub(crate) mutate_row: Calls<wire::MutateRowRequest, wire::MutateRowResponse>,
    pub(crate) check: Calls<wire::CheckAndMutateRowRequest, wire::CheckAndMutateRowResponse>,
    pub(crate) modify: Calls<wire::ReadModifyWriteRowRequest, wire::ReadModifyWriteRowResponse>,
    pub(crate) prepare: Calls<wire::PrepareQueryRequest, wire::PrepareQueryResponse>,
    pub(crate) execute: Calls<wire::ExecuteQueryRequest, wire::ExecuteQueryResponse>,
    pub(crate) ping: Calls<wire::PingAndWarmRequest, wire::PingAndWarmResponse>,
    pub(crate) get_table: Calls<wire::GetTableRequest, wire::Table>,
    pub(crate) update_table: Calls<wire::UpdateTableRequest, wire::LongOperation>,
    pub(crate) create_bundle: Calls<wire::CreateSchemaBundleRequest, wire::LongOperation>,
    pub(crate) update_bundle: Calls<wire::UpdateSchemaBundleRequest, wire::LongOperation>,
    pub(crate) get_operation: Calls<wire::GetOperationRequest, wire::LongOperation>,
    pub(crate) list_tables: Calls<wire::ListTablesRequest, wire::ListTablesResponse>,
    /// Streams whose answers are no longer awaited, because they ended or were cancelled.
    ended: Arc<AtomicUsize>,
}

/// Serves on a free port until the test's runtime ends; returns the address.
pub(crate) fn serve<S: GrpcServer>(server: &Arc<S>) -> String {
    serve_at("127.0.0.1:0".parse().unwrap(), server)
}

fn serve_at<S: GrpcServer>(address: SocketAddr, server: &Arc<S>) -> String {
    let incoming = TcpIncoming::bind(address).unwrap().with_nodelay(Some(true));
    let address = incoming.local_addr().unwrap().to_string();
    let service = GrpcService::new(Arc::clone(server));
    tokio::spawn(Server::builder().serve_with_incoming(service, incoming));
    address
}

impl Scripted {
    /// Starts it; it ends with the test's runtime.
    pub(crate) async fn start() -> (Arc<Self>, GrpcBackend) {
        Self::start_with(|settings| settings).await
    }

    /// The same, with other client settings.
    pub(crate) async fn start_with(
        change: impl FnOnce(GrpcSettings) -> GrpcSettings,
    ) -> (Arc<Self>, GrpcBackend) {
        let server = Arc::new(Self::default());
        let settings = GrpcSettings::new("p", "i")
            .app_profile("my profile")
            .emulator(serve(&server));
        (server, GrpcBackend::new(&change(settings)).unwrap())
    }

    /// Starts it at the address that a client expects.
    pub(crate) fn start_at(address: SocketAddr) -> Arc<Self> {
        let server = Arc::new(Self::default());
        serve_at(address, &server);
        server
    }

    pub(crate) fn ended(&self) -> usize {
        self.ended.load(Ordering::SeqCst)
    }
}

/// A failure with advice on when to retry.
pub(crate) fn advised(code: Code, message: &str, delay: Duration) -> Status {
    let info = wire::RetryInfo {
        retry_delay: Some(delay.into()),
    };
    with_detail(code, message, "google.rpc.RetryInfo", info)
}

/// A failure with a detail of the named type.
pub(crate) fn with_detail(code: Code, message: &str, name: &str, detail: impl Message) -> Status {
    let status = wire::RpcStatus {
        code: code as i32,
        message: message.to_owned(),
        details: vec![wire::Any {
            type_url: format!("type.googleapis.com/{name}"),
            value: detail.encode_to_vec().into(),
        }],
    };
    Status::with_details(code, message, status.encode_to_vec().into())
}

/// Counts when it is dropped.
struct Ended(Arc<AtomicUsize>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Scripted {
    fn play<Q: Clone, A: Send + 'static>(
        &self,
        calls: &Calls<Q, A>,
        request: Request<Q>,
    ) -> Answers<A> {
        let Some((headers, steps)) = calls.take(request) else {
            return Box::pin(async { Err(Status::failed_precondition("no script is left")) });
        };
        let ended = Ended(Arc::clone(&self.ended));
        let answers = answers(steps).inspect(move |_| {
            let _held = &ended;
        });
        let messages = Messages::new(answers);
        Box::pin(async move { Ok(with_headers(messages, headers)) })
    }
}

fn with_headers<T>(answer: T, headers: MetadataMap) -> Response<T> {
    let mut response = Response::new(answer);
    *response.metadata_mut() = headers;
    response
}

/// A call with a single answer; `default` is used without a script.
fn single<Q: Clone, A: Send + 'static>(
    calls: &Calls<Q, A>,
    request: Request<Q>,
    default: Result<A, Status>,
) -> Answer<A> {
    let Some((headers, steps)) = calls.take(request) else {
        return Box::pin(async { default.map(Response::new) });
    };
    Box::pin(async move {
        let answer = answers(steps).boxed().next().await;
        let answer = answer.unwrap_or(Err(Status::internal("the script has no answer")));
        answer.map(|answer| with_headers(answer, headers))
    })
}

fn answers<A: Send + 'static>(
    steps: Vec<Step<A>>,
) -> impl Stream<Item = Result<A, Status>> + Send + 'static {
    stream::iter(steps).filter_map(|step| async {
        match step {
            Step::Send(answer) => Some(Ok(answer)),
            Step::Fail(status) => Some(Err(status)),
            Step::Wait(time) => {
                tokio::time::sleep(time).await;
                None
            }
            Step::Hang => std::future::pending().await,
        }
    })
}

fn no_script<A>() -> Result<A, Status> {
    Err(Status::failed_precondition("no script is left"))
}

impl GrpcServer for Scripted {
    fn read_rows(
        &self,
        request: Request<wire::ReadRowsRequest>,
    ) -> Answers<wire::ReadRowsResponse> {
        self.play(&self.read_rows, request)
    }

    fn mutate_rows(
        &self,
        request: Request<wire::MutateRowsRequest>,
    ) -> Answers<wire::MutateRowsResponse> {
        self.play(&self.mutate_rows, request)
    }

    fn sample_row_keys(
        &self,
        request: Request<wire::SampleRowKeysRequest>,
    ) -> Answers<wire::SampleRowKeysResponse> {
        self.play(&self.sample_row_keys, request)
    }

    fn mutate_row(
        &self,
        request: Request<wire::MutateRowRequest>,
    ) -> Answer<wire::MutateRowResponse> {
        single(&self.mutate_row, request, Ok(wire::MutateRowResponse {}))
    }

    fn check_and_mutate_row(
        &self,
        request: Request<wire::CheckAndMutateRowRequest>,
    ) -> Answer<wire::CheckAndMutateRowResponse> {
        single(&self.check, request, no_script())
    }

    fn read_modify_write_row(
        &self,
        request: Request<wire::ReadModifyWriteRowRequest>,
    ) -> Answer<wire::ReadModifyWriteRowResponse> {
        single(&self.modify, request, no_script())
    }

    fn prepare_query(
        &self,
        request: Request<wire::PrepareQueryRequest>,
    ) -> Answer<wire::PrepareQueryResponse> {
        single(&self.prepare, request, no_script())
    }

    fn execute_query(
        &self,
        request: Request<wire::ExecuteQueryRequest>,
    ) -> Answers<wire::ExecuteQueryResponse> {
        self.play(&self.execute, request)
    }

    fn ping_and_warm(
        &self,
        request: Request<wire::PingAndWarmRequest>,
    ) -> Answer<wire::PingAndWarmResponse> {
        single(&self.ping, request, Ok(wire::PingAndWarmResponse {}))
    }

    fn list_tables(
        &self,
        request: Request<wire::ListTablesRequest>,
    ) -> Answer<wire::ListTablesResponse> {
        single(&self.list_tables, request, no_script())
    }

    fn update_table(
        &self,
        request: Request<wire::UpdateTableRequest>,
    ) -> Answer<wire::LongOperation> {
        single(&self.update_table, request, no_script())
    }

    fn create_schema_bundle(
        &self,
        request: Request<wire::CreateSchemaBundleRequest>,
    ) -> Answer<wire::LongOperation> {
        single(&self.create_bundle, request, no_script())
    }

    fn update_schema_bundle(
        &self,
        request: Request<wire::UpdateSchemaBundleRequest>,
    ) -> Answer<wire::LongOperation> {
        single(&self.update_bundle, request, no_script())
    }

    fn get_operation(
        &self,
        request: Request<wire::GetOperationRequest>,
    ) -> Answer<wire::LongOperation> {
        single(&self.get_operation, request, no_script())
    }

    fn get_table(&self, request: Request<wire::GetTableRequest>) -> Answer<wire::Table> {
        let table = wire::Table {
            name: request.get_ref().name.clone(),
            ..wire::Table::default()
        };
        single(&self.get_table, request, Ok(table))
    }
}
