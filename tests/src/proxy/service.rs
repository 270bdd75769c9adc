//! The proxy's service: routes calls to functions.

use std::convert::Infallible;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use prost::Message;
use tonic::body::Body;
use tonic::codegen::{Service, http};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

use super::Proxy;

/// Requests and results contain rows, which may be as large as Bigtable allows.
const MAX_MESSAGE_BYTES: usize = 256 << 20;

impl NamedService for Proxy {
    const NAME: &'static str = "google.bigtable.testproxy.CloudBigtableV2TestProxy";
}

impl Service<http::Request<Body>> for Proxy {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = HttpAnswer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> HttpAnswer {
        dispatch(self.clone(), request)
    }
}

type HttpAnswer = BoxFuture<'static, Result<http::Response<Body>, Infallible>>;

fn dispatch(proxy: Proxy, request: http::Request<Body>) -> HttpAnswer {
    let path = request.uri().path().to_owned();
    let method = path
        .strip_prefix('/')
        .and_then(|path| path.strip_prefix(Proxy::NAME));
    match method {
        Some("/CreateClient") => unary(proxy, Proxy::create_client, request),
        Some("/CloseClient") => unary(proxy, Proxy::close_client, request),
        Some("/RemoveClient") => unary(proxy, Proxy::remove_client, request),
        Some("/ReadRow") => unary(proxy, Proxy::read_row, request),
        Some("/ReadRows") => unary(proxy, Proxy::read_rows, request),
        Some("/MutateRow") => unary(proxy, Proxy::mutate_row, request),
        Some("/BulkMutateRows") => unary(proxy, Proxy::bulk_mutate_rows, request),
        Some("/CheckAndMutateRow") => unary(proxy, Proxy::check_and_mutate_row, request),
        Some("/SampleRowKeys") => unary(proxy, Proxy::sample_row_keys, request),
        Some("/ReadModifyWriteRow") => unary(proxy, Proxy::read_modify_write_row, request),
        Some("/ExecuteQuery") => unary(proxy, Proxy::execute_query, request),
        _ => Box::pin(async move { Ok(Status::unimplemented(path).into_http()) }),
    }
}

/// The proxy, and its function for a call.
struct Handler<F>(Proxy, F);

impl<Q, A, F, R> UnaryService<Q> for Handler<F>
where
    F: Fn(Proxy, Q) -> R,
    R: Future<Output = Result<A, Status>> + Send + 'static,
{
    type Response = A;
    type Future = BoxFuture<'static, Result<Response<A>, Status>>;

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let answer = (self.1)(self.0.clone(), request.into_inner());
        Box::pin(async move { answer.await.map(Response::new) })
    }
}

fn unary<Q, A, F, R>(proxy: Proxy, function: F, request: http::Request<Body>) -> HttpAnswer
where
    Q: Message + Default + 'static,
    A: Message + Default + 'static,
    F: Fn(Proxy, Q) -> R + Send + 'static,
    R: Future<Output = Result<A, Status>> + Send + 'static,
{
    Box::pin(async move {
        let mut grpc =
            Grpc::new(ProstCodec::<A, Q>::default()).max_decoding_message_size(MAX_MESSAGE_BYTES);
        Ok(grpc.unary(Handler(proxy, function), request).await)
    })
}
