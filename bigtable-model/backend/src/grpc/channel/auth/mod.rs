//! Credentials for calls to Bigtable itself.
//!
//! [Application Default Credentials] (feature `auth`, on by default) are used unless a
//! [`TokenSource`] is given. Tokens are sent over TLS only; a server without it, such as an
//! emulator, gets none.
//!
//! The first call looks for them; a file of credentials may be a pipe, which is read once. A token
//! is replaced some minutes before it expires, and the old one is used as long as it is valid. A
//! call waits 10 s at most for a token. The metadata server is asked again if it does not answer
//! within 5 s, and not more often than once a second. Credentials of a file are replaced if they
//! are silent for 20 s.
//!
//! Google's crate, which fetches the tokens for a file, uses the crypto provider of the process: a
//! program installs one, with [`install_crypto_provider`] or with rustls's own call, before it
//! opens a backend. A [`TokenSource`] needs none.
//!
//! [Application Default Credentials]: https://cloud.google.com/docs/authentication/application-default-credentials

#[cfg(feature = "auth")]
mod adc;
#[cfg(feature = "auth")]
mod file;
#[cfg(feature = "auth")]
mod kinds;
#[cfg(feature = "auth")]
mod library;
#[cfg(feature = "auth")]
mod machine;
#[cfg(feature = "auth")]
mod metadata;
#[cfg(feature = "auth")]
mod search;

use std::sync::Arc;

pub use crate::grpc::settings::token::{AccessToken, TokenSource};
#[cfg(feature = "auth")]
pub(crate) use adc::ApplicationDefault;

use tonic::metadata::MetadataMap;

use crate::Status;

/// Installs *ring* as the crypto provider of the process, which Application Default Credentials
/// need. A provider that is already installed stays.
///
/// A provider is for the whole process and cannot be changed, so the program decides: a library
/// never does it by itself.
///
/// ```no_run
/// use bigtable_backend::grpc::auth;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_backend::ConnectError> {
/// auth::install_crypto_provider();
/// let db = bigtable_backend::connect("bigtable://my-project/my-instance").await?;
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "auth")]
pub fn install_crypto_provider() {
    // An error means that there is already one.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// The source of tokens for one client's calls; always empty over plaintext.
#[derive(Debug, Clone)]
pub(crate) struct Authorization(Option<Arc<dyn TokenSource>>);

impl Authorization {
    /// For a server without TLS.
    pub(crate) const NONE: Self = Self(None);

    pub(crate) fn new(source: Arc<dyn TokenSource>) -> Self {
        Self(Some(source))
    }

    /// Adds a token to a call whose channel is ready. In the opposite order, a call whose runtime
    /// has ended would ask credentials whose tasks have ended with it.
    pub(crate) async fn write(&self, metadata: &mut MetadataMap) -> Result<(), Status> {
        if let Some(source) = &self.0 {
            source.token().await?.write(metadata);
        }
        Ok(())
    }
}
