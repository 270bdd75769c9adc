//! Calls over the channels to a server.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{Stream, StreamExt, TryFutureExt};
use tonic::body::Body;
use tonic::client::Grpc;
use tonic::transport::Endpoint;
use tonic::{Response, Streaming};

use super::auth::Authorization;
use super::dial::Line;
use crate::ConnectError;
use crate::Status;
use crate::grpc::channel::endpoint::Endpoints;
use crate::grpc::channel::headers::Headers;
use crate::grpc::channel::pool::{Connector, Lease, Pool};
use crate::grpc::channel::trailers::SafeChannel;
use crate::grpc::protocol::codec::{Answer, ClientCodec};
use crate::grpc::protocol::failure::{Cookies, Failure};
use crate::grpc::protocol::method::Method;
use crate::grpc::protocol::names::InstanceName;
use crate::grpc::protocol::request::{Request, Sent};
use crate::grpc::protocol::routing::Params;
use crate::grpc::protocol::wire::{PingAndWarmRequest, PingAndWarmResponse};
use crate::grpc::retry::deadline::Deadline;
use crate::grpc::retry::operation::{Call, in_time};
use crate::grpc::settings::GrpcSettings;
use crate::grpc::settings::pool::PoolSettings;
use crate::grpc::settings::timing::bounded;

/// The largest message accepted from a server; tonic's own limit is 4 MiB, and a row may have 256
/// MiB.
pub(crate) const MAX_MESSAGE_BYTES: usize = 256 << 20;

/// Makes calls. The first one opens the channels.
#[derive(Debug)]
pub(crate) struct Transport {
    data: Pool,
    /// `None` if it is the same as for data.
    admin: Option<Pool>,
    headers: Headers,
    authorization: Authorization,
}

impl Transport {
    pub(crate) fn new(settings: &GrpcSettings) -> Result<Self, ConnectError> {
        let endpoints = Endpoints::new(settings)?;
        let headers = Headers::new(settings);
        let channels = |endpoint| Channels {
            endpoint,
            headers: headers.clone(),
            authorization: endpoints.authorization.clone(),
            instance: InstanceName::new(&settings.project, &settings.instance),
            app_profile: settings.app_profile.clone(),
            timeout: bounded(settings.timeouts.ping_and_warm),
        };
        let pool = settings.effective_pool();
        let for_admin = PoolSettings {
            channels: 1,
            resize: None,
            primed: false,
            ..pool
        };
        let data = Arc::new(channels(endpoints.data));
        let admin = endpoints.admin.map(channels);
        Ok(Self {
            data: Pool::new(pool, data),
            admin: admin.map(|channels| Pool::new(for_admin, Arc::new(channels))),
            headers,
            authorization: endpoints.authorization,
        })
    }

    /// Asks the server to warm up the connections for data.
    pub(crate) async fn prime(&self) -> Result<(), Status> {
        self.data.prime().await
    }

    /// Drops the connections.
    pub(crate) fn close(&self) {
        self.data.close();
        if let Some(admin) = &self.admin {
            admin.close();
        }
    }

    fn lease(&self, method: Method) -> Result<Lease, Status> {
        match &self.admin {
            Some(admin) if method.is_admin() => admin.lease(),
            _ => self.data.lease(),
        }
    }

    /// A call with one answer.
    pub(crate) async fn unary<Q: Request>(
        &self,
        call: &Call,
        sent: &Sent<Q>,
    ) -> Result<Q::Answer, Failure> {
        let lease = self.lease(Q::METHOD)?;
        let request = self.request(call, &sent.routing);
        let (authorization, body) = (&self.authorization, sent.body());
        let answer = unary(lease.line(), Q::METHOD, authorization, request, body).await;
        answer.map_err(|failure| {
            let failure = failure.on_the_way_to(lease.address());
            call.deadline.judge(failure)
        })
    }

    /// A call with a stream of answers. Dropping the stream cancels the call.
    pub(crate) async fn streaming<Q: Request>(
        &self,
        call: &Call,
        sent: &Sent<Q>,
    ) -> Result<Answers<Q::Answer>, Failure> {
        self.answers(Q::METHOD, call, &sent.routing, sent.body())
            .await
    }

    /// The same of a request that is encoded while it is sent.
    pub(crate) async fn answers<A: Answer>(
        &self,
        method: Method,
        call: &Call,
        routing: &Params,
        body: Body,
    ) -> Result<Answers<A>, Failure> {
        let mut request = self.request(call, routing);
        let lease = self.lease(method)?;
        let failed = |failure: Failure| {
            let failure = failure.on_the_way_to(lease.address());
            call.deadline.judge(failure)
        };
        let channel = SafeChannel::new(lease.line(), body);
        let mut client = ready_client(channel).await.map_err(failed)?;
        self.authorization.write(request.metadata_mut()).await?;
        let codec = ClientCodec::<A>::streaming();
        let response = client.server_streaming(request, method.path(), codec);
        match response.await {
            Ok(response) => Ok(Answers::new(response, call.deadline, lease)),
            Err(error) => Err(failed(Failure::from_tonic(&error))),
        }
    }

    fn request(&self, call: &Call, routing: &Params) -> tonic::Request<()> {
        let mut request = tonic::Request::new(());
        self.headers.write(routing, request.metadata_mut());
        call.write(request.metadata_mut());
        request
    }
}

async fn ready_client(channel: SafeChannel) -> Result<Grpc<SafeChannel>, Failure> {
    let client = Grpc::new(channel);
    let mut client = client.max_decoding_message_size(MAX_MESSAGE_BYTES);
    match client.ready().await {
        Ok(()) => Ok(client),
        Err(error) => {
            let error = tonic::Status::from_error(Box::new(error));
            Err(Failure::from_tonic(&error))
        }
    }
}

async fn unary<A: Answer>(
    line: Line,
    method: Method,
    authorization: &Authorization,
    mut request: tonic::Request<()>,
    body: Body,
) -> Result<A, Failure> {
    let mut client = ready_client(SafeChannel::new(line, body)).await?;
    authorization.write(request.metadata_mut()).await?;
    let codec = ClientCodec::<A>::unary();
    match client.unary(request, method.path(), codec).await {
        Ok(response) => Ok(response.into_inner()),
        Err(error) => Err(Failure::from_tonic(&error)),
    }
}

/// The messages that answer one call. The channel counts the call until this is dropped.
#[derive(Debug)]
pub(crate) struct Answers<A> {
    stream: Streaming<A>,
    /// The cookies of the headers, which arrive before it is known whether the call fails.
    cookies: Cookies,
    deadline: Deadline,
    lease: Lease,
}

impl<A> Answers<A> {
    fn new(response: Response<Streaming<A>>, deadline: Deadline, lease: Lease) -> Self {
        Self {
            cookies: Cookies::of(response.metadata()),
            stream: response.into_inner(),
            deadline,
            lease,
        }
    }

    /// The cookies of a call that succeeded.
    pub(crate) async fn cookies(mut self) -> Cookies {
        if let Ok(Some(trailers)) = self.stream.trailers().await {
            self.cookies.update(Cookies::of(&trailers));
        }
        self.cookies
    }
}

impl<A> Stream for Answers<A> {
    type Item = Result<A, Failure>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(match ready!(self.stream.poll_next_unpin(cx)) {
            Some(Ok(message)) => Some(Ok(message)),
            Some(Err(error)) => {
                let failure = Failure::from_tonic(&error);
                let failure = failure.on_the_way_to(self.lease.address());
                let mut failure = self.deadline.judge(failure);
                let mut cookies = std::mem::take(&mut self.cookies);
                cookies.update(std::mem::take(&mut failure.cookies));
                failure.cookies = cookies;
                Some(Err(failure))
            }
            None => None,
        })
    }
}

/// Makes the channels of one client.
#[derive(Debug)]
struct Channels {
    endpoint: Endpoint,
    headers: Headers,
    authorization: Authorization,
    instance: InstanceName,
    app_profile: String,
    timeout: Duration,
}

impl Connector for Channels {
    fn address(&self) -> &str {
        let authority = self.endpoint.uri().authority();
        authority.map_or("the server", |authority| authority.as_str())
    }

    fn line(&self) -> Line {
        Line::new(&self.endpoint)
    }

    fn prime(&self, line: Line) -> BoxFuture<'_, Result<(), Status>> {
        Box::pin(async move {
            let sent = Sent::new(&PingAndWarmRequest {
                name: self.instance.as_str().to_owned(),
                app_profile_id: self.app_profile.clone(),
            })?;
            let mut request = tonic::Request::new(());
            self.headers.write(&sent.routing, request.metadata_mut());
            let deadline = Deadline::after(self.timeout);
            deadline.write(request.metadata_mut());
            let method = PingAndWarmRequest::METHOD;
            let answer = unary(line, method, &self.authorization, request, sent.body());
            let answer = answer.map_err(|failure| deadline.judge(failure));
            let PingAndWarmResponse {} = in_time(self.timeout, answer).await?;
            Ok(())
        })
    }
}
