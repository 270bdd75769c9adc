//! Calls over the channels to a server.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{Stream, StreamExt};
use tonic::body::Body;
use tonic::client::Grpc;
use tonic::transport::Endpoint;
use tonic::{Response, Streaming};

use super::auth::Authorization;
use super::dial::{Dial, Line};
use crate::ConnectError;
use crate::Status;
use crate::grpc::channel::endpoint::Endpoints;
use crate::grpc::channel::headers::Headers;
use crate::grpc::channel::pool::{Connector, Lease, Pool};
use crate::grpc::channel::trailers::SafeChannel;
use crate::grpc::protocol::codec::{Answer, ClientCodec};
use crate::grpc::protocol::departure::Ticket;
use crate::grpc::protocol::failure::{Cookies, Failure};
use crate::grpc::protocol::method::Method;
use crate::grpc::protocol::names::InstanceName;
use crate::grpc::protocol::request::{Request, Sent};
use crate::grpc::protocol::routing::Params;
use crate::grpc::protocol::status::Fate;
use crate::grpc::protocol::wire::{PingAndWarmRequest, PingAndWarmResponse};
use crate::grpc::retry::deadline::Deadline;
use crate::grpc::retry::operation::{Call, Limit, in_time};
use crate::grpc::settings::GrpcSettings;
use crate::grpc::settings::pool::PoolSettings;
use crate::grpc::settings::timing::bounded;

/// The largest message accepted from a server; tonic's own limit is 4 MiB, and a row may have 256
/// MiB.
pub(crate) const MAX_MESSAGE_BYTES: usize = 256 << 20;

/// How long a call waits for a connection before it prefers a channel that works.
const PATIENCE: Duration = Duration::from_millis(250);

/// How long it waits before it tries a channel about which nothing is known. Connections may just
/// be slow, and then other channels are as slow.
const LONG_PATIENCE: Duration = Duration::from_secs(1);

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

    fn pool(&self, method: Method) -> &Pool {
        match &self.admin {
            Some(admin) if method.is_admin() => admin,
            _ => &self.data,
        }
    }

    /// A call with one answer.
    pub(crate) async fn unary<Q: Request>(
        &self,
        call: &Call,
        sent: &Sent<Q>,
    ) -> Result<Q::Answer, Failure> {
        let mut way = Way::new(self.pool(Q::METHOD), call);
        loop {
            let lease = way.pool.lease()?;
            let request = self.request(call, &sent.routing);
            let body = sent.body(call.departure.ticket());
            let ready = ready(lease.line(), &self.authorization, request, body).await;
            let (mut client, request) = ready.map_err(|failure| way.judge(&lease, failure))?;
            let codec = ClientCodec::<Q::Answer>::unary();
            let answer = client.unary(request, Q::METHOD.path(), codec);
            match way.travel(&lease, answer).await {
                Ok(response) => return Ok(response.into_inner()),
                Err(Stop::Elsewhere) => {}
                Err(Stop::Failed(failure)) => return Err(failure),
            }
        }
    }

    /// A call with a stream of answers. Dropping the stream cancels the call.
    pub(crate) async fn streaming<Q: Request>(
        &self,
        call: &Call,
        sent: &Sent<Q>,
    ) -> Result<Answers<Q::Answer>, Failure> {
        let body = |ticket| Ok(sent.body(ticket));
        self.answers(Q::METHOD, call, &sent.routing, body).await
    }

    /// The same for a request that is encoded while it is sent.
    pub(crate) async fn answers<A: Answer>(
        &self,
        method: Method,
        call: &Call,
        routing: &Params,
        body: impl Fn(Ticket) -> Result<Body, Status>,
    ) -> Result<Answers<A>, Failure> {
        let mut way = Way::new(self.pool(method), call);
        loop {
            let lease = way.pool.lease()?;
            let request = self.request(call, routing);
            let body = body(call.departure.ticket())?;
            let ready = ready(lease.line(), &self.authorization, request, body).await;
            let (mut client, request) = ready.map_err(|failure| way.judge(&lease, failure))?;
            let codec = ClientCodec::<A>::streaming();
            let response = client.server_streaming(request, method.path(), codec);
            match way.travel(&lease, response).await {
                Ok(response) => return Ok(Answers::new(response, call.deadline, lease)),
                Err(Stop::Elsewhere) => {}
                Err(Stop::Failed(failure)) => return Err(failure),
            }
        }
    }

    fn request(&self, call: &Call, routing: &Params) -> tonic::Request<()> {
        let mut request = tonic::Request::new(());
        self.headers.write(routing, request.metadata_mut());
        call.write(request.metadata_mut());
        request
    }
}

/// The way of one attempt to the server: over the first channel that takes it.
struct Way<'a> {
    pool: &'a Pool,
    call: &'a Call,
    moves: usize,
}

/// Why an attempt did not arrive.
enum Stop {
    /// It was not sent, and another channel may take it.
    Elsewhere,
    Failed(Failure),
}

impl<'a> Way<'a> {
    fn new(pool: &'a Pool, call: &'a Call) -> Self {
        Self {
            pool,
            call,
            moves: 0,
        }
    }

    /// Waits for the answer to a call over this channel.
    async fn travel<T>(
        &mut self,
        lease: &Lease,
        answer: impl Future<Output = Result<T, tonic::Status>>,
    ) -> Result<T, Stop> {
        let answer = pin!(answer);
        let answer = match lease.works() {
            true => answer.await,
            false => self.connected(lease, answer).await?,
        };
        answer.map_err(|error| {
            let failure = self.judge(lease, Failure::from_tonic(&error));
            let unsent = failure.fate == Fate::Unsent && failure.unreached;
            match unsent && self.moves(lease, |other| !other.fails()) {
                true => Stop::Elsewhere,
                false => Stop::Failed(failure),
            }
        })
    }

    /// The same over a channel that may have to connect first. A connection that takes long does
    /// not hold up the call if another channel works.
    async fn connected<F: Future>(
        &mut self,
        lease: &Lease,
        mut answer: Pin<&mut F>,
    ) -> Result<F::Output, Stop> {
        let mut waited = Duration::ZERO;
        loop {
            if let Ok(answer) = tokio::time::timeout(PATIENCE, &mut answer).await {
                return Ok(answer);
            }
            if lease.works() || self.call.departure.is_sent() {
                return Ok(answer.await);
            }
            waited += PATIENCE;
            lease.too_slow();
            let long = waited >= LONG_PATIENCE;
            let moves = self.moves(lease, |other| other.works() || long && !other.fails());
            if moves && self.call.departure.recall() {
                return Err(Stop::Elsewhere);
            }
        }
    }

    /// Whether the call may go to another channel that satisfies the test. It visits each once at
    /// most.
    fn moves(&mut self, from: &Lease, to: impl Fn(&Dial) -> bool) -> bool {
        let moves = self.moves + 1 < self.pool.len() && self.pool.has_other(from, to);
        self.moves += usize::from(moves);
        moves
    }

    fn judge(&self, lease: &Lease, failure: Failure) -> Failure {
        let failure = failure.on_the_way_to(lease.address());
        let mut failure = self.call.deadline.judge(failure);
        if failure.fate == Fate::Open && self.call.departure.recall() {
            failure.fate = Fate::Unsent;
        }
        failure
    }
}

/// A client for one call, and the request with its token. It may still have to connect.
async fn ready(
    line: Line,
    authorization: &Authorization,
    mut request: tonic::Request<()>,
    body: Body,
) -> Result<(Grpc<SafeChannel>, tonic::Request<()>), Failure> {
    let client = Grpc::new(SafeChannel::new(line, body));
    let mut client = client.max_decoding_message_size(MAX_MESSAGE_BYTES);
    if let Err(error) = client.ready().await {
        let error = tonic::Status::from_error(Box::new(error));
        return Err(Failure::from_tonic(&error));
    }
    authorization.write(request.metadata_mut()).await?;
    Ok((client, request))
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
            let limit = Limit::new(self.timeout);
            let body = sent.body(limit.departure.ticket());
            let answer = async {
                let ready = ready(line, &self.authorization, request, body);
                let (mut client, request) = ready.await?;
                let codec = ClientCodec::<PingAndWarmResponse>::unary();
                let path = PingAndWarmRequest::METHOD.path();
                let answer = client.unary(request, path, codec).await;
                answer.map_err(|error| deadline.judge(Failure::from_tonic(&error)))
            };
            in_time(&limit, answer).await?;
            Ok(())
        })
    }
}
