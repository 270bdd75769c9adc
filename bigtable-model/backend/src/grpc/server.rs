//! The server's side of the protocol: what a server implements, and how calls reach it.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::{Buf, BufMut, Bytes};
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt, TryStreamExt};
use http::HeaderValue;
use http::header::DATE;
use prost::encoding::{DecodeContext, WireType, skip_field};
use prost::{DecodeError, Message};
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::server::{Grpc, NamedService, ServerStreamingService, UnaryService};
use tonic::{Request, Response, Status};

use super::channel::transport::MAX_MESSAGE_BYTES;
use super::preflight::{CheckedCodec, Shaped};
use super::protocol::method::Method;
use super::protocol::status::to_tonic;
use super::protocol::wire;
use crate::Code;

/// The answer to a call.
pub type Answer<A> = BoxFuture<'static, Result<Response<A>, Status>>;

/// The answer to a call with a stream of answers.
pub type Answers<A> = Answer<Messages<A>>;

/// A stream of answers.
pub struct Messages<A>(BoxStream<'static, Result<A, Status>>);

impl<A> Messages<A> {
    /// These messages; after an error the call ends.
    pub fn new(messages: impl Stream<Item = Result<A, Status>> + Send + 'static) -> Self {
        Self(messages.boxed())
    }
}

impl<A> Stream for Messages<A> {
    type Item = Result<A, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(cx)
    }
}

impl<A> fmt::Debug for Messages<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").finish_non_exhaustive()
    }
}

/// A message as it goes over the wire.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Encoded(pub Bytes);

impl Message for Encoded {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        buffer.put_slice(&self.0);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        // It is only sent, never received.
        skip_field(wire_type, tag, buffer, context)
    }

    fn encoded_len(&self) -> usize {
        self.0.len()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident($request:ident) -> $answer:ty;)*) => {
        /// A server of Bigtable's data and table-admin APIs. What it does not implement answers
        /// `UNIMPLEMENTED`.
        pub trait GrpcServer: Send + Sync + 'static {
            $($(#[$doc])* fn $name(&self, request: Request<wire::$request>) -> $answer {
                drop(request);
                unimplemented(stringify!($name))
            })*

            /// `Bigtable.ReadRows` for servers that encode messages while they assemble them; by
            /// default the answer of [`read_rows`](Self::read_rows).
            fn read_rows_encoded(&self, request: Request<wire::ReadRowsRequest>) -> Answers<Encoded> {
                let answer = self.read_rows(request);
                let encoded = |message: wire::ReadRowsResponse| Encoded(message.encode_to_vec().into());
                Box::pin(async move {
                    let answer = answer.await?;
                    Ok(answer.map(|messages| Messages::new(messages.map_ok(encoded))))
                })
            }
        }
    };
}

methods! {
    /// `Bigtable.ReadRows`.
    read_rows(ReadRowsRequest) -> Answers<wire::ReadRowsResponse>;
    /// `Bigtable.SampleRowKeys`.
    sample_row_keys(SampleRowKeysRequest) -> Answers<wire::SampleRowKeysResponse>;
    /// `Bigtable.MutateRow`.
    mutate_row(MutateRowRequest) -> Answer<wire::MutateRowResponse>;
    /// `Bigtable.MutateRows`.
    mutate_rows(MutateRowsRequest) -> Answers<wire::MutateRowsResponse>;
    /// `Bigtable.CheckAndMutateRow`.
    check_and_mutate_row(CheckAndMutateRowRequest) -> Answer<wire::CheckAndMutateRowResponse>;
    /// `Bigtable.ReadModifyWriteRow`.
    read_modify_write_row(ReadModifyWriteRowRequest) -> Answer<wire::ReadModifyWriteRowResponse>;
    /// `Bigtable.PingAndWarm`.
    ping_and_warm(PingAndWarmRequest) -> Answer<wire::PingAndWarmResponse>;
    /// `Bigtable.PrepareQuery`.
    prepare_query(PrepareQueryRequest) -> Answer<wire::PrepareQueryResponse>;
    /// `Bigtable.ExecuteQuery`.
    execute_query(ExecuteQueryRequest) -> Answers<wire::ExecuteQueryResponse>;
    /// `BigtableTableAdmin.CreateTable`.
    create_table(CreateTableRequest) -> Answer<wire::Table>;
    /// `BigtableTableAdmin.GetTable`.
    get_table(GetTableRequest) -> Answer<wire::Table>;
    /// `BigtableTableAdmin.ListTables`.
    list_tables(ListTablesRequest) -> Answer<wire::ListTablesResponse>;
    /// `BigtableTableAdmin.DeleteTable`.
    delete_table(DeleteTableRequest) -> Answer<wire::Empty>;
    /// `BigtableTableAdmin.ModifyColumnFamilies`.
    modify_column_families(ModifyColumnFamiliesRequest) -> Answer<wire::Table>;
    /// `BigtableTableAdmin.DropRowRange`.
    drop_row_range(DropRowRangeRequest) -> Answer<wire::Empty>;
    /// `BigtableTableAdmin.UpdateTable`.
    update_table(UpdateTableRequest) -> Answer<wire::LongOperation>;
    /// `BigtableTableAdmin.CreateSchemaBundle`.
    create_schema_bundle(CreateSchemaBundleRequest) -> Answer<wire::LongOperation>;
    /// `BigtableTableAdmin.UpdateSchemaBundle`.
    update_schema_bundle(UpdateSchemaBundleRequest) -> Answer<wire::LongOperation>;
    /// `Operations.GetOperation`.
    get_operation(GetOperationRequest) -> Answer<wire::LongOperation>;
    /// `BigtableTableAdmin.GenerateConsistencyToken`.
    generate_consistency_token(GenerateConsistencyTokenRequest) -> Answer<wire::GenerateConsistencyTokenResponse>;
    /// `BigtableTableAdmin.CheckConsistency`.
    check_consistency(CheckConsistencyRequest) -> Answer<wire::CheckConsistencyResponse>;
}

fn unimplemented<A>(name: &'static str) -> Answer<A> {
    Box::pin(async move { Err(Status::unimplemented(name)) })
}

/// A [`GrpcServer`] as a service for [`tonic::transport::Server::serve_with_incoming`].
#[derive(Debug)]
pub struct GrpcService<S>(Arc<S>);

impl<S: GrpcServer> GrpcService<S> {
    /// Serves `server`.
    pub fn new(server: Arc<S>) -> Self {
        Self(server)
    }
}

impl<S> Clone for GrpcService<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> NamedService for GrpcService<S> {
    const NAME: &'static str = "google.bigtable.v2.Bigtable";
}

impl<S: GrpcServer> Service<http::Request<Body>> for GrpcService<S> {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = HttpAnswer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        dispatch(Arc::clone(&self.0), request)
    }
}

type HttpAnswer = BoxFuture<'static, Result<http::Response<Body>, Infallible>>;

fn dispatch<S: GrpcServer>(server: Arc<S>, request: http::Request<Body>) -> HttpAnswer {
    match Method::named(request.uri().path()) {
        Some(Method::READ_ROWS) => streaming(server, S::read_rows_encoded, request),
        Some(Method::SAMPLE_ROW_KEYS) => streaming(server, S::sample_row_keys, request),
        Some(Method::MUTATE_ROW) => unary(server, S::mutate_row, request),
        Some(Method::MUTATE_ROWS) => streaming(server, S::mutate_rows, request),
        Some(Method::CHECK_AND_MUTATE_ROW) => unary(server, S::check_and_mutate_row, request),
        Some(Method::READ_MODIFY_WRITE_ROW) => unary(server, S::read_modify_write_row, request),
        Some(Method::PING_AND_WARM) => unary(server, S::ping_and_warm, request),
        Some(Method::PREPARE_QUERY) => unary(server, S::prepare_query, request),
        Some(Method::EXECUTE_QUERY) => streaming(server, S::execute_query, request),
        Some(Method::CREATE_TABLE) => unary(server, S::create_table, request),
        Some(Method::GET_TABLE) => unary(server, S::get_table, request),
        Some(Method::LIST_TABLES) => unary(server, S::list_tables, request),
        Some(Method::DELETE_TABLE) => unary(server, S::delete_table, request),
        Some(Method::MODIFY_COLUMN_FAMILIES) => unary(server, S::modify_column_families, request),
        Some(Method::DROP_ROW_RANGE) => unary(server, S::drop_row_range, request),
        Some(Method::UPDATE_TABLE) => unary(server, S::update_table, request),
        Some(Method::CREATE_SCHEMA_BUNDLE) => unary(server, S::create_schema_bundle, request),
        Some(Method::UPDATE_SCHEMA_BUNDLE) => unary(server, S::update_schema_bundle, request),
        Some(Method::GET_OPERATION) => unary(server, S::get_operation, request),
        Some(Method::GENERATE_CONSISTENCY_TOKEN) => {
            unary(server, S::generate_consistency_token, request)
        }
        Some(Method::CHECK_CONSISTENCY) => unary(server, S::check_consistency, request),
        _ => {
            let status = crate::Status::new(Code::Unimplemented, request.uri().path());
            Box::pin(async move { Ok(dated(to_tonic(status).into_http())) })
        }
    }
}

/// A server and the function of it that implements a method.
struct Handler<S, Q, T> {
    server: Arc<S>,
    function: fn(&S, Request<Q>) -> Answer<T>,
}

impl<S, Q, A> UnaryService<Q> for Handler<S, Q, A> {
    type Response = A;
    type Future = Answer<A>;

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        (self.function)(&self.server, request)
    }
}

impl<S, Q, A> ServerStreamingService<Q> for Handler<S, Q, Messages<A>> {
    type Response = A;
    type ResponseStream = Messages<A>;
    type Future = Answers<A>;

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        (self.function)(&self.server, request)
    }
}

fn unary<S, Q, A>(
    server: Arc<S>,
    function: fn(&S, Request<Q>) -> Answer<A>,
    request: http::Request<Body>,
) -> HttpAnswer
where
    S: GrpcServer,
    Q: Message + Default + Shaped + 'static,
    A: Message + 'static,
{
    let handler = Handler { server, function };
    let codec = CheckedCodec::<A, Q>::unary();
    Box::pin(async move { Ok(dated(grpc(codec).unary(handler, request).await)) })
}

fn streaming<S, Q, A>(
    server: Arc<S>,
    function: fn(&S, Request<Q>) -> Answers<A>,
    request: http::Request<Body>,
) -> HttpAnswer
where
    S: GrpcServer,
    Q: Message + Default + Shaped + 'static,
    A: Message + 'static,
{
    let handler = Handler { server, function };
    let codec = CheckedCodec::<A, Q>::streaming();
    Box::pin(async move { Ok(dated(grpc(codec).server_streaming(handler, request).await)) })
}

/// An answer that hyper can send at any time. hyper adds a date to answers without one, and panics
/// if the system's clock shows a time before 1970 or after 9999.
fn dated(answer: http::Response<Body>) -> http::Response<Body> {
    dated_at(answer, SystemTime::now())
}

fn dated_at(mut answer: http::Response<Body>, now: SystemTime) -> http::Response<Body> {
    let since = now.duration_since(UNIX_EPOCH);
    if since.map_or(true, |since| since.as_secs() >= YEAR_10000) {
        let date = HeaderValue::from_static("Thu, 01 Jan 1970 00:00:00 GMT");
        answer.headers_mut().insert(DATE, date);
    }
    answer
}

/// The end of the years that HTTP writes, in seconds since 1970.
const YEAR_10000: u64 = 253_402_300_800;

fn grpc<Q, A>(codec: CheckedCodec<A, Q>) -> Grpc<CheckedCodec<A, Q>>
where
    Q: Message + Default + Shaped + 'static,
    A: Message + 'static,
{
    Grpc::new(codec).max_decoding_message_size(MAX_MESSAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn answers_are_dated_where_the_clock_shows_no_date() {
        let seconds = Duration::from_secs;
        let end = UNIX_EPOCH + seconds(YEAR_10000);
        for (now, dated) in [
            (UNIX_EPOCH - Duration::from_nanos(1), true),
            (UNIX_EPOCH - seconds(1 << 40), true),
            (UNIX_EPOCH, false),
            (SystemTime::now(), false),
            (end - Duration::from_nanos(1), false),
            (end, true),
        ] {
            let answer = dated_at(http::Response::new(Body::empty()), now);
            assert_eq!(answer.headers().contains_key(DATE), dated, "{now:?}");
        }
    }
}
