use std::sync::Arc;

use super::token::TokenSource;

/// How Bigtable itself is reached: always over TLS, and with credentials.
///
/// By default: `bigtable.googleapis.com` for data, `bigtableadmin.googleapis.com` for tables, the
/// root certificates of the system, and Application Default Credentials.
#[derive(Debug, Clone)]
pub struct ServiceSettings {
    pub(crate) data: String,
    pub(crate) admin: String,
    pub(crate) roots: Option<Vec<u8>>,
    pub(crate) credentials: Option<Arc<dyn TokenSource>>,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        Self {
            data: "bigtable.googleapis.com".to_owned(),
            admin: "bigtableadmin.googleapis.com".to_owned(),
            roots: None,
            credentials: None,
        }
    }
}

impl ServiceSettings {
    /// Bigtable itself with the credentials of the environment.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads and writes rows at this address, `host` or `host:port`: a regional or private
    /// endpoint.
    #[must_use]
    pub fn data_address(mut self, address: impl Into<String>) -> Self {
        self.data = address.into();
        self
    }

    /// Creates, changes and deletes tables at this address, `host` or `host:port`.
    #[must_use]
    pub fn admin_address(mut self, address: impl Into<String>) -> Self {
        self.admin = address.into();
        self
    }

    /// Trusts these certificates, in PEM, instead of the system's. There must be at least one, and
    /// each must be valid.
    #[must_use]
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.roots = Some(pem.into());
        self
    }

    /// Authenticates calls with the tokens of this source, instead of Application Default
    /// Credentials.
    #[must_use]
    pub fn credentials(mut self, source: impl TokenSource) -> Self {
        self.credentials = Some(Arc::new(source));
        self
    }
}
