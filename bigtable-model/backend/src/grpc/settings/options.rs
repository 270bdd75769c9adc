//! Options that can differ from call to call.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use super::GrpcSettings;
use crate::grpc::protocol::method::Method;
use crate::grpc::settings::checks::{lasting, view_id};
use crate::grpc::settings::limits::RequestLimits;
use crate::grpc::settings::timing::{RetrySettings, Timeout, Timeouts};
use crate::{Code, InvalidSetting, Status};

/// Options for some calls, in place of the client's settings; see
/// [`GrpcBackend::with_options`](crate::grpc::GrpcBackend::with_options). Settings without an
/// option stay.
///
/// ```
/// use std::time::Duration;
/// use bigtable_backend::grpc::CallOptions;
///
/// let impatient = CallOptions::new().deadline(Duration::from_millis(200)).app_profile("interactive");
/// ```
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    app_profile: Option<String>,
    authorized_view: Option<String>,
    deadline: Option<Duration>,
    attempt_deadline: Option<Duration>,
    read_rows_idle: Option<Duration>,
    execute_query_idle: Option<Duration>,
    retry: Option<RetrySettings>,
    skipped: Option<SkippedRows>,
    unordered: bool,
}

impl CallOptions {
    /// Options that change nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Routes requests by this app profile; empty for the instance's default.
    #[must_use]
    pub fn app_profile(mut self, id: impl Into<String>) -> Self {
        self.app_profile = Some(id.into());
        self
    }

    /// Makes calls on an authorized view of each table, by the view's ID, instead of the table
    /// itself: reads return the rows and cells of the view, and writes change no others. Empty for
    /// the table, whatever the settings say.
    ///
    /// Views support `ReadRows`, `MutateRow`, `MutateRows`, `CheckAndMutateRow`,
    /// `ReadModifyWriteRow` and `SampleRowKeys`. Other calls, such as those on tables themselves
    /// and SQL, are refused with `FAILED_PRECONDITION`.
    #[must_use]
    pub fn authorized_view(mut self, id: impl Into<String>) -> Self {
        self.authorized_view = Some(id.into());
        self
    }

    /// How long an operation of any kind may take, all attempts together: more than zero.
    ///
    /// No attempt begins after it. An attempt in flight gets a little longer, a twentieth of this
    /// time and at most 20 ms: a server's time begins when the call arrives, so the server's own
    /// answer still counts.
    #[must_use]
    pub fn deadline(mut self, total: Duration) -> Self {
        self.deadline = Some(total);
        self
    }

    /// How long one attempt of any kind may take: more than zero.
    #[must_use]
    pub fn attempt_deadline(mut self, attempt: Duration) -> Self {
        self.attempt_deadline = Some(attempt);
        self
    }

    /// How long a read waits for the server's next message before it begins another attempt: more
    /// than zero.
    #[must_use]
    pub fn read_rows_idle(mut self, idle: Duration) -> Self {
        self.read_rows_idle = Some(idle);
        self
    }

    /// How long a query waits for the server's next message before it begins another attempt: more
    /// than zero.
    #[must_use]
    pub fn execute_query_idle(mut self, idle: Duration) -> Self {
        self.execute_query_idle = Some(idle);
        self
    }

    /// When failed attempts are repeated.
    #[must_use]
    pub fn retry(mut self, retry: RetrySettings) -> Self {
        self.retry = Some(retry);
        self
    }

    /// Makes each call a single attempt.
    #[must_use]
    pub fn without_retries(self) -> Self {
        self.retry(RetrySettings {
            enabled: false,
            ..RetrySettings::default()
        })
    }

    /// Bulk writes send entries of one row in one request, and the service applies them in any
    /// order. Without this the second entry is sent once the first is done.
    #[must_use]
    pub fn unordered(mut self) -> Self {
        self.unordered = true;
        self
    }

    /// Reads leave out rows that the server says are too large to read, and put their keys here.
    /// Without this such a row is an error.
    #[must_use]
    pub fn skip_large_rows(mut self, skipped: SkippedRows) -> Self {
        self.skipped = Some(skipped);
        self
    }
}

impl CallOptions {
    pub(crate) fn check(&self) -> Result<(), InvalidSetting> {
        let times = [
            ("CallOptions::deadline", self.deadline),
            ("CallOptions::attempt_deadline", self.attempt_deadline),
            ("CallOptions::read_rows_idle", self.read_rows_idle),
            ("CallOptions::execute_query_idle", self.execute_query_idle),
        ];
        let view = self.authorized_view.as_deref().unwrap_or_default();
        view_id("CallOptions::authorized_view", view)?;
        for (field, time) in times {
            time.map_or(Ok(()), |time| lasting(field, time))?;
        }
        self.retry.map_or(Ok(()), |retry| retry.check())
    }
}

fn view(id: &str) -> Option<Arc<str>> {
    (!id.is_empty()).then(|| id.into())
}

/// Keys of rows that reads left out because they are too large. Clones share one list.
#[derive(Debug, Clone, Default)]
pub struct SkippedRows(Arc<Mutex<Vec<Bytes>>>);

impl SkippedRows {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The keys so far, in the order in which reads left them out.
    #[must_use]
    pub fn keys(&self) -> Vec<Bytes> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn add(&self, key: Bytes) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(key);
    }
}

/// The effective settings of calls, from the client's and the caller's.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) app_profile: Arc<str>,
    /// The authorized view that calls are for; `None` for the whole table.
    pub(crate) view: Option<Arc<str>>,
    pub(crate) retry: RetrySettings,
    pub(crate) timeouts: Timeouts,
    pub(crate) limits: RequestLimits,
    /// The maximum size of a row that is read.
    pub(crate) row_bytes: usize,
    pub(crate) skipped: Option<SkippedRows>,
    /// Whether entries of one row may share a request.
    pub(crate) unordered: bool,
    /// Whether additions are repeated, each with a token.
    pub(crate) repeat_adds: bool,
    deadline: Option<Duration>,
    attempt_deadline: Option<Duration>,
}

impl Options {
    pub(crate) fn new(settings: &GrpcSettings) -> Self {
        Self {
            app_profile: settings.app_profile.as_str().into(),
            view: view(&settings.authorized_view),
            retry: settings.retry,
            timeouts: settings.timeouts,
            limits: settings.limits,
            row_bytes: settings.row_bytes,
            skipped: None,
            unordered: false,
            repeat_adds: settings.repeat_adds,
            deadline: None,
            attempt_deadline: None,
        }
    }

    pub(crate) fn with(&self, options: CallOptions) -> Self {
        let mut new = self.clone();
        if let Some(id) = options.app_profile {
            new.app_profile = id.into();
        }
        if let Some(id) = options.authorized_view {
            new.view = view(&id);
        }
        new.retry = options.retry.unwrap_or(new.retry);
        let idle = &mut new.timeouts.read_rows_idle;
        *idle = options.read_rows_idle.unwrap_or(*idle);
        let idle = &mut new.timeouts.execute_query_idle;
        *idle = options.execute_query_idle.unwrap_or(*idle);
        new.skipped = options.skipped.or(new.skipped);
        new.unordered |= options.unordered;
        new.deadline = options.deadline.or(new.deadline);
        new.attempt_deadline = options.attempt_deadline.or(new.attempt_deadline);
        new
    }

    /// Refuses a call that views do not support, if calls are for a view.
    pub(crate) fn check_view(&self, method: Method) -> Result<(), Status> {
        let Some(view) = self.view.as_deref().filter(|_| !method.has_views()) else {
            return Ok(());
        };
        let message = format!(
            "{} has no form for an authorized view, and calls are for the view {view}: make it without `authorized_view`",
            method.name()
        );
        Err(Status::new(Code::FailedPrecondition, message))
    }

    /// The timeout of a kind of call, unless the caller gave another.
    pub(crate) fn timeout(&self, kind: Timeout) -> Timeout {
        Timeout {
            attempt: self.attempt_deadline.unwrap_or(kind.attempt),
            total: self.deadline.unwrap_or(kind.total),
        }
    }
}
