//! The meaning of the transport's failures.
//!
//! A server's own status has no cause. A status with one was made on this side, and its code says
//! little: a broken connection is `UNKNOWN` or `CANCELLED`, a timeout `CANCELLED`.

use std::error::Error;

use tonic::TimeoutExpired;

use crate::Code;
use crate::grpc::protocol::causes::chain;

/// Whether a stream was reset; reads recognise a broken stream by it.
pub(super) fn is_reset(status: &tonic::Status) -> bool {
    let mut cause = status.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<h2::Error>() {
            return error.is_reset();
        }
        cause = error.source();
    }
    false
}

/// What is known about a call without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nothing: the server may have processed it. This is the case if a connection breaks, or
    /// closes after a `GOAWAY` that includes the call's stream.
    Open,
    /// The server has certainly not begun to process it. HTTP/2 promises that for refused streams,
    /// and for streams after the last one that a `GOAWAY` names.
    Refused,
    /// It was not sent: there was no connection, or the server had already sent `GOAWAY`.
    Unsent,
}

impl Fate {
    pub(crate) fn of(error: &(dyn Error + 'static)) -> Self {
        let known = chain(error).find_map(|error| {
            if let Some(error) = error.downcast_ref::<h2::Error>() {
                return Some(Self::of_stream(error));
            }
            // hyper reports this only for requests that it still has when a connection closes.
            let error = error.downcast_ref::<hyper::Error>()?;
            error.is_canceled().then_some(Self::Unsent)
        });
        known.unwrap_or(Self::Open)
    }

    fn of_stream(error: &h2::Error) -> Self {
        let reason = error.reason();
        let refused = error.is_reset() && reason == Some(h2::Reason::REFUSED_STREAM);
        let left_out = error.is_go_away() && reason == Some(h2::Reason::NO_ERROR);
        match error.is_remote() && (refused || left_out) {
            true => Self::Refused,
            false => Self::Open,
        }
    }
}

/// The code of a failure of the transport; `None` for a server's own status.
pub(super) fn code(status: &tonic::Status) -> Option<Code> {
    let mut cause = status.source();
    if cause.is_none() {
        return without_status(status);
    }
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<h2::Error>() {
            return Some(of_http2(error));
        }
        if error.is::<TimeoutExpired>() {
            return Some(Code::DeadlineExceeded);
        }
        cause = error.source();
    }
    let unclear = matches!(status.code(), tonic::Code::Unknown | tonic::Code::Cancelled);
    unclear.then_some(Code::Unavailable)
}

/// A stream that ends without a status was cut off on the way, by a reset or by a proxy.
fn without_status(status: &tonic::Status) -> Option<Code> {
    let cut_off = status.code() == tonic::Code::Unknown
        && status.message().contains("missing grpc-status trailer")
        || status.code() == tonic::Code::Internal
            && status.message() == "Unexpected EOF decoding stream.";
    cut_off.then_some(Code::Unavailable)
}

/// As gRPC's specification maps them; a connection that the server closes is unavailable.
fn of_http2(error: &h2::Error) -> Code {
    if !error.is_reset() {
        return Code::Unavailable;
    }
    match error.reason() {
        Some(h2::Reason::REFUSED_STREAM) => Code::Unavailable,
        Some(h2::Reason::CANCEL) => Code::Cancelled,
        Some(h2::Reason::ENHANCE_YOUR_CALM) => Code::ResourceExhausted,
        Some(h2::Reason::INADEQUATE_SECURITY) => Code::PermissionDenied,
        _ => Code::Internal,
    }
}
