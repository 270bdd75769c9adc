//! Tokens that authenticate calls, and where they come from.

use std::fmt;

use futures::future::BoxFuture;
use tonic::metadata::{Ascii, MetadataMap, MetadataValue};

use crate::{Code, Status};

const AUTHORIZATION: &str = "authorization";
const QUOTA_PROJECT: &str = "x-goog-user-project";

/// Supplies the token of every call, for credentials that Application Default Credentials do not
/// cover.
///
/// ```no_run
/// use bigtable_backend::Status;
/// use bigtable_backend::grpc::auth::{AccessToken, TokenSource};
/// use bigtable_backend::grpc::{GrpcBackend, GrpcSettings, ServiceSettings};
/// use futures::future::BoxFuture;
///
/// #[derive(Debug)]
/// struct FromVault;
///
/// impl TokenSource for FromVault {
///     fn token(&self) -> BoxFuture<'_, Result<AccessToken, Status>> {
///         Box::pin(async {
///             let token = "ya29.c.token"; // from wherever it is kept
///             AccessToken::bearer(token)?.quota_project("my-billed-project")
///         })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_backend::ConnectError> {
/// let service = ServiceSettings::new().credentials(FromVault);
/// let settings = GrpcSettings::new("my-project", "my-instance").service(service);
/// let backend = GrpcBackend::new(&settings)?;
/// # Ok(())
/// # }
/// ```
///
/// # Contract
///
/// - It is asked once for every attempt of every call, so it should keep a token until shortly
///   before it expires; an [`AccessToken`] is cheap to clone.
/// - It may be asked by many calls at once.
/// - An error ends the call. After a retryable error, such as `UNAVAILABLE`, it is asked again
///   until the call's deadline: nothing was sent.
/// - `Debug` shows no secret: it is printed with the settings.
pub trait TokenSource: fmt::Debug + Send + Sync + 'static {
    /// The token for a call that is about to be made.
    fn token(&self) -> BoxFuture<'_, Result<AccessToken, Status>>;
}

/// An access token, and the project that pays for the calls made with it.
///
/// `Debug` shows neither.
#[derive(Clone)]
pub struct AccessToken {
    authorization: MetadataValue<Ascii>,
    quota_project: Option<MetadataValue<Ascii>>,
}

impl AccessToken {
    /// An OAuth 2.0 access token, as a call presents it: `authorization: Bearer {token}`.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a token that cannot be sent as a header. The text does not repeat it.
    pub fn bearer(token: impl AsRef<str>) -> Result<Self, Status> {
        let value = format!("Bearer {}", token.as_ref());
        Ok(Self::from_header(header(&value, "the access token")?))
    }

    pub(in crate::grpc) fn from_header(mut authorization: MetadataValue<Ascii>) -> Self {
        authorization.set_sensitive(true);
        Self {
            authorization,
            quota_project: None,
        }
    }

    /// Bills the calls to this project instead of the instance's: `x-goog-user-project`.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT` for a project that cannot be sent as a header.
    pub fn quota_project(self, project: impl AsRef<str>) -> Result<Self, Status> {
        let project = header(project.as_ref(), "the quota project")?;
        Ok(self.with_quota_project(project))
    }

    pub(in crate::grpc) fn with_quota_project(mut self, project: MetadataValue<Ascii>) -> Self {
        self.quota_project = Some(project);
        self
    }

    /// Puts the token into a call.
    pub(crate) fn write(self, metadata: &mut MetadataMap) {
        metadata.insert(AUTHORIZATION, self.authorization);
        if let Some(project) = self.quota_project {
            metadata.insert(QUOTA_PROJECT, project);
        }
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessToken").finish_non_exhaustive()
    }
}

fn header(text: &str, what: &str) -> Result<MetadataValue<Ascii>, Status> {
    MetadataValue::try_from(text).map_err(|_| {
        Status::new(
            Code::InvalidArgument,
            format!("{what} holds characters that cannot be sent as a header"),
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_token_and_its_project_become_headers() {
        let token = AccessToken::bearer("abc").unwrap();
        let mut metadata = MetadataMap::new();
        token.clone().write(&mut metadata);
        assert_eq!(metadata.len(), 1);
        assert_eq!(metadata.get("authorization").unwrap(), "Bearer abc");
        let token = token.quota_project("payer").unwrap();
        token.write(&mut metadata);
        assert_eq!(metadata.len(), 2);
        assert_eq!(metadata.get("x-goog-user-project").unwrap(), "payer");
    }

    #[test]
    fn a_token_is_never_printed() {
        let token = AccessToken::bearer("secret").unwrap();
        let mut metadata = MetadataMap::new();
        token.clone().write(&mut metadata);
        for printed in [format!("{token:?}"), format!("{metadata:?}")] {
            assert!(!printed.contains("secret"), "{printed}");
        }
        let error = AccessToken::bearer("secret\n").unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument);
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
