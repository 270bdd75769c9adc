//! What a failure of the transport means.
//!
//! A server's own status has no cause. One that has was made on this side, of whatever the connection met, and the code it
//! comes with says little: a broken connection is `UNKNOWN` or `CANCELLED`, a timeout `CANCELLED`.

use std::error::Error;

use tonic::TimeoutExpired;

use crate::Code;

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

/// As gRPC's specification translates them; a connection that the server closes is one that is not there.
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
