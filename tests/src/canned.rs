//! A server that answers reads with messages encoded in advance, and reads no more of bulk writes
//! than the number of their entries. It does as little as possible, so time and memory are the
//! client's.

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};

use bigtable_model::backend::grpc::wire::{
    BytesValue, CellChunk, MutateRowsOutcome, MutateRowsResponse, ReadRowsResponse, RowStatus,
    RpcStatus,
};
use bytes::{Buf as _, BufMut as _, Bytes};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt as _};
use prost::Message as _;
use prost::encoding::{DecodeContext, decode_key, skip_field};
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::{Service, http};
use tonic::server::{Grpc, NamedService, ServerStreamingService, UnaryService};
use tonic::transport::server::{Server, TcpIncoming};
use tonic::{Request, Response, Status};

/// The maximum size of a bulk write in flight; HTTP/2's default is 64 KiB.
const WINDOW_BYTES: u32 = 4 << 20;

/// A row with its cells in one family, sorted by qualifier.
#[derive(Debug, Clone)]
pub struct CannedRow {
    /// The row key.
    pub key: Bytes,
    /// The cells' timestamp.
    pub timestamp_micros: i64,
    /// Qualifiers and values.
    pub cells: Vec<(Bytes, Bytes)>,
}

/// Rows as one `ReadRowsResponse`, one chunk for each cell; like Bigtable, it names the family once
/// for each row.
pub fn message(family: &'static str, rows: impl IntoIterator<Item = CannedRow>) -> Bytes {
    let chunks = rows.into_iter().flat_map(|row| {
        let last = row.cells.len().saturating_sub(1);
        let cells = row.cells.into_iter().enumerate();
        cells.map(move |(number, (qualifier, value))| {
            let name = BytesValue {
                value: Bytes::from_static(family.as_bytes()),
            };
            let (row_key, family_name) = match number {
                0 => (row.key.clone(), Some(name)),
                _ => (Bytes::new(), None),
            };
            CellChunk {
                row_key,
                family_name,
                qualifier: Some(BytesValue { value: qualifier }),
                timestamp_micros: row.timestamp_micros,
                value,
                row_status: (number == last).then_some(RowStatus::CommitRow(true)),
                ..CellChunk::default()
            }
        })
    });
    let response = ReadRowsResponse {
        chunks: chunks.collect(),
        ..ReadRowsResponse::default()
    };
    response.encode_to_vec().into()
}

type Reads = dyn Fn() -> BoxStream<'static, Bytes> + Send + Sync;

/// The server. Every read and every query gets the same answer, and every entry of a bulk write is
/// reported as applied.
#[derive(Clone)]
pub struct Canned {
    reads: Arc<Reads>,
    /// The plan of every query, a `PrepareQueryResponse`.
    plan: Bytes,
    queries: Arc<Reads>,
}

impl Canned {
    /// A server that answers reads with these messages.
    pub fn new(reads: impl Fn() -> BoxStream<'static, Bytes> + Send + Sync + 'static) -> Self {
        Self {
            reads: Arc::new(reads),
            plan: Bytes::new(),
            queries: Arc::new(|| stream::empty().boxed()),
        }
    }

    /// The same server, whose queries have this plan, a `PrepareQueryResponse`, and get these
    /// messages.
    #[must_use]
    pub fn with_queries(
        self,
        plan: Bytes,
        queries: impl Fn() -> BoxStream<'static, Bytes> + Send + Sync + 'static,
    ) -> Self {
        Self {
            plan,
            queries: Arc::new(queries),
            ..self
        }
    }

    /// Starts it on the current runtime; returns its address.
    ///
    /// # Panics
    ///
    /// If no port is free.
    #[allow(clippy::unwrap_used, reason = "for tests")]
    pub fn start(self) -> String {
        let incoming = TcpIncoming::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let incoming = incoming.with_nodelay(Some(true));
        let address = incoming.local_addr().unwrap().to_string();
        let server = Server::builder()
            .initial_stream_window_size(WINDOW_BYTES)
            .initial_connection_window_size(WINDOW_BYTES)
            .serve_with_incoming(self, incoming);
        tokio::spawn(server);
        address
    }
}

impl fmt::Debug for Canned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canned").finish_non_exhaustive()
    }
}

impl NamedService for Canned {
    const NAME: &'static str = "google.bigtable.v2.Bigtable";
}

impl Service<http::Request<Body>> for Canned {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let reads = Reading(Arc::clone(&self.reads));
        let queries = Reading(Arc::clone(&self.queries));
        let plan = Planning(self.plan.clone());
        Box::pin(async move {
            let mut grpc = Grpc::new(AsItIs).max_decoding_message_size(256 << 20);
            Ok(match request.uri().path() {
                "/google.bigtable.v2.Bigtable/ReadRows" => {
                    grpc.server_streaming(reads, request).await
                }
                "/google.bigtable.v2.Bigtable/PrepareQuery" => grpc.unary(plan, request).await,
                "/google.bigtable.v2.Bigtable/ExecuteQuery" => {
                    grpc.server_streaming(queries, request).await
                }
                "/google.bigtable.v2.Bigtable/MutateRows" => {
                    grpc.server_streaming(Writing, request).await
                }
                path => Status::unimplemented(path).into_http(),
            })
        })
    }
}

type Messages = BoxStream<'static, Result<Bytes, Status>>;
type Answer = BoxFuture<'static, Result<Response<Messages>, Status>>;

struct Reading(Arc<Reads>);

impl ServerStreamingService<Bytes> for Reading {
    type Response = Bytes;
    type ResponseStream = Messages;
    type Future = Answer;

    fn call(&mut self, _: Request<Bytes>) -> Answer {
        let messages = (self.0)().map(Ok).boxed();
        Box::pin(async { Ok(Response::new(messages)) })
    }
}

struct Planning(Bytes);

impl UnaryService<Bytes> for Planning {
    type Response = Bytes;
    type Future = BoxFuture<'static, Result<Response<Bytes>, Status>>;

    fn call(&mut self, _: Request<Bytes>) -> Self::Future {
        let plan = self.0.clone();
        Box::pin(async { Ok(Response::new(plan)) })
    }
}

struct Writing;

impl ServerStreamingService<Bytes> for Writing {
    type Response = Bytes;
    type ResponseStream = Messages;
    type Future = Answer;

    fn call(&mut self, request: Request<Bytes>) -> Answer {
        Box::pin(async move {
            let answer = applied(entries(request.into_inner())?);
            Ok(Response::new(stream::iter([Ok(answer)]).boxed()))
        })
    }
}

/// The number of entries of a `MutateRowsRequest`.
fn entries(mut request: Bytes) -> Result<i64, Status> {
    let mut entries = 0;
    let malformed = |error: prost::DecodeError| Status::internal(error.to_string());
    while request.has_remaining() {
        let (field, wire_type) = decode_key(&mut request).map_err(malformed)?;
        skip_field(wire_type, field, &mut request, DecodeContext::default()).map_err(malformed)?;
        entries += i64::from(field == 2);
    }
    Ok(entries)
}

fn applied(entries: i64) -> Bytes {
    let outcomes = (0..entries).map(|index| MutateRowsOutcome {
        index,
        status: Some(RpcStatus::default()),
    });
    let response = MutateRowsResponse {
        entries: outcomes.collect(),
        rate_limit_info: None,
    };
    response.encode_to_vec().into()
}

/// Messages that are neither encoded nor decoded.
#[derive(Debug, Clone, Copy)]
pub struct AsItIs;

impl Codec for AsItIs {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for AsItIs {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.reserve(message.len());
        buffer.put(message);
        Ok(())
    }
}

impl Decoder for AsItIs {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}
