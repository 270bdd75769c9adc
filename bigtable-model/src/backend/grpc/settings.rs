use super::service::ServiceSettings;

/// What a [`GrpcBackend`](super::GrpcBackend) connects to.
///
/// The environment is not looked at; [`connect`](crate::connect) does that.
///
/// ```
/// use bigtable_model::backend::grpc::GrpcSettings;
///
/// let settings = GrpcSettings::new("my-project", "my-instance")
///     .app_profile("batch")
///     .emulator("localhost:8086");
/// ```
#[derive(Debug, Clone)]
pub struct GrpcSettings {
    pub(crate) project: String,
    pub(crate) instance: String,
    pub(crate) app_profile: String,
    pub(crate) endpoint: GrpcEndpoint,
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
    /// An instance of Bigtable itself, with its default app profile and Application Default Credentials.
    #[must_use]
    pub fn new(project: impl Into<String>, instance: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            instance: instance.into(),
            app_profile: String::new(),
            endpoint: GrpcEndpoint::Service(ServiceSettings::new()),
        }
    }

    /// Routes requests by this app profile; empty is the instance's default.
    #[must_use]
    pub fn app_profile(mut self, id: impl Into<String>) -> Self {
        self.app_profile = id.into();
        self
    }

    /// Reaches Bigtable itself in a way of one's own: addresses, root certificates, credentials.
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

    /// Where the instance is served.
    #[must_use]
    pub fn endpoint(&self) -> &GrpcEndpoint {
        &self.endpoint
    }
}
