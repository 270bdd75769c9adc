//! A server that answers each call as a test scripts it, and records its requests.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bigtable_model::backend::grpc::server::{Answer, Answers, GrpcServer, GrpcService, Messages};
use bigtable_model::backend::grpc::wire;
use futures::stream;
use prost::Message;
use tonic::metadata::MetadataMap;
use tonic::transport::server::{Server, TcpIncoming};
use tonic::{Request, Response, Status};

/// The steps of one call. A unary call ends with the first message.
#[derive(Debug, Clone)]
pub(crate) enum Step<A> {
    Send(A),
    Wait(Duration),
    Fail(Status),
}

/// A call as the server saw it.
#[derive(Debug)]
pub(crate) struct Seen<Q> {
    pub(crate) at: Instant,
    pub(crate) headers: MetadataMap,
    pub(crate) request: Q,
}

/// The calls of one method: scripts for the next ones, and records of the last ones.
#[derive(Debug)]
pub(crate) struct Method<Q, A> {
    scripts: Mutex<VecDeque<Vec<Step<A>>>>,
    seen: Mutex<Vec<Seen<Q>>>,
}

impl<Q, A> Default for Method<Q, A> {
    fn default() -> Self {
        Self {
            scripts: Mutex::default(),
            seen: Mutex::default(),
        }
    }
}

impl<Q, A: Send + 'static> Method<Q, A> {
    /// Scripts another call. A call without a script fails permanently.
    pub(crate) fn on_call(&self, steps: impl Into<Vec<Step<A>>>) {
        self.scripts.lock().unwrap().push_back(steps.into());
    }

    /// The calls since the last check.
    pub(crate) fn seen(&self) -> Vec<Seen<Q>> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }

    /// The only call since the last check.
    pub(crate) fn only(&self) -> Seen<Q> {
        let mut seen = self.seen();
        assert_eq!(seen.len(), 1, "calls of the server");
        seen.remove(0)
    }

    pub(crate) fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    fn begin(&self, request: Request<Q>) -> VecDeque<Step<A>> {
        let (headers, _, request) = request.into_parts();
        self.seen.lock().unwrap().push(Seen {
            at: Instant::now(),
            headers,
            request,
        });
        let script = self.scripts.lock().unwrap().pop_front();
        let none = || vec![Step::Fail(Status::failed_precondition("no script is left"))];
        script.unwrap_or_else(none).into()
    }

    fn unary(&self, request: Request<Q>) -> Answer<A> {
        let mut steps = self.begin(request);
        Box::pin(async move {
            match next(&mut steps).await {
                Some(answer) => Ok(Response::new(answer?)),
                None => Err(Status::internal("the script has no answer")),
            }
        })
    }

    /// Like real servers, it sends nothing, not even headers, before its first message.
    fn streaming(&self, request: Request<Q>) -> Answers<A> {
        let mut steps = self.begin(request);
        Box::pin(async move {
            let first = next(&mut steps).await.transpose()?;
            let rest = stream::unfold(steps, async |mut steps| {
                next(&mut steps).await.map(|answer| (answer, steps))
            });
            let answers = futures::StreamExt::chain(stream::iter(first.map(Ok)), rest);
            Ok(Response::new(Messages::new(answers)))
        })
    }
}

/// The next message or failure.
async fn next<A>(steps: &mut VecDeque<Step<A>>) -> Option<Result<A, Status>> {
    loop {
        match steps.pop_front()? {
            Step::Wait(time) => tokio::time::sleep(time).await,
            Step::Send(answer) => return Some(Ok(answer)),
            Step::Fail(status) => return Some(Err(status)),
        }
    }
}

/// The server.
#[derive(Debug, Default)]
pub(crate) struct Mock {
    pub(crate) read_rows: Method<wire::ReadRowsRequest, wire::ReadRowsResponse>,
    pub(crate) sample_row_keys: Method<wire::SampleRowKeysRequest, wire::SampleRowKeysResponse>,
    pub(crate) mutate_row: Method<wire::MutateRowRequest, wire::MutateRowResponse>,
    pub(crate) mutate_rows: Method<wire::MutateRowsRequest, wire::MutateRowsResponse>,
    pub(crate) check_and_mutate_row:
        Method<wire::CheckAndMutateRowRequest, wire::CheckAndMutateRowResponse>,
    pub(crate) read_modify_write_row:
        Method<wire::ReadModifyWriteRowRequest, wire::ReadModifyWriteRowResponse>,
    pub(crate) prepare_query: Method<wire::PrepareQueryRequest, wire::PrepareQueryResponse>,
    pub(crate) execute_query: Method<wire::ExecuteQueryRequest, wire::ExecuteQueryResponse>,
}

impl Mock {
    /// Starts it with the test's runtime; returns its address.
    pub(crate) fn start() -> (Arc<Self>, String) {
        Self::serve(Server::builder())
    }

    /// Starts a server that says goodbye to a connection of this age, and cuts the rest of it
    /// shortly after.
    pub(crate) fn start_short_lived(age: Duration) -> (Arc<Self>, String) {
        let server = Server::builder().max_connection_age(age);
        Self::serve(server.max_connection_age_grace(age / 4))
    }

    fn serve(server: Server) -> (Arc<Self>, String) {
        let mock = Arc::new(Self::default());
        let incoming = TcpIncoming::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = incoming.local_addr().unwrap().to_string();
        let service = GrpcService::new(Arc::clone(&mock));
        tokio::spawn(server.serve_with_incoming(service, incoming));
        (mock, address)
    }

    /// The number of calls of all methods.
    pub(crate) fn count(&self) -> usize {
        self.read_rows.count()
            + self.sample_row_keys.count()
            + self.mutate_row.count()
            + self.mutate_rows.count()
            + self.check_and_mutate_row.count()
            + self.read_modify_write_row.count()
            + self.prepare_query.count()
            + self.execute_query.count()
    }
}

impl GrpcServer for Mock {
    fn read_rows(
        &self,
        request: Request<wire::ReadRowsRequest>,
    ) -> Answers<wire::ReadRowsResponse> {
        self.read_rows.streaming(request)
    }

    fn sample_row_keys(
        &self,
        request: Request<wire::SampleRowKeysRequest>,
    ) -> Answers<wire::SampleRowKeysResponse> {
        self.sample_row_keys.streaming(request)
    }

    fn mutate_row(
        &self,
        request: Request<wire::MutateRowRequest>,
    ) -> Answer<wire::MutateRowResponse> {
        self.mutate_row.unary(request)
    }

    fn mutate_rows(
        &self,
        request: Request<wire::MutateRowsRequest>,
    ) -> Answers<wire::MutateRowsResponse> {
        self.mutate_rows.streaming(request)
    }

    fn check_and_mutate_row(
        &self,
        request: Request<wire::CheckAndMutateRowRequest>,
    ) -> Answer<wire::CheckAndMutateRowResponse> {
        self.check_and_mutate_row.unary(request)
    }

    fn read_modify_write_row(
        &self,
        request: Request<wire::ReadModifyWriteRowRequest>,
    ) -> Answer<wire::ReadModifyWriteRowResponse> {
        self.read_modify_write_row.unary(request)
    }

    fn prepare_query(
        &self,
        request: Request<wire::PrepareQueryRequest>,
    ) -> Answer<wire::PrepareQueryResponse> {
        self.prepare_query.unary(request)
    }

    fn execute_query(
        &self,
        request: Request<wire::ExecuteQueryRequest>,
    ) -> Answers<wire::ExecuteQueryResponse> {
        self.execute_query.streaming(request)
    }
}

/// The error for an expired plan.
pub(crate) fn expired() -> Status {
    let failure = wire::PreconditionFailure {
        violations: vec![wire::PreconditionViolation {
            r#type: "PREPARED_QUERY_EXPIRED".to_owned(),
            ..wire::PreconditionViolation::default()
        }],
    };
    let details = wire::RpcStatus {
        code: 9,
        message: "too old".to_owned(),
        details: vec![wire::Any {
            type_url: "type.googleapis.com/google.rpc.PreconditionFailure".to_owned(),
            value: failure.encode_to_vec().into(),
        }],
    };
    let details = details.encode_to_vec().into();
    Status::with_details(tonic::Code::FailedPrecondition, "too old", details)
}

/// An error with a retry delay.
pub(crate) fn advised(delay: Duration) -> Status {
    let info = wire::RetryInfo {
        retry_delay: Some(wire::Duration {
            seconds: i64::try_from(delay.as_secs()).unwrap(),
            nanos: i32::try_from(delay.subsec_nanos()).unwrap(),
        }),
    };
    let details = wire::RpcStatus {
        code: 14,
        message: "later".to_owned(),
        details: vec![wire::Any {
            type_url: "type.googleapis.com/google.rpc.RetryInfo".to_owned(),
            value: info.encode_to_vec().into(),
        }],
    };
    let details = details.encode_to_vec().into();
    Status::with_details(tonic::Code::Unavailable, "later", details)
}

/// An error with a routing cookie in its trailers.
pub(crate) fn with_cookie(value: &'static str) -> Status {
    let mut status = Status::unavailable("elsewhere");
    let value = tonic::metadata::MetadataValue::from_static(value);
    status
        .metadata_mut()
        .insert("x-goog-cbt-cookie-test", value);
    status
}
