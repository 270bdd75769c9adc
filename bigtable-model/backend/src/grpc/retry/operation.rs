//! One operation: its attempts, the pauses between them, and its deadline.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;
use tonic::metadata::{MetadataMap, MetadataValue};
use tracing::{Instrument, Span};

use crate::grpc::observe::trace::Watch;
use crate::grpc::protocol::departure::Departure;
use crate::grpc::protocol::failure::{Cookies, Failure};
use crate::grpc::protocol::method::Method;
use crate::grpc::protocol::status::Fate;
use crate::grpc::retry::backoff::Backoff;
use crate::grpc::retry::deadline::{Deadline, far, margin, on_the_way};
use crate::grpc::settings::options::Options;
use crate::grpc::settings::timing::Timeout;
use crate::{Code, Status};

/// How long a call that must not be sent twice waits until it can be sent. Creating a table may
/// take an hour, but nobody wants to wait for an hour to learn that there is no server.
const REACHED_WITHIN: Duration = Duration::from_secs(60);

/// Which failures of an operation are followed by another attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    /// None: a write that is sent twice may be applied twice. (A call that was [not
    /// processed](Operation::resends) is sent once more.)
    Never,
    /// Transient failures.
    Transient,
    /// These, and failures after which only a read is safe to repeat.
    Read,
    /// These, and failures of a server while it prepares a new plan for a query.
    Replan,
}

impl Retry {
    pub(crate) fn allows(self, status: &Status) -> bool {
        let advised = status.retry_delay.is_some();
        let transient = matches!(status.code, Code::DeadlineExceeded | Code::Unavailable);
        match self {
            Self::Never => false,
            Self::Transient => advised || transient,
            Self::Read => {
                advised || transient || status.code == Code::Aborted || is_broken_stream(status)
            }
            Self::Replan => {
                let broken = matches!(status.code, Code::Internal | Code::Unknown);
                broken || Self::Read.allows(status)
            }
        }
    }
}

/// The texts that distinguish a broken stream from a failed server.
fn is_broken_stream(status: &Status) -> bool {
    let message = status.message.to_lowercase();
    status.code == Code::Internal
        && (message.contains("rst_stream")
            || message.contains("rst stream")
            || message.contains("received unexpected eos"))
}

/// What an attempt sends besides its message.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// How long it may take.
    pub(crate) timeout: Duration,
    /// How much longer we wait for it.
    way: Duration,
    pub(crate) deadline: Deadline,
    pub(crate) departure: Departure,
    attempt: u32,
    cookies: Cookies,
}

impl Call {
    /// What limits it.
    pub(crate) fn limit(&self) -> Limit {
        Limit {
            timeout: self.timeout,
            way: self.way,
            departure: self.departure.clone(),
        }
    }

    /// Writes the headers that differ from attempt to attempt.
    pub(crate) fn write(&self, metadata: &mut MetadataMap) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let micros = u64::try_from(now.unwrap_or_default().as_micros()).unwrap_or(u64::MAX);
        metadata.insert("bigtable-attempt", MetadataValue::from(self.attempt));
        metadata.insert(
            "bigtable-client-attempt-epoch-usec",
            MetadataValue::from(micros),
        );
        self.deadline.write(metadata);
        self.cookies.write(metadata);
    }
}

/// What limits an attempt.
#[derive(Debug, Clone)]
pub(crate) struct Limit {
    pub(crate) timeout: Duration,
    way: Duration,
    pub(crate) departure: Departure,
}

impl Limit {
    pub(crate) fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            way: Duration::ZERO,
            departure: Departure::default(),
        }
    }

    /// When an attempt that begins now is given up.
    pub(crate) fn end(&self) -> Instant {
        far(self.timeout.saturating_add(self.way))
    }
}

/// An operation under way.
#[derive(Debug)]
pub(crate) struct Operation {
    retry: Retry,
    /// Whether failed attempts are repeated at all.
    enabled: bool,
    /// Whether the current request was already refused.
    refused: bool,
    deadline: Instant,
    timeout: Timeout,
    /// Attempts at the current request.
    attempts: u32,
    cookies: Cookies,
    backoff: Backoff,
    watch: Watch,
}

impl Operation {
    /// Begins an operation: its time runs from here.
    pub(crate) fn begin(
        options: &Options,
        method: Method,
        table: &str,
        retry: Retry,
        timeout: Timeout,
    ) -> Self {
        Self {
            retry: match options.retry.enabled {
                true => retry,
                false => Retry::Never,
            },
            enabled: options.retry.enabled,
            refused: false,
            deadline: far(timeout.total),
            timeout,
            attempts: 0,
            cookies: Cookies::default(),
            backoff: Backoff::new(options.retry),
            watch: Watch::operation(method, table, &options.app_profile),
        }
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// When an attempt in flight is given up.
    pub(crate) fn end(&self) -> Instant {
        self.deadline + on_the_way(self.timeout.total)
    }

    pub(crate) fn span(&self) -> &Span {
        self.watch.span()
    }

    /// Something has come from the server.
    pub(crate) fn answered(&mut self) {
        self.watch.answered();
    }

    /// Records how it ended; later calls do nothing.
    pub(crate) fn ended(&mut self, error: Option<&Status>) {
        self.watch.ended(error);
    }

    pub(crate) fn retries(&self, status: &Status) -> bool {
        self.retry.allows(status)
    }

    /// Whether a request that must not be sent twice may be resent after this failure: it was not
    /// sent yet, for a reason that may pass, or the server has certainly not begun to process it.
    /// The latter is believed once.
    pub(crate) fn resends(&mut self, failure: &Failure) -> bool {
        match failure.fate {
            Fate::Open => false,
            Fate::Unsent => {
                let left = self.deadline.saturating_duration_since(Instant::now());
                let passed = self.timeout.total.saturating_sub(left);
                self.enabled && failure.status.is_retryable() && passed < REACHED_WITHIN
            }
            Fate::Refused => self.enabled && !std::mem::replace(&mut self.refused, true),
        }
    }

    /// The next attempt: what it sends, and where to record its end.
    pub(crate) fn attempt(&mut self) -> (Call, Watch) {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let timeout = self.timeout.attempt.min(left);
        let attempt = self.attempts;
        self.attempts += 1;
        let call = Call {
            timeout,
            way: on_the_way(self.timeout.total),
            deadline: Deadline::after(timeout),
            departure: Departure::default(),
            attempt,
            cookies: self.cookies.clone(),
        };
        (call, self.watch.attempt(attempt))
    }

    /// The cookies that the next attempt sends.
    pub(crate) fn cookies(&self) -> Cookies {
        self.cookies.clone()
    }

    /// Keeps the cookies of a successful attempt that is followed by others.
    pub(crate) fn keep(&mut self, cookies: Cookies) {
        self.cookies.update(cookies);
    }

    /// Continues with another request of the same operation.
    pub(crate) fn next_request(&mut self) {
        self.attempts = 0;
        self.refused = false;
        self.backoff.restart();
    }

    /// The attempt made progress: if it fails now, that counts as a first failure.
    pub(crate) fn progressed(&mut self) {
        self.backoff.restart();
    }

    /// What follows a failed attempt: a pause and another attempt, or the end. An operation whose
    /// next attempt would begin after its deadline ends now, with the current error; so does an
    /// operation whose server says that the time is over, some milliseconds before it is over here.
    pub(crate) fn failed(&mut self, failure: Failure) -> Result<Duration, Status> {
        let retried = self.retry.allows(&failure.status) || self.resends(&failure);
        self.pause_after(failure, retried)
    }

    /// Like [`Operation::failed`], for a caller that knows better whether another attempt helps.
    pub(crate) fn pause_after(
        &mut self,
        failure: Failure,
        retried: bool,
    ) -> Result<Duration, Status> {
        self.cookies.update(failure.cookies);
        if !retried {
            return Err(failure.status);
        }
        let pause = self.backoff.pause(failure.status.retry_delay);
        let left = self.deadline.saturating_duration_since(Instant::now());
        let told = failure.status.code == Code::DeadlineExceeded;
        let over = told && left <= margin(self.timeout.total);
        if over || pause >= left {
            return Err(failure.status);
        }
        self.watch.retrying(&failure.status, pause);
        Ok(pause)
    }

    /// Makes attempts until one succeeds or the operation ends.
    pub(crate) async fn run<T, F>(mut self, attempt: impl FnMut(Call) -> F) -> Result<T, Status>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let result = self.request(attempt).await;
        self.ended(result.as_ref().err());
        result
    }

    /// Makes the attempts of one request of an operation. All its requests share the deadline.
    pub(crate) async fn request<T, F>(
        &mut self,
        mut attempt: impl FnMut(Call) -> F,
    ) -> Result<T, Status>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let span = self.span().clone();
        let attempts = async {
            loop {
                let (call, mut watch) = self.attempt();
                let limit = call.limit();
                let answer = in_time(&limit, attempt(call))
                    .instrument(watch.span().clone())
                    .await;
                watch.attempt_ended(answer.as_ref().err());
                match answer {
                    Ok(answer) => return Ok(answer),
                    Err(failure) => tokio::time::sleep(self.failed(failure)?).await,
                }
            }
        };
        attempts.instrument(span).await
    }
}

/// An attempt, limited in time.
pub(crate) async fn in_time<T>(
    limit: &Limit,
    attempt: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    match tokio::time::timeout_at(limit.end(), attempt).await {
        Ok(answer) => answer,
        Err(_) if limit.departure.recall() => Err(never_sent(limit.timeout)),
        Err(_) => Err(too_late(limit.timeout)),
    }
}

/// The failure of an attempt that waited until its end for a connection, or for a token.
fn never_sent(timeout: Duration) -> Failure {
    let message =
        format!("nothing was sent within {timeout:?}: there was no connection, or no access token");
    Failure {
        fate: Fate::Unsent,
        ..Failure::new(Code::DeadlineExceeded, message)
    }
}

/// The failure of an attempt that took too long.
pub(crate) fn too_late(timeout: Duration) -> Failure {
    Failure::new(
        Code::DeadlineExceeded,
        format!("the server did not finish its answer within {timeout:?}"),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::cell::Cell;

    use super::*;
    use crate::grpc::{GrpcSettings, RetrySettings};

    const TOTAL: Duration = Duration::from_millis(100);

    /// How often a request with this timeout is sent, if each attempt fails after this time.
    async fn attempts(code: Code, after: Duration) -> u32 {
        let hasty = RetrySettings {
            first_delay: Duration::from_micros(10),
            max_delay: Duration::from_micros(20),
            ..RetrySettings::default()
        };
        let options = Options::new(&GrpcSettings::new("p", "i").retry(hasty));
        let timeout = Timeout {
            total: TOTAL,
            attempt: TOTAL,
        };
        let operation = Operation::begin(&options, Method::READ_ROWS, "t", Retry::Read, timeout);
        let made = Cell::new(0);
        let attempt = |_| {
            made.set(made.get() + 1);
            async {
                tokio::time::sleep(after).await;
                Err::<(), _>(Failure::new(code, "over"))
            }
        };
        // A second attempt is cut off.
        let error = operation.run(attempt).await.unwrap_err();
        assert_eq!(error.code, Code::DeadlineExceeded, "{error}");
        made.get()
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_whose_clock_is_ahead_ends_an_operation() {
        let millis = Duration::from_millis;
        assert_eq!(attempts(Code::DeadlineExceeded, millis(96)).await, 1);
        assert_eq!(attempts(Code::DeadlineExceeded, millis(60)).await, 2);
        assert_eq!(attempts(Code::Unavailable, millis(96)).await, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_cannot_be_sent_is_tried_for_a_minute() {
        let options = Options::new(&GrpcSettings::new("p", "i"));
        let timeout = Timeout {
            total: Duration::from_secs(3600),
            attempt: Duration::from_secs(3600),
        };
        let method = Method::CREATE_TABLE;
        let operation = Operation::begin(&options, method, "t", Retry::Never, timeout);
        let began = Instant::now();
        let attempt = |_| async {
            Err::<(), _>(Failure {
                fate: Fate::Unsent,
                ..Failure::new(Code::Unavailable, "refused")
            })
        };
        let error = operation.run(attempt).await.unwrap_err();
        assert_eq!(error.code, Code::Unavailable, "{error}");
        let took = began.elapsed().as_secs();
        assert!((60..130).contains(&took), "{took} s");
    }
}
