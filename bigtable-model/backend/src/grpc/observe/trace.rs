//! Operations and attempts as spans through `tracing`, and with the feature `metrics` as metrics.

use std::sync::Arc;
use std::time::Duration;

use tracing::field::Empty;
use tracing::{Span, debug, debug_span};

use crate::grpc::observe::meter::Meter;
use crate::grpc::protocol::failure::Failure;
use crate::grpc::protocol::method::Method;
use crate::{Code, Status};

const TARGET: &str = "bigtable_backend::grpc";

/// An operation (all attempts of one call of the backend) or an attempt, in flight. It ends once;
/// if it is dropped before, its caller gave it up, which counts as `CANCELLED`.
#[derive(Debug)]
pub(crate) struct Watch {
    span: Span,
    method: Method,
    /// None once it has ended.
    meter: Option<Meter>,
}

impl Watch {
    pub(crate) fn operation(method: Method, table: &str, app_profile: &Arc<str>) -> Self {
        let span = debug_span!(
            target: TARGET,
            "bigtable.operation",
            method = method.name(),
            table,
            app_profile = &**app_profile,
            status = Empty,
        );
        Self {
            span,
            method,
            meter: Some(Meter::operation(method, table, app_profile)),
        }
    }

    /// One attempt of this operation; the first one is 0.
    pub(crate) fn attempt(&self, number: u32) -> Self {
        let span = debug_span!(
            target: TARGET,
            parent: &self.span,
            "bigtable.attempt",
            method = self.method.name(),
            attempt = number,
            status = Empty,
        );
        Self {
            span,
            method: self.method,
            meter: self.meter.as_ref().map(Meter::attempt),
        }
    }

    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// Something has come from the server.
    pub(crate) fn answered(&mut self) {
        if let Some(meter) = &mut self.meter {
            meter.answered();
        }
    }

    /// Records that another attempt follows.
    pub(crate) fn retrying(&self, status: &Status, pause: Duration) {
        if let Some(meter) = &self.meter {
            meter.retrying(status.code);
        }
        debug!(
            target: TARGET,
            parent: &self.span,
            status = status.code.name(),
            message_of_status = status.message,
            pause = ?pause,
            "another attempt follows"
        );
    }

    /// How it ended.
    pub(crate) fn ended(&mut self, error: Option<&Status>) {
        self.end(error.map_or(Code::Ok, |status| status.code), false);
    }

    /// How an attempt ended.
    pub(crate) fn attempt_ended(&mut self, failure: Option<&Failure>) {
        let code = failure.map_or(Code::Ok, |failure| failure.status.code);
        self.end(code, failure.is_some_and(|failure| failure.unreached));
    }

    fn end(&mut self, code: Code, unreached: bool) {
        if let Some(meter) = self.meter.take() {
            self.span.record("status", code.name());
            meter.ended(code, unreached);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end(Code::Cancelled, false);
    }
}
