//! Spans of operations and attempts, for programs that collect them through `tracing`.

use std::time::Duration;

use tracing::field::Empty;
use tracing::{Span, debug, debug_span};

use super::method::Method;
use crate::{Code, Status};

const TARGET: &str = "bigtable_model::grpc";

/// The span of an operation: all attempts of one call of the backend.
pub(crate) fn operation(method: Method, table: &str, app_profile: &str) -> Span {
    debug_span!(
        target: TARGET,
        "bigtable.operation",
        method = method.name(),
        table,
        app_profile,
        status = Empty,
    )
}

/// The span of one attempt; the first one is 0.
pub(crate) fn attempt(operation: &Span, method: Method, attempt: u32) -> Span {
    debug_span!(
        target: TARGET,
        parent: operation,
        "bigtable.attempt",
        method = method.name(),
        attempt,
        status = Empty,
    )
}

/// Notes how an operation or an attempt ended.
pub(crate) fn ended(span: &Span, error: Option<&Status>) {
    let code = error.map_or(Code::Ok, |status| status.code);
    span.record("status", code.name());
}

/// Tells that another attempt follows.
pub(crate) fn retrying(operation: &Span, status: &Status, pause: Duration) {
    debug!(
        target: TARGET,
        parent: operation,
        status = status.code.name(),
        message_of_status = status.message,
        pause = ?pause,
        "another attempt follows"
    );
}
