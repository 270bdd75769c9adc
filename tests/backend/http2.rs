//! An HTTP/2 server that decides how each stream ends, and the seven calls of the data API in their
//! simplest form.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, wire};
use bigtable_model::data::{
    CheckAndMutateRow, EntryBatch, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, RowMutations,
    RowSet, RuleAction, SERVER_TIME,
};
use bigtable_model::{Backend, Status};
use bytes::{BufMut, Bytes, BytesMut};
use futures::TryStreamExt;
use h2::server::SendResponse;
use prost::Message;
use tokio::net::{TcpListener, TcpStream};

use crate::fixture::{TABLE, all, row, set};
use crate::scripted_calls::{begin, commit};

/// A call of the data API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    ReadRow,
    ReadRows,
    SampleRowKeys,
    MutateRow,
    MutateRows,
    CheckAndMutateRow,
    ReadModifyWriteRow,
}

impl Call {
    pub(crate) const ALL: [Self; 7] = [
        Self::ReadRow,
        Self::ReadRows,
        Self::SampleRowKeys,
        Self::MutateRow,
        Self::MutateRows,
        Self::CheckAndMutateRow,
        Self::ReadModifyWriteRow,
    ];

    /// Whether a transient failure is followed by another attempt.
    pub(crate) fn is_retried(self) -> bool {
        !matches!(self, Self::CheckAndMutateRow | Self::ReadModifyWriteRow)
    }

    pub(crate) async fn make(self, backend: &GrpcBackend) -> Result<(), Status> {
        self.make_with(backend, 1000).await
    }

    /// The same call with a write that must not be sent twice.
    pub(crate) async fn make_once(self, backend: &GrpcBackend) -> Result<(), Status> {
        self.make_with(backend, SERVER_TIME).await
    }

    async fn make_with(self, backend: &GrpcBackend, time: i64) -> Result<(), Status> {
        let write = || row("k", vec![set("f", "q", time, "v")]);
        match self {
            Self::ReadRow => {
                let rows = RowSet::key("k");
                read(backend, ReadRows { rows, ..all() }).await
            }
            Self::ReadRows => read(backend, all()).await,
            Self::SampleRowKeys => backend.sample_row_keys(TABLE).await.map(drop),
            Self::MutateRow => backend.mutate_row(TABLE, write()).await,
            Self::MutateRows => {
                let outcomes = backend
                    .mutate_rows(TABLE, EntryBatch::of([write()]))
                    .await?;
                outcomes.into_iter().collect()
            }
            Self::CheckAndMutateRow => check(backend, write()).await,
            Self::ReadModifyWriteRow => {
                let rule = ReadModifyWriteRule {
                    family: "f".into(),
                    qualifier: "q".into(),
                    action: RuleAction::Increment(1),
                };
                let request = ReadModifyWriteRow {
                    table: TABLE.to_owned(),
                    key: "k".into(),
                    rules: vec![rule],
                };
                backend.read_modify_write_row(request).await.map(drop)
            }
        }
    }
}

async fn read(backend: &GrpcBackend, request: ReadRows) -> Result<(), Status> {
    let rows = backend.read_rows(request).rows();
    rows.try_for_each(|_| async { Ok(()) }).await
}

async fn check(backend: &GrpcBackend, write: RowMutations) -> Result<(), Status> {
    let request = CheckAndMutateRow {
        table: TABLE.to_owned(),
        key: write.key,
        predicate: None,
        if_true: write.mutations,
        if_false: Vec::new(),
    };
    backend.check_and_mutate_row(request).await.map(drop)
}

/// A stream that a client opened.
pub(crate) struct Stream {
    /// The method; `ReadRows` stands for both reads.
    method: String,
    /// The number of earlier calls.
    pub(crate) attempt: u32,
    /// The call's timeout, as sent by the client.
    pub(crate) timeout: Duration,
    respond: SendResponse<Bytes>,
}

impl Stream {
    fn of(request: &http::Request<h2::RecvStream>, respond: SendResponse<Bytes>) -> Self {
        let header = |name: &str| request.headers().get(name).unwrap().to_str().unwrap();
        let (_, method) = request.uri().path().rsplit_once('/').unwrap();
        Self {
            method: method.to_owned(),
            attempt: header("bigtable-attempt").parse().unwrap(),
            timeout: timeout(header("grpc-timeout")),
            respond,
        }
    }

    /// Ends the stream without an answer.
    pub(crate) fn reset(&mut self, reason: h2::Reason) -> Result<(), h2::Error> {
        self.respond.send_reset(reason);
        Ok(())
    }

    /// Ends the stream after the answer has begun.
    pub(crate) async fn reset_late(
        mut self,
        reason: h2::Reason,
        after: Duration,
    ) -> Result<(), h2::Error> {
        let mut stream = self.respond.send_response(headers(), false)?;
        tokio::time::sleep(after).await;
        stream.send_reset(reason);
        Ok(())
    }

    /// Answers with a status and no message.
    pub(crate) fn fail(&mut self, status: &'static str) -> Result<(), h2::Error> {
        let mut response = headers();
        let status = http::HeaderValue::from_static(status);
        response.headers_mut().insert("grpc-status", status);
        self.respond.send_response(response, true)?;
        Ok(())
    }

    /// Answers successfully.
    pub(crate) fn answer(&mut self) -> Result<(), h2::Error> {
        let mut stream = self.respond.send_response(headers(), false)?;
        stream.send_data(message(&self.method), false)?;
        let mut trailers = http::HeaderMap::new();
        trailers.insert("grpc-status", http::HeaderValue::from_static("0"));
        stream.send_trailers(trailers)
    }
}

fn headers() -> http::Response<()> {
    let response = http::Response::builder().header("content-type", "application/grpc");
    response.body(()).unwrap()
}

/// A successful answer to a call, as sent.
pub(crate) fn message(method: &str) -> Bytes {
    let message = match method {
        "ReadRows" => wire::ReadRowsResponse {
            chunks: vec![commit(begin("k", "1", 0))],
            ..wire::ReadRowsResponse::default()
        }
        .encode_to_vec(),
        "MutateRows" => wire::MutateRowsResponse {
            entries: vec![wire::MutateRowsOutcome::default()],
            ..wire::MutateRowsResponse::default()
        }
        .encode_to_vec(),
        _ => Vec::new(),
    };
    let mut framed = BytesMut::new();
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.len()).unwrap());
    framed.put_slice(&message);
    framed.freeze()
}

/// A timeout in gRPC's format.
fn timeout(text: &str) -> Duration {
    let (count, unit) = text.split_at(text.len() - 1);
    let count: u32 = count.parse().unwrap();
    let unit = match unit {
        "n" => Duration::from_nanos(1),
        "u" => Duration::from_micros(1),
        "m" => Duration::from_millis(1),
        "S" => Duration::from_secs(1),
        unit => panic!("a timeout in {unit}"),
    };
    unit * count
}

/// A server, and a client of it.
pub(crate) struct Served {
    pub(crate) backend: GrpcBackend,
    calls: Arc<AtomicUsize>,
}

impl Served {
    /// Lets `handle` end every stream. It fails if the client was faster.
    pub(crate) async fn start<F>(handle: impl Fn(Stream) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), h2::Error>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let calls = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&calls);
        let handle = Arc::new(handle);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (handle, count) = (Arc::clone(&handle), Arc::clone(&count));
                tokio::spawn(connection(socket, handle, count));
            }
        });
        let settings = GrpcSettings::new("p", "i").emulator(address);
        Self {
            backend: GrpcBackend::new(&settings).unwrap(),
            calls,
        }
    }

    /// The number of calls since the last time.
    pub(crate) fn calls(&self) -> usize {
        self.calls.swap(0, Ordering::SeqCst)
    }
}

async fn connection<F>(
    socket: TcpStream,
    handle: Arc<impl Fn(Stream) -> F>,
    calls: Arc<AtomicUsize>,
) where
    F: Future<Output = Result<(), h2::Error>> + Send + 'static,
{
    socket.set_nodelay(true).unwrap();
    // The test's many cancelled calls are not an attack.
    let mut server = h2::server::Builder::new();
    server.max_pending_accept_reset_streams(usize::MAX);
    server.max_concurrent_reset_streams(usize::MAX);
    server.max_local_error_reset_streams(None);
    // Bodies are not read, which the server would count against a limit.
    server.data_frame_budget(usize::MAX);
    let mut connection = server.handshake(socket).await.unwrap();
    while let Some(accepted) = connection.accept().await {
        // The failing test shows what ended a connection.
        let Ok((request, respond)) = accepted.inspect_err(|error| println!("server: {error}"))
        else {
            return;
        };
        calls.fetch_add(1, Ordering::SeqCst);
        tokio::spawn(handle(Stream::of(&request, respond)));
    }
}
