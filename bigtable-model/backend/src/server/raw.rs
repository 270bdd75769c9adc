//! Calls as bytes on the wire, for fuzzing and for replaying its findings.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;

use bytes::{BufMut, Bytes};
use futures::stream;
use tonic::Status;
use tonic::body::Body;
use tonic::codec::{EncodeBody, EncodeBuf, Encoder};
use tonic::codegen::{Body as _, Service as _};

use super::ServerOptions;
use super::budget::Budget;
use super::instances::Instances;
use super::service::Service;
#[cfg(doc)]
use crate::Backend;
use crate::grpc::protocol::method::Method;
use crate::grpc::server::GrpcService;

/// A server that is called with bytes instead of over a connection.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct RawServer(GrpcService<Service>);

impl RawServer {
    /// Serves a [`Backend`].
    #[must_use]
    pub fn new(instances: impl Into<Instances>) -> Self {
        let service = Service::new(
            instances.into(),
            ServerOptions::default(),
            Budget::new(usize::MAX),
        );
        Self(GrpcService::new(Arc::new(service)))
    }

    /// Calls, one after another: a byte that chooses the method, two with the length of the
    /// message, the message. At the end of the bytes, a message may be shorter. Every answer is
    /// read to its end.
    pub async fn call_all(&self, mut calls: &[u8]) {
        while let Some((&[method, high, low], rest)) = calls.split_first_chunk() {
            let length = usize::from(u16::from_be_bytes([high, low]));
            let (message, rest) = rest.split_at(length.min(rest.len()));
            self.call(method, Bytes::copy_from_slice(message)).await;
            calls = rest;
        }
    }

    async fn call(&self, method: u8, message: Bytes) {
        let Some(method) = Method::numbered(method) else {
            return;
        };
        let message = stream::iter([Ok(message)]);
        let body = Body::new(EncodeBody::new_client(AsItIs, message, None, None));
        let mut request = http::Request::new(body);
        *request.uri_mut() = method.path().into();
        *request.method_mut() = http::Method::POST;
        let Ok(answer) = self.0.clone().call(request).await;
        let mut body = answer.into_body();
        while poll_fn(|cx| Pin::new(&mut body).poll_frame(cx))
            .await
            .is_some()
        {}
    }
}

/// Sends bytes as a message, unchecked.
pub(super) struct AsItIs;

impl Encoder for AsItIs {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(message);
        Ok(())
    }
}
