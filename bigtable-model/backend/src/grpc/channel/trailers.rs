//! Answers whose trailers can be decoded.
//!
//! tonic panics on a `grpc-status-details-bin` that is not base64, and a message that is not UTF-8
//! costs it the status. A server or a proxy may send anything: here malformed details are dropped
//! and messages corrected, before tonic sees them.

use std::pin::Pin;
use std::task::{Context, Poll};

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use futures::TryFutureExt;
use futures::future::MapOk;
use http::{HeaderMap, HeaderValue};
use http_body::{Frame, SizeHint};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::transport::Channel;

use super::dial::{Line, Told};
use crate::grpc::protocol::call_error::CallError;

const DETAILS: &str = "grpc-status-details-bin";
const MESSAGE: &str = "grpc-message";

/// Base64 as tonic reads it: with padding or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

fn make_readable(trailers: &mut HeaderMap) {
    if let Some(message) = trailers.get_mut(MESSAGE)
        && percent_decode(message.as_bytes()).decode_utf8().is_err()
    {
        let text = percent_decode(message.as_bytes()).decode_utf8_lossy();
        let sent = utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string();
        // Percent-encoded text is always a valid header value.
        *message = HeaderValue::try_from(sent).unwrap_or(HeaderValue::from_static(""));
    }
    let details = trailers.get(DETAILS);
    if details.is_some_and(|details| BASE64.decode(details.as_bytes()).is_err()) {
        trailers.remove(DETAILS);
    }
}

/// A channel for one call, with safe trailers.
#[derive(Debug)]
pub(crate) struct SafeChannel {
    line: Line,
    /// The body that is sent in place of the one that tonic makes from a message; the one call
    /// takes it.
    body: Option<Body>,
}

impl SafeChannel {
    pub(crate) fn new(line: Line, body: Body) -> Self {
        Self {
            line,
            body: Some(body),
        }
    }
}

type Answer = http::Response<Body>;
type Future = Told<<Channel as Service<http::Request<Body>>>::Future>;

impl Service<http::Request<Body>> for SafeChannel {
    type Response = http::Response<SafeBody>;
    type Error = CallError;
    type Future = MapOk<Future, fn(Answer) -> Self::Response>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.line.channel.poll_ready(cx).map_err(CallError::from)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let request = match self.body.take() {
            Some(body) => request.map(|_| body),
            None => request,
        };
        let call = self.line.channel.call(request);
        let dial = self.line.dial.clone();
        Told { call, dial }.map_ok(safe)
    }
}

/// A call that fails at once has its trailers among the headers.
fn safe(mut answer: Answer) -> http::Response<SafeBody> {
    make_readable(answer.headers_mut());
    answer.map(SafeBody)
}

/// The messages of an answer, and after them the trailers.
#[derive(Debug)]
pub(crate) struct SafeBody(Body);

impl http_body::Body for SafeBody {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let mut polled = Pin::new(&mut self.0).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &mut polled
            && let Some(trailers) = frame.trailers_mut()
        {
            make_readable(trailers);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_read_stays() {
        for (value, stays) in [
            ("", true),
            ("CAk", true),
            ("CAk=", true),
            ("CA", true),
            ("C", false),
            ("CAk-", false),
            ("CAk==", false),
            ("%", false),
            ("\u{e9}", false),
        ] {
            let mut trailers = HeaderMap::new();
            let bytes = HeaderValue::from_bytes(value.as_bytes());
            trailers.insert("grpc-status", HeaderValue::from_static("5"));
            trailers.extend(
                bytes
                    .ok()
                    .map(|value| (http::HeaderName::from_static(DETAILS), value)),
            );
            make_readable(&mut trailers);
            assert_eq!(trailers.contains_key(DETAILS), stays, "{value:?}");
            assert!(trailers.contains_key("grpc-status"));
        }
    }

    #[test]
    fn a_status_is_kept_whatever_its_message_is() {
        for (sent, read) in [
            ("no%20row", "no row"),
            ("%", "%"),
            ("%zz", "%zz"),
            ("%ff", "\u{fffd}"),
            ("no %c3%28 row", "no \u{fffd}( row"),
            ("\u{fc}", "\u{fc}"),
        ] {
            let mut trailers = HeaderMap::new();
            trailers.insert("grpc-status", HeaderValue::from_static("5"));
            let message = HeaderValue::from_bytes(sent.as_bytes());
            let message = message.unwrap_or(HeaderValue::from_static("not a header"));
            trailers.insert(MESSAGE, message);
            make_readable(&mut trailers);
            let status = tonic::Status::from_header_map(&trailers);
            let status = status.map(|status| (status.code(), status.message().to_owned()));
            assert_eq!(status, Some((tonic::Code::NotFound, read.to_owned())));
        }
    }
}
