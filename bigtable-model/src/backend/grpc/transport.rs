//! Channels to a server, and calls over them.

use std::sync::OnceLock;

use prost::Message;
use tonic::Streaming;
use tonic::client::Grpc;
use tonic::metadata::MetadataMap;
use tonic::transport::Channel;
use tonic_prost::ProstCodec;

use super::endpoint::Endpoints;
use super::headers::{Headers, Routing};
use super::method::Method;
use super::settings::GrpcSettings;
use super::status;
use crate::backend::ConnectError;
use crate::{Code, Status};

/// The largest message taken from a server; tonic's own limit is 4 MiB, and a row may have 256 MiB.
pub(crate) const MAX_MESSAGE_BYTES: usize = 256 << 20;

/// Makes calls. A channel is opened by the first one that needs it.
#[derive(Debug)]
pub(crate) struct Transport {
    endpoints: Endpoints,
    data: OnceLock<Channel>,
    admin: OnceLock<Channel>,
    headers: Headers,
}

impl Transport {
    pub(crate) fn new(settings: &GrpcSettings) -> Result<Self, ConnectError> {
        Ok(Self {
            endpoints: Endpoints::new(&settings.endpoint)?,
            data: OnceLock::new(),
            admin: OnceLock::new(),
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
        let mut request = self.request(routing, message)?;
        let mut client = self.client(method).await?;
        self.authorize(request.metadata_mut()).await?;
        let codec = ProstCodec::<Q, A>::default();
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
        let mut request = self.request(routing, message)?;
        let mut client = self.client(method).await?;
        self.authorize(request.metadata_mut()).await?;
        let codec = ProstCodec::<Q, A>::default();
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

    /// Puts in what authenticates the call; nothing where there is no TLS.
    ///
    /// After the channel is known to work: where its runtime has ended, the credentials' tasks have ended too.
    async fn authorize(&self, metadata: &mut MetadataMap) -> Result<(), Status> {
        if let Some(credentials) = &self.endpoints.credentials {
            credentials.token().await?.write(metadata);
        }
        Ok(())
    }

    async fn client(&self, method: Method) -> Result<Grpc<Channel>, Status> {
        let mut client = Grpc::new(self.channel(method)?).max_decoding_message_size(MAX_MESSAGE_BYTES);
        match client.ready().await {
            Ok(()) => Ok(client),
            Err(error) => Err(status::from_tonic(&tonic::Status::from_error(Box::new(
                error,
            )))),
        }
    }

    /// A channel spawns a task, so it is made inside a call, where there is a runtime.
    fn channel(&self, method: Method) -> Result<Channel, Status> {
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(Status::new(
                Code::FailedPrecondition,
                "the gRPC backend works inside a Tokio runtime only",
            ));
        }
        let (channel, endpoint) = match &self.endpoints.admin {
            Some(endpoint) if method.is_admin() => (&self.admin, endpoint),
            _ => (&self.data, &self.endpoints.data),
        };
        let channel = channel.get_or_init(|| endpoint.connect_lazy());
        Ok(channel.clone())
    }
}
