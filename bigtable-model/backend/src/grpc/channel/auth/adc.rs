//! Application Default Credentials, by Google's own crate.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use google_cloud_auth::credentials::EntityTag;
use http::HeaderMap;
use rustls::crypto::CryptoProvider;
use tokio::time::Instant;
use tonic::metadata::{Ascii, MetadataValue};

use super::file::CredentialsFile;
use super::library::{Answer, Library};
use super::machine::Machine;
use super::metadata;
use super::search::Search;
use super::{AccessToken, TokenSource};
use crate::ConnectError;
use crate::{Code, Status};

/// How long credentials that failed permanently are kept. They never recover by themselves, but
/// their source may have been corrected since. Not every call should ask a file or a server again,
/// though.
const KEPT_AFTER_FAILURE: Duration = Duration::from_secs(5);

/// How long a call waits for a token. Outside Google Cloud the metadata server's address may never
/// answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long credentials of Google's crate may be silent. They wait for their server without a
/// timeout, so new ones are made in their place.
const SILENCE: Duration = Duration::from_secs(20);

/// The credentials of the environment: a key file, a user's credentials, a federated identity, or
/// the metadata server.
///
/// The first call looks for them.
#[derive(Debug, Default)]
pub(crate) struct ApplicationDefault {
    file: CredentialsFile,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    found: Option<(Source, Instant)>,
    /// The last token, as long as the credentials say that it has not changed.
    last: Option<(EntityTag, AccessToken)>,
    /// Since when calls have waited in vain.
    silent: Option<Instant>,
    /// Whether there ever was a token. If so, calls wait for a transient failure to pass. If not,
    /// there are probably no credentials at all, and waiting would only hide that.
    worked: bool,
}

/// Where tokens come from.
#[derive(Debug, Clone)]
enum Source {
    Library(Library),
    Machine(Machine),
}

impl ApplicationDefault {
    /// Google's crate takes the crypto provider of the process, and panics without one.
    pub(crate) fn new() -> Result<Self, ConnectError> {
        Search::new().check()?;
        match CryptoProvider::get_default() {
            Some(_) => Ok(Self::default()),
            None => Err(ConnectError::CryptoProviderMissing),
        }
    }

    fn with_state<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The source, and the tag of its last token.
    async fn source(&self, deadline: Instant) -> Result<(Source, Option<EntityTag>), Status> {
        let known = |state: &State| {
            let (source, _) = state.found.as_ref()?;
            let tag = state.last.as_ref().map(|(tag, _)| tag.clone());
            Some((source.clone(), tag))
        };
        if let Some(known) = self.with_state(|state| known(state)) {
            return Ok(known);
        }
        let source = match self.text(deadline).await? {
            Some(text) => {
                let library = Library::start(text).await;
                let unusable = |reason: String| failed(Code::Unauthenticated, &reason);
                Source::Library(library.map_err(unusable)?)
            }
            None => Source::Machine(Machine::new(|| Box::pin(metadata::ask()))),
        };
        Ok(self.with_state(|state| {
            // Another call may have been faster.
            known(state).unwrap_or_else(|| {
                state.found = Some((source.clone(), Instant::now()));
                (source, None)
            })
        }))
    }

    /// The contents of the credentials file, if there is one.
    async fn text(&self, deadline: Instant) -> Result<Option<Arc<str>>, Status> {
        let search = Search::new();
        let Some(path) = search.file() else {
            return Ok(None);
        };
        let unread = |reason: &str| {
            let reason = format!("the file {} cannot be read: {reason}", path.display());
            failed(Code::Unauthenticated, &reason)
        };
        match tokio::time::timeout_at(deadline, self.file.read(path)).await {
            Ok(Ok(text)) => Ok(Some(text)),
            Ok(Err(error)) if error.kind() == ErrorKind::NotFound && !search.is_named() => Ok(None),
            Ok(Err(error)) => Err(unread(&error.to_string())),
            Err(_) => Err(unread(&format!(
                "nothing came out of it within {} s",
                PATIENCE.as_secs()
            ))),
        }
    }

    async fn fetch(&self) -> Result<AccessToken, Status> {
        let began = Instant::now();
        let deadline = began + PATIENCE;
        let (library, tag) = match self.source(deadline).await? {
            (Source::Library(library), tag) => (library, tag),
            (Source::Machine(machine), _) => {
                let token = machine.token(deadline).await;
                let refused = |refusal: metadata::Refusal| match refusal.unanswered {
                    true => self.late(&refusal.reason),
                    false => self.refused(refusal.transient, &refusal.reason),
                };
                let token = token.map_err(refused)?;
                self.with_state(|state| state.worked = true);
                return Ok(token);
            }
        };
        match library.headers(tag, deadline).await {
            Answer::New(tag, data) => {
                let token = token(&data)?;
                self.with_state(|state| {
                    state.last = Some((tag, token.clone()));
                    state.silent = None;
                    state.worked = true;
                });
                Ok(token)
            }
            Answer::Unchanged => self.last(),
            Answer::Failed { transient, reason } => Err(self.refused(transient, &reason)),
            Answer::Silence => {
                self.silent(&library, began);
                Err(self.late("they say nothing"))
            }
        }
    }

    fn late(&self, reason: &str) -> Status {
        let late = format!("there was none within {} s: {reason}", PATIENCE.as_secs());
        self.refused(true, &late)
    }

    /// A call has waited in vain since then.
    fn silent(&self, library: &Library, since: Instant) {
        self.with_state(|state| {
            let current = match &state.found {
                Some((Source::Library(found), _)) => found.is(library),
                _ => false,
            };
            if current && state.silent.get_or_insert(since).elapsed() >= SILENCE {
                state.found = None;
                state.last = None;
                state.silent = None;
            }
        });
    }

    fn last(&self) -> Result<AccessToken, Status> {
        let last = self.with_state(|state| {
            state.silent = None;
            state.last.as_ref().map(|(_, token)| token.clone())
        });
        // Meanwhile another call may have failed and cleared it.
        last.ok_or_else(|| Status::new(Code::Unavailable, "the credentials were just replaced"))
    }

    fn refused(&self, transient: bool, reason: &str) -> Status {
        let waited_for = self.with_state(|state| {
            let old = |(_, since): &(_, Instant)| since.elapsed() >= KEPT_AFTER_FAILURE;
            if !transient && state.found.as_ref().is_some_and(old) {
                state.found = None;
                state.last = None;
            }
            transient && state.worked
        });
        let code = match waited_for {
            true => Code::Unavailable,
            false => Code::Unauthenticated,
        };
        failed(code, reason)
    }
}

impl TokenSource for ApplicationDefault {
    fn token(&self) -> BoxFuture<'_, Result<AccessToken, Status>> {
        Box::pin(self.fetch())
    }
}

fn token(headers: &HeaderMap) -> Result<AccessToken, Status> {
    let value = |name: &str| headers.get(name).cloned().map(header).transpose();
    let Some(authorization) = value("authorization")? else {
        return Err(failed(Code::Unauthenticated, "they are of another kind"));
    };
    let token = AccessToken::from_header(authorization);
    Ok(match value("x-goog-user-project")? {
        Some(project) => token.with_quota_project(project),
        None => token,
    })
}

fn header(value: http::HeaderValue) -> Result<MetadataValue<Ascii>, Status> {
    MetadataValue::try_from(value.as_bytes()).map_err(|_| {
        Status::new(
            Code::Unauthenticated,
            "the Application Default Credentials cannot be sent as headers",
        )
    })
}

/// The failure, and where credentials were looked for.
fn failed(code: Code, reason: &str) -> Status {
    let search = Search::new();
    Status::new(
        code,
        format!("no token of the Application Default Credentials: {reason}; {search}"),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::io::Read as _;
    use std::net::TcpListener;
    use std::sync::mpsc;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn credentials_that_say_nothing_end_with_their_request() {
        crate::grpc::auth::install_crypto_provider();
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let user = serde_json::json!({
            "type": "authorized_user",
            "client_id": "id",
            "client_secret": "hidden",
            "refresh_token": "hidden too",
            "token_uri": format!("http://{}/token", silent.local_addr().unwrap()),
        });
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            let (mut request, _) = silent.accept().unwrap();
            tell.send("begun").unwrap();
            let _ = request.read_to_end(&mut Vec::new());
            tell.send("ended").unwrap();
        });
        let library = Library::start(user.to_string().into()).await.unwrap();
        let source = Source::Library(library);
        let found = ApplicationDefault::default();
        found.with_state(|state| state.found = Some((source, Instant::now())));
        let in_time = Duration::from_secs(60);
        assert_eq!(told.recv_timeout(in_time), Ok("begun"));
        for is_kept in [true, false] {
            let error = found.fetch().await.unwrap_err();
            assert!(error.message.contains("none within 10 s"), "{error}");
            assert_eq!(found.with_state(|state| state.found.is_some()), is_kept);
        }
        assert_eq!(told.recv_timeout(in_time), Ok("ended"));
    }
}
