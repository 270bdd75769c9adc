//! Metrics of operations and attempts (feature `metrics`).

use std::sync::Arc;
use std::time::Duration;

use metrics::Unit;
use tokio::time::Instant;

use crate::Code;
use crate::backend::labels::Labels;
use crate::grpc::protocol::method::Method;

const OPERATION: &str = "bigtable_operation_duration_seconds";
const ATTEMPT: &str = "bigtable_attempt_duration_seconds";
const FIRST_RESPONSE: &str = "bigtable_first_response_duration_seconds";
const RETRIES: &str = "bigtable_retries_total";
const UNREACHED: &str = "bigtable_connectivity_errors_total";

/// Describes the metrics to the program's recorder.
pub(crate) fn describe() {
    metrics::describe_histogram!(
        OPERATION,
        Unit::Seconds,
        "From the call of an operation to its end, all attempts and the pauses between them."
    );
    metrics::describe_histogram!(ATTEMPT, Unit::Seconds, "One attempt of an operation.");
    metrics::describe_histogram!(
        FIRST_RESPONSE,
        Unit::Seconds,
        "From the call of a read to the server's first message, failed attempts before it included."
    );
    metrics::describe_counter!(
        RETRIES,
        Unit::Count,
        "Attempts that were followed by another one, by the status that they ended with."
    );
    metrics::describe_counter!(
        UNREACHED,
        Unit::Count,
        "Attempts that failed because the connection could not be made or broke."
    );
}

/// The measurement of an operation or an attempt in flight.
#[derive(Debug)]
pub(crate) struct Meter {
    name: &'static str,
    labels: Labels,
    begun: Instant,
    first_response: Option<Duration>,
}

impl Meter {
    pub(crate) fn operation(method: Method, table: &str, app_profile: &Arc<str>) -> Self {
        let caller = ("app_profile", Arc::clone(app_profile));
        Self::begin(OPERATION, Labels::new(method.name(), table, caller))
    }

    pub(crate) fn attempt(&self) -> Self {
        Self::begin(ATTEMPT, self.labels.clone())
    }

    fn begin(name: &'static str, labels: Labels) -> Self {
        Self {
            name,
            labels,
            begun: Instant::now(),
            first_response: None,
        }
    }

    pub(crate) fn answered(&mut self) {
        let begun = self.begun;
        self.first_response.get_or_insert_with(|| begun.elapsed());
    }

    pub(crate) fn retrying(&self, status: Code) {
        metrics::counter!(RETRIES, self.labels.with(status)).increment(1);
    }

    /// `unreached`: whether the connection failed.
    pub(crate) fn ended(self, status: Code, unreached: bool) {
        let labels = self.labels.with(status);
        metrics::histogram!(self.name, labels.clone()).record(self.begun.elapsed());
        if let Some(first) = self.first_response {
            metrics::histogram!(FIRST_RESPONSE, labels.clone()).record(first);
        }
        if unreached {
            metrics::counter!(UNREACHED, labels).increment(1);
        }
    }
}
