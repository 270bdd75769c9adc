//! What a failure of the transport means.
//!
//! A server's own status has no cause. One that has was made on this side, of whatever the
//! connection met, and the code it comes with says little: a broken connection is `UNKNOWN` or
//! `CANCELLED`, a timeout `CANCELLED`.

use std::error::Error;

use tonic::TimeoutExpired;

use crate::Code;
use crate::grpc::protocol::causes::chain;

/// What a stream that was reset is said to be; reads know a broken stream by it.
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

/// What is known to have become of a call that has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nothing: the server may have processed it. So it is when a connection breaks, or closes
    /// after a goodbye (`GOAWAY`) that names the call's stream.
    Open,
    /// The server has certainly not begun to process it. HTTP/2 promises that of a stream that is
    /// refused, and of those after the last one that a goodbye names.
    Refused,
    /// It was not sent, since the server had said goodbye when its turn came.
    Unsent,
}

impl Fate {
    pub(crate) fn of(error: &(dyn Error + 'static)) -> Self {
        let known = chain(error).find_map(|error| {
            if let Some(error) = error.downcast_ref::<h2::Error>() {
                return Some(Self::of_stream(error));
            }
            // hyper says so of requests that it still has when a connection closes, and of no
            // others.
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

/// The code of a failure of the transport; none for a server's own status.
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

/// A stream that ends without a status was cut off on its way, by a reset or by a proxy.
fn without_status(status: &tonic::Status) -> Option<Code> {
    let cut_off = status.code() == tonic::Code::Unknown
        && status.message().contains("missing grpc-status trailer")
        || status.code() == tonic::Code::Internal
            && status.message() == "Unexpected EOF decoding stream.";
    cut_off.then_some(Code::Unavailable)
}

/// As gRPC's specification translates them; a connection that the server closes is one that is not
/// there.
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
