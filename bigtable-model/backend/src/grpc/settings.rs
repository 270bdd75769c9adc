//! What a client connects to, and how it makes its calls.

pub(super) mod checks;
pub(super) mod flow;
pub(super) mod limits;
pub(super) mod options;
pub(super) mod pool;
pub(super) mod service;
pub(super) mod timing;
pub(super) mod token;

use self::checks::view_id;
use self::flow::FlowControl;
use self::limits::RequestLimits;
use self::pool::PoolSettings;
use self::service::ServiceSettings;
use self::timing::{RetrySettings, Timeouts};
use crate::InvalidSetting;
use crate::data::limits as of_rows;
use crate::status::setting::{at_least_one, check};

/// What a [`GrpcBackend`](super::GrpcBackend) connects to, and how it makes its calls.
///
/// The environment is not read; [`connect`](crate::connect) does that.
/// [`GrpcBackend::new`](super::GrpcBackend::new) refuses settings that cannot work, and names the
/// field.
///
/// ```
/// use std::time::Duration;
/// use bigtable_backend::grpc::{GrpcSettings, RetrySettings};
///
/// let settings = GrpcSettings::new("my-project", "my-instance")
///     .app_profile("batch")
///     .retry(RetrySettings { max_delay: Duration::from_secs(10), ..RetrySettings::default() })
///     .emulator("localhost:8086");
/// ```
#[derive(Debug, Clone)]
pub struct GrpcSettings {
    pub(crate) project: String,
    pub(crate) instance: String,
    pub(crate) app_profile: String,
    pub(crate) authorized_view: String,
    pub(crate) endpoint: GrpcEndpoint,
    pub(crate) retry: RetrySettings,
    pub(crate) timeouts: Timeouts,
    pub(crate) limits: RequestLimits,
    pub(crate) row_bytes: usize,
    pub(crate) pool: Option<PoolSettings>,
    pub(crate) flow_control: Option<FlowControl>,
    /// Whether the client announces features that it does not have, for tests of the protocol.
    pub(crate) announces_everything: bool,
    /// Whether additions are repeated, each with a token.
    pub(crate) repeat_adds: bool,
}

/// Where an instance is served.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum GrpcEndpoint {
    /// Bigtable itself: TLS and credentials.
    Service(ServiceSettings),
    /// An emulator or another server at `host:port`: plaintext, no credentials.
    Plaintext(String),
}

impl GrpcSettings {
    /// An instance of Bigtable itself, with its default app profile and Application Default
    /// Credentials.
    #[must_use]
    pub fn new(project: impl Into<String>, instance: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            instance: instance.into(),
            app_profile: String::new(),
            authorized_view: String::new(),
            endpoint: GrpcEndpoint::Service(ServiceSettings::new()),
            retry: RetrySettings::default(),
            timeouts: Timeouts::default(),
            limits: RequestLimits::default(),
            row_bytes: of_rows::ROW,
            pool: None,
            flow_control: None,
            announces_everything: false,
            repeat_adds: false,
        }
    }

    /// Routes requests by this app profile; empty for the instance's default.
    #[must_use]
    pub fn app_profile(mut self, id: impl Into<String>) -> Self {
        self.app_profile = id.into();
        self
    }

    /// Makes calls on an authorized view of each table, by the view's ID, instead of the table
    /// itself: reads return the rows and cells of the view, and writes change no others. Empty for
    /// the table.
    ///
    /// Views support `ReadRows`, `MutateRow`, `MutateRows`, `CheckAndMutateRow`,
    /// `ReadModifyWriteRow` and `SampleRowKeys`. Other calls, such as those on tables themselves
    /// and SQL, are refused with `FAILED_PRECONDITION`.
    #[must_use]
    pub fn authorized_view(mut self, id: impl Into<String>) -> Self {
        self.authorized_view = id.into();
        self
    }

    /// Sets how Bigtable itself is reached: addresses, root certificates, credentials.
    #[must_use]
    pub fn service(mut self, service: ServiceSettings) -> Self {
        self.endpoint = GrpcEndpoint::Service(service);
        self
    }

    /// Talks to a server without TLS and credentials, such as Google's emulator, at `host:port`.
    #[must_use]
    pub fn emulator(mut self, address: impl Into<String>) -> Self {
        self.endpoint = GrpcEndpoint::Plaintext(address.into());
        self
    }

    /// When failed attempts are repeated.
    #[must_use]
    pub fn retry(mut self, retry: RetrySettings) -> Self {
        self.retry = retry;
        self
    }

    /// How long calls may take.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// What a request may hold.
    #[must_use]
    pub fn limits(mut self, limits: RequestLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The maximum size of a row that a read takes: 256 MiB. It holds for the row's qualifiers and
    /// values, after the filter, and once more for everything else that is kept with them,
    /// including 40 bytes for each cell. A larger row, or one that never ends, fails the read with
    /// `RESOURCE_EXHAUSTED` and the row's key; the rows before it are delivered.
    ///
    /// In SQL it limits the rows of one batch: see [`sql`](crate::sql).
    #[must_use]
    pub fn row_bytes(mut self, bytes: usize) -> Self {
        self.row_bytes = bytes;
        self
    }

    /// The channels; without this [`PoolSettings::service`] or [`PoolSettings::plaintext`], by the
    /// endpoint.
    #[must_use]
    pub fn pool(mut self, pool: PoolSettings) -> Self {
        self.pool = Some(pool);
        self
    }

    /// Lets the server set the rate of bulk writes; without this, they are sent at once.
    ///
    /// All bulk writes of this client share one rate. The time that they wait for their turn counts
    /// towards their deadlines.
    #[must_use]
    pub fn flow_control(mut self, flow_control: FlowControl) -> Self {
        self.flow_control = Some(flow_control);
        self
    }

    /// Repeats additions to aggregates if an answer was lost, like other writes: each with a token
    /// by which the server applies it once. Without this they are sent once, unless HTTP/2 proves
    /// that they were not processed.
    ///
    /// Only for servers that keep the tokens. Bigtable and this crate's server do, for 15 minutes;
    /// others, such as Google's emulator, add each time. No write is repeated after that time,
    /// whatever the timeouts say.
    #[must_use]
    pub fn repeat_adds(mut self) -> Self {
        self.repeat_adds = true;
        self
    }

    /// Where the instance is served.
    #[must_use]
    pub fn endpoint(&self) -> &GrpcEndpoint {
        &self.endpoint
    }

    pub(crate) fn check(&self) -> Result<(), InvalidSetting> {
        for (field, name) in [
            ("GrpcSettings::project", &self.project),
            ("GrpcSettings::instance", &self.instance),
        ] {
            check(field, name, !name.is_empty(), "give its ID")?;
        }
        view_id("GrpcSettings::authorized_view", &self.authorized_view)?;
        self.retry.check()?;
        self.timeouts.check()?;
        self.limits.check()?;
        at_least_one("GrpcSettings::row_bytes", self.row_bytes)?;
        self.pool.map_or(Ok(()), |pool| pool.check())?;
        (self.flow_control).map_or(Ok(()), |flow_control| flow_control.check())
    }

    pub(crate) fn effective_pool(&self) -> PoolSettings {
        self.pool.unwrap_or_else(|| match self.endpoint {
            GrpcEndpoint::Service(_) => PoolSettings::service(),
            GrpcEndpoint::Plaintext(_) => PoolSettings::plaintext(),
        })
    }
}
