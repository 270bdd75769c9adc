//! Calls over the channels to a server.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{Stream, StreamExt};
use http::Uri;
use prost::Message;
use tonic::client::Grpc;
use tonic::transport::{Channel, Endpoint};
use tonic::{Response, Streaming};

use super::codec::ClientCodec;
use super::failure::{Cookies, Failure};
use super::headers::{Headers, Routing, USER_AGENT};
use super::method::Method;
use super::names::InstanceName;
use super::operation::{Call, in_time};
use super::pool::{Connector, Lease, Pool};
use super::settings::{GrpcEndpoint, GrpcSettings};
use super::wire::{PingAndWarmRequest, PingAndWarmResponse};
use crate::Status;
use crate::backend::ConnectError;

/// The largest message taken from a server; tonic's own limit is 4 MiB, and a row may have 256 MiB.
pub(crate) const MAX_MESSAGE_BYTES: usize = 256 << 20;

/// How much of a scan may be on its way before the reader takes it; HTTP/2's default of 64 KiB starves fast links.
const STREAM_WINDOW_BYTES: u32 = 1 << 20;

/// The same for all streams of a channel together: HTTP/2's largest, which leaves the limit to the streams.
///
/// A smaller one can be used up by scans that nobody reads at the moment, and the one that is read then never goes
/// on: a merge of many scans would wait for ever.
const CHANNEL_WINDOW_BYTES: u32 = (1 << 31) - 1;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// None when `address` is not `host:port`.
fn plaintext(address: &str) -> Option<Endpoint> {
    let uri: Uri = format!("http://{address}").parse().ok()?;
    let authority = uri.authority()?;
    let complete = !authority.host().is_empty() && authority.port_u16().is_some();
    if !complete || authority.as_str() != address {
        return None;
    }
    Endpoint::from(uri).user_agent(USER_AGENT).ok()
}

/// The server that the settings name, and how connections to it are made.
fn endpoint(settings: &GrpcSettings) -> Result<Endpoint, ConnectError> {
    let endpoint = match &settings.endpoint {
        GrpcEndpoint::Plaintext(address) => {
            plaintext(address).ok_or_else(|| ConnectError::InvalidEmulatorAddress {
                address: address.clone(),
            })?
        }
        GrpcEndpoint::Service => return Err(ConnectError::CredentialsMissing),
    };
    let endpoint = endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CHANNEL_WINDOW_BYTES);
    Ok(match settings.effective_pool().keepalive {
        Some(keepalive) => endpoint
            .http2_keep_alive_interval(keepalive.interval)
            .keep_alive_timeout(keepalive.timeout)
            .keep_alive_while_idle(false),
        None => endpoint,
    })
}

/// Makes calls. The channels are opened by the first one.
#[derive(Debug)]
pub(crate) struct Transport {
    pool: Pool,
    headers: Headers,
}

impl Transport {
    pub(crate) fn new(settings: &GrpcSettings) -> Result<Self, ConnectError> {
        let headers = Headers::new();
        let connector = Channels {
            endpoint: endpoint(settings)?,
            headers: headers.clone(),
            instance: InstanceName::new(settings),
            app_profile: settings.app_profile.clone(),
            timeout: settings.timeouts.ping_and_warm,
        };
        Ok(Self {
            pool: Pool::new(settings.effective_pool(), Arc::new(connector)),
            headers,
        })
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// A call with one answer.
    pub(crate) async fn unary<Q, A>(
        &self,
        method: Method,
        routing: Routing<'_>,
        call: &Call,
        message: Q,
    ) -> Result<A, Failure>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let request = self.request(routing, call, message)?;
        let lease = self.pool.lease()?;
        unary(lease.channel(), method, request).await
    }

    /// A call that is answered by a stream of messages. Dropping the stream cancels the call.
    pub(crate) async fn streaming<Q, A>(
        &self,
        method: Method,
        routing: Routing<'_>,
        call: &Call,
        message: Q,
    ) -> Result<Answers<A>, Failure>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let request = self.request(routing, call, message)?;
        let lease = self.pool.lease()?;
        let mut client = ready_client(lease.channel()).await?;
        let codec = ClientCodec::<Q, A>::streaming();
        match client.server_streaming(request, method.path(), codec).await {
            Ok(response) => Ok(Answers::new(response, lease)),
            Err(error) => Err(Failure::from_tonic(&error)),
        }
    }

    fn request<Q>(
        &self,
        routing: Routing<'_>,
        call: &Call,
        message: Q,
    ) -> Result<tonic::Request<Q>, Status> {
        let mut request = tonic::Request::new(message);
        self.headers.write(routing, request.metadata_mut())?;
        call.write(request.metadata_mut());
        request.set_timeout(call.timeout);
        Ok(request)
    }
}

async fn ready_client(channel: Channel) -> Result<Grpc<Channel>, Failure> {
    let mut client = Grpc::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES);
    match client.ready().await {
        Ok(()) => Ok(client),
        Err(error) => {
            let error = tonic::Status::from_error(Box::new(error));
            Err(Failure::from_tonic(&error))
        }
    }
}

async fn unary<Q, A>(
    channel: Channel,
    method: Method,
    request: tonic::Request<Q>,
) -> Result<A, Failure>
where
    Q: Message + 'static,
    A: Message + Default + 'static,
{
    let mut client = ready_client(channel).await?;
    let codec = ClientCodec::<Q, A>::unary();
    match client.unary(request, method.path(), codec).await {
        Ok(response) => Ok(response.into_inner()),
        Err(error) => Err(Failure::from_tonic(&error)),
    }
}

/// The messages that answer one call. The channel counts the call until this is dropped.
#[derive(Debug)]
pub(crate) struct Answers<A> {
    stream: Streaming<A>,
    /// Those of the headers, which come before it is known whether the call fails.
    cookies: Cookies,
    _lease: Lease,
}

impl<A> Answers<A> {
    fn new(response: Response<Streaming<A>>, lease: Lease) -> Self {
        Self {
            cookies: Cookies::of(response.metadata()),
            stream: response.into_inner(),
            _lease: lease,
        }
    }
}

impl<A> Stream for Answers<A> {
    type Item = Result<A, Failure>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(match ready!(self.stream.poll_next_unpin(cx)) {
            Some(Ok(message)) => Some(Ok(message)),
            Some(Err(error)) => {
                let mut failure = Failure::from_tonic(&error);
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
    instance: InstanceName,
    app_profile: String,
    timeout: Duration,
}

impl Connector for Channels {
    fn channel(&self) -> Channel {
        self.endpoint.connect_lazy()
    }

    fn prime(&self, channel: Channel) -> BoxFuture<'_, Result<(), Status>> {
        Box::pin(async move {
            let mut request = tonic::Request::new(PingAndWarmRequest {
                name: self.instance.as_str().to_owned(),
                app_profile_id: self.app_profile.clone(),
            });
            let routing = Routing::Instance {
                name: self.instance.as_str(),
                app_profile: &self.app_profile,
            };
            self.headers.write(routing, request.metadata_mut())?;
            request.set_timeout(self.timeout);
            let answer = unary(channel, Method::PING_AND_WARM, request);
            let PingAndWarmResponse {} = in_time(self.timeout, answer).await?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn an_emulator_is_host_and_port() {
        for address in [
            "localhost:8086",
            "127.0.0.1:1",
            "[::1]:8086",
            "emulator.test:80",
        ] {
            assert!(plaintext(address).is_some(), "{address}");
        }
        for address in [
            "",
            "localhost",
            ":8086",
            "localhost:",
            "localhost:x",
            "localhost:99999",
            "http://localhost:8086",
            "localhost:8086/x",
            "a b:1",
        ] {
            assert!(plaintext(address).is_none(), "{address}");
        }
    }

    #[test]
    fn bigtable_itself_is_refused_until_there_are_credentials() {
        let settings = GrpcSettings::new("p", "i");
        let error = Transport::new(&settings).map(|_| ()).unwrap_err();
        assert_eq!(error, ConnectError::CredentialsMissing);
    }
}
