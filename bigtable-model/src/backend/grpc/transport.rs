//! Channels to a server, and calls over them.

use std::sync::OnceLock;
use std::time::Duration;

use http::Uri;
use prost::Message;
use tonic::Streaming;
use tonic::client::Grpc;
use tonic::transport::{Channel, Endpoint};

use super::codec::ClientCodec;
use super::headers::{Headers, Routing, USER_AGENT};
use super::method::Method;
use super::settings::{GrpcEndpoint, GrpcSettings};
use super::status;
use crate::backend::ConnectError;
use crate::{Code, Status};

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
///
/// Without keepalive: the emulator closes connections that ping more often than every five minutes.
fn plaintext(address: &str) -> Option<Endpoint> {
    let uri: Uri = format!("http://{address}").parse().ok()?;
    let authority = uri.authority()?;
    let complete = !authority.host().is_empty() && authority.port_u16().is_some();
    if !complete || authority.as_str() != address {
        return None;
    }
    Endpoint::from(uri).user_agent(USER_AGENT).ok()
}

/// Makes calls. The channel is opened by the first one.
#[derive(Debug)]
pub(crate) struct Transport {
    endpoint: Endpoint,
    channel: OnceLock<Channel>,
    headers: Headers,
}

impl Transport {
    pub(crate) fn new(settings: &GrpcSettings) -> Result<Self, ConnectError> {
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
        Ok(Self {
            endpoint,
            channel: OnceLock::new(),
            headers: Headers::new(),
        })
    }

    /// A call with one answer.
    pub(crate) async fn unary<Q, A>(
        &self,
        method: Method,
        routing: Routing<'_>,
        message: Q,
    ) -> Result<A, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let request = self.request(routing, message)?;
        let mut client = self.client().await?;
        let codec = ClientCodec::<Q, A>::unary();
        match client.unary(request, method.path(), codec).await {
            Ok(response) => Ok(response.into_inner()),
            Err(error) => Err(status::from_tonic(&error)),
        }
    }

    /// A call that is answered by a stream of messages. Dropping the stream cancels the call.
    pub(crate) async fn streaming<Q, A>(
        &self,
        method: Method,
        routing: Routing<'_>,
        message: Q,
    ) -> Result<Streaming<A>, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let request = self.request(routing, message)?;
        let mut client = self.client().await?;
        let codec = ClientCodec::<Q, A>::streaming();
        match client.server_streaming(request, method.path(), codec).await {
            Ok(response) => Ok(response.into_inner()),
            Err(error) => Err(status::from_tonic(&error)),
        }
    }

    fn request<Q>(&self, routing: Routing<'_>, message: Q) -> Result<tonic::Request<Q>, Status> {
        let mut request = tonic::Request::new(message);
        self.headers.write(routing, request.metadata_mut())?;
        Ok(request)
    }

    async fn client(&self) -> Result<Grpc<Channel>, Status> {
        let mut client = Grpc::new(self.channel()?).max_decoding_message_size(MAX_MESSAGE_BYTES);
        match client.ready().await {
            Ok(()) => Ok(client),
            Err(error) => Err(status::from_tonic(&tonic::Status::from_error(Box::new(
                error,
            )))),
        }
    }

    /// A channel spawns a task, so it is made inside a call, where there is a runtime.
    fn channel(&self) -> Result<Channel, Status> {
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(Status::new(
                Code::FailedPrecondition,
                "the gRPC backend works inside a Tokio runtime only",
            ));
        }
        let channel = self.channel.get_or_init(|| self.endpoint.connect_lazy());
        Ok(channel.clone())
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
