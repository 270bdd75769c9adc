//! What authenticates calls to Bigtable itself.
//!
//! [Application Default Credentials] (feature `auth`, on by default) are used unless a
//! [`TokenSource`] is given. Tokens go out over TLS only; a server without it, as an emulator is,
//! gets none.
//!
//! The first call looks for them; a file of credentials may be a pipe, which is read once. Google's
//! crate, which gets their tokens, takes the crypto provider that the process has: a program
//! installs one, by [`install_crypto_provider`] or by rustls's own call, before it opens a backend.
//! Calls with tokens of one's own need none.
//!
//! [Application Default Credentials]: https://cloud.google.com/docs/authentication/application-default-credentials

#[cfg(feature = "auth")]
mod adc;
#[cfg(feature = "auth")]
mod file;
#[cfg(feature = "auth")]
mod kinds;
#[cfg(feature = "auth")]
mod search;

use std::sync::Arc;

pub use crate::grpc::settings::token::{AccessToken, TokenSource};
#[cfg(feature = "auth")]
pub(crate) use adc::ApplicationDefault;

use tonic::metadata::MetadataMap;

use crate::Status;

/// Gives the process a crypto provider, *ring*, which Application Default Credentials need. One
/// that it has already stays.
///
/// A provider is for the whole process and can't be changed, so it is the program that decides: a
/// library never does it by itself.
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
    // An error says that there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// What authenticates the calls of one client; nothing over plaintext, always.
#[derive(Debug, Clone)]
pub(crate) struct Authorization(Option<Arc<dyn TokenSource>>);

impl Authorization {
    /// For a server without TLS.
    pub(crate) const NONE: Self = Self(None);

    pub(crate) fn new(source: Arc<dyn TokenSource>) -> Self {
        Self(Some(source))
    }

    /// Puts a token into a call whose channel is ready. In another order, a call whose runtime has
    /// ended would ask credentials whose tasks have ended with it.
    pub(crate) async fn write(&self, metadata: &mut MetadataMap) -> Result<(), Status> {
        if let Some(source) = &self.0 {
            source.token().await?.write(metadata);
        }
        Ok(())
    }
}
