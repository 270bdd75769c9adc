//! One request to the metadata server of Google Cloud.
//!
//! Google's crate makes such requests too, but it waits for an answer without a timeout, reads an
//! answer of any length, and panics on a lifetime that its clock cannot add. Here nothing outlives
//! the future.

use std::env;
use std::error::Error;
use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, StatusCode, Uri, header};
use http_body::Body;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::Value;
use tonic::codegen::Service;

use super::kinds::quota_project;
use crate::grpc::auth::AccessToken;
use crate::grpc::protocol::causes::with_causes;

const HOST: &str = "GCE_METADATA_HOST";
const DEFAULT_HOST: &str = "metadata.google.internal";
const PATH: &str = "/computeMetadata/v1/instance/service-accounts/default/token";

/// How long an answer may take. The server is on the same machine, and answers in milliseconds.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A token has some 1,000 bytes.
const MOST_BYTES: usize = 64 << 10;

/// A token as the server gave it.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) token: AccessToken,
    /// How long it is valid; `None` if the server does not say.
    pub(super) lifetime: Option<Duration>,
}

/// Why there is no token.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    /// Whether it may be given later.
    pub(super) transient: bool,
    /// Whether there was no answer at all.
    pub(super) unanswered: bool,
    pub(super) reason: String,
}

impl Refusal {
    pub(super) fn unanswered(reason: impl Into<String>) -> Self {
        Self {
            unanswered: true,
            ..Self::transient(reason)
        }
    }

    fn transient(reason: impl Into<String>) -> Self {
        Self {
            transient: true,
            ..Self::permanent(reason)
        }
    }

    fn permanent(reason: impl Into<String>) -> Self {
        Self {
            transient: false,
            unanswered: false,
            reason: reason.into(),
        }
    }

    fn broken(error: &(dyn Error + 'static)) -> Self {
        Self::transient(format!("the metadata server: {}", with_causes(error)))
    }
}

/// Asks for a token.
pub(super) async fn ask() -> Result<Given, Refusal> {
    match tokio::time::timeout(TIMEOUT, exchange()).await {
        Ok(answer) => read(&answer?),
        Err(_) => Err(Refusal::unanswered(format!(
            "the metadata server did not answer within {} s",
            TIMEOUT.as_secs()
        ))),
    }
}

/// The answer's body.
async fn exchange() -> Result<Vec<u8>, Refusal> {
    let host = env::var_os(HOST).unwrap_or_else(|| DEFAULT_HOST.into());
    let no_unicode = |_| Refusal::permanent(format!("{HOST} is not valid Unicode"));
    let host = host.into_string().map_err(no_unicode)?;
    let named = |error: http::Error| Refusal::permanent(format!("the host {host:?}: {error}"));
    let server = Uri::builder()
        .scheme("http")
        .authority(host.as_str())
        .path_and_query(PATH);
    let server = server.build().map_err(named)?;
    let request = Request::get(PATH)
        .header(header::HOST, &host)
        .header("metadata-flavor", HeaderValue::from_static("Google"))
        .body(String::new())
        .map_err(named)?;
    let mut connector = HttpConnector::new();
    let connected = connector.call(server).await;
    let connected = connected.map_err(|error| Refusal::broken(&error))?;
    let connection = http1::handshake(connected).await;
    let (mut sender, connection) = connection.map_err(|error| Refusal::broken(&error))?;
    let answer = async {
        let answer = sender.send_request(request).await;
        body(answer.map_err(|error| Refusal::broken(&error))?).await
    };
    tokio::select! {
        biased;
        answer = answer => answer,
        // The end of the connection is the answer's end too.
        () = async {
            let _ = connection.await;
            std::future::pending::<()>().await;
        } => Err(Refusal::transient("the metadata server closed the connection")),
    }
}

/// The whole body of a successful answer.
async fn body(answer: http::Response<Incoming>) -> Result<Vec<u8>, Refusal> {
    let status = answer.status();
    let mut body = answer.into_body();
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|error| Refusal::broken(&error))?;
        let data = frame.into_data().unwrap_or_else(|_| Bytes::new());
        if bytes.len() + data.len() > MOST_BYTES {
            return Err(Refusal::transient(
                "the metadata server's answer has more than 64 KiB",
            ));
        }
        bytes.extend_from_slice(&data);
    }
    if status.is_success() {
        return Ok(bytes);
    }
    let said: String = String::from_utf8_lossy(&bytes).chars().take(200).collect();
    let reason = format!("the metadata server answers {status}: {said}");
    let busy = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS];
    Err(match status.is_server_error() || busy.contains(&status) {
        true => Refusal::transient(reason),
        false => Refusal::permanent(reason),
    })
}

/// The token in an answer. Its text is never repeated: it may be a part of a token.
fn read(answer: &[u8]) -> Result<Given, Refusal> {
    let unread = |what: &str| Refusal::permanent(format!("the metadata server's answer {what}"));
    let answer: Value = serde_json::from_slice(answer).map_err(|_| unread("is no JSON"))?;
    let Some(token) = answer.get("access_token").and_then(Value::as_str) else {
        return Err(unread("has no \"access_token\" that is a text"));
    };
    let kind = answer.get("token_type").and_then(Value::as_str);
    if !kind.is_none_or(|kind| kind.eq_ignore_ascii_case("bearer")) {
        return Err(unread("has a token that is no bearer token"));
    }
    let lifetime = match answer.get("expires_in") {
        None | Some(Value::Null) => None,
        Some(seconds) => match seconds.as_u64() {
            Some(seconds) => Some(Duration::from_secs(seconds)),
            None => return Err(unread("has an \"expires_in\" that is no number of seconds")),
        },
    };
    let invalid = |status: crate::Status| Refusal::permanent(status.message);
    let mut token = AccessToken::bearer(token).map_err(invalid)?;
    if let Some(project) = quota_project().map_err(Refusal::permanent)? {
        token = token.quota_project(project).map_err(invalid)?;
    }
    Ok(Given { token, lifetime })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn any_answer_is_a_token_or_an_error() {
        let lifetime = |text: &str| read(text.as_bytes()).map(|given| given.lifetime);
        let with = |expires: &str| {
            lifetime(&format!(
                r#"{{"access_token":"a","token_type":"Bearer"{expires}}}"#
            ))
        };
        let seconds = |count| Some(Duration::from_secs(count));
        assert_eq!(with("").unwrap(), None);
        assert_eq!(with(r#","expires_in":0"#).unwrap(), seconds(0));
        let most = format!(r#","expires_in":{}"#, u64::MAX);
        assert_eq!(with(&most).unwrap(), seconds(u64::MAX));
        for text in [
            "",
            "secret",
            "[]",
            r#"{"access_token":1}"#,
            r#"{"access_token":"secret\n"}"#,
            r#"{"access_token":"secret","token_type":"Basic"}"#,
            r#"{"access_token":"secret","expires_in":-1}"#,
            r#"{"access_token":"secret","expires_in":1e300}"#,
        ] {
            let refusal = read(text.as_bytes()).unwrap_err();
            assert!(!refusal.transient, "{text}");
            assert!(!refusal.reason.contains("secret"), "{refusal:?}");
        }
    }
}
