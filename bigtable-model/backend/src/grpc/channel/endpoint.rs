//! The addresses of a server, and how to connect to them.

use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use tonic::transport::{ClientTlsConfig, Endpoint};

use super::auth::{Authorization, TokenSource};
use super::roots;
use crate::ConnectError;
use crate::grpc::channel::headers::USER_AGENT;
use crate::grpc::protocol::causes::with_causes;
use crate::grpc::settings::pool::Keepalive;
use crate::grpc::settings::service::ServiceSettings;
use crate::grpc::settings::timing::bounded;
use crate::grpc::settings::{GrpcEndpoint, GrpcSettings};

/// How many bytes of a scan may be in transit before the reader takes them; HTTP/2's default of 64
/// KiB starves fast links.
const STREAM_WINDOW_BYTES: u32 = 1 << 20;

/// The same for all streams of a channel together: HTTP/2's largest, which leaves the limit to the
/// streams.
///
/// Scans that nobody reads at the moment can use up a smaller window, and then the scan that is
/// being read never continues: a merge of many scans would wait for ever.
const CHANNEL_WINDOW_BYTES: u32 = (1 << 31) - 1;

const TLS_TIMEOUT: Duration = Duration::from_secs(20);

/// The endpoints of a server, and the credentials for calls to them.
#[derive(Debug)]
pub(crate) struct Endpoints {
    pub(crate) data: Endpoint,
    /// `None` if it is the same as for data.
    pub(crate) admin: Option<Endpoint>,
    pub(crate) authorization: Authorization,
}

impl Endpoints {
    pub(crate) fn new(settings: &GrpcSettings) -> Result<Self, ConnectError> {
        let keepalive = settings.effective_pool().keepalive;
        match &settings.endpoint {
            GrpcEndpoint::Plaintext(address) => {
                let invalid = || ConnectError::InvalidEmulatorAddress {
                    address: address.clone(),
                };
                Ok(Self {
                    data: tuned(plaintext(address).ok_or_else(invalid)?, keepalive),
                    admin: None,
                    authorization: Authorization::NONE,
                })
            }
            GrpcEndpoint::Service(service) => Ok(Self {
                data: tuned(tls(&service.data, service)?, keepalive),
                admin: Some(tuned(tls(&service.admin, service)?, keepalive)),
                authorization: Authorization::new(credentials(service)?),
            }),
        }
    }
}

/// `None` if `address` is not `host:port`.
fn plaintext(address: &str) -> Option<Endpoint> {
    let uri = uri("http", address)?;
    uri.port_u16()?;
    Some(Endpoint::from(uri))
}

/// `host` or `host:port`, over TLS.
fn tls(address: &str, service: &ServiceSettings) -> Result<Endpoint, ConnectError> {
    let invalid = |reason: String| ConnectError::InvalidEndpoint {
        address: address.to_owned(),
        reason,
    };
    let uri = uri("https", address)
        .ok_or_else(|| invalid("write \"host\" or \"host:port\"".to_owned()))?;
    let config = ClientTlsConfig::new().timeout(TLS_TIMEOUT);
    let config = match &service.roots {
        Some(pem) => config.trust_anchors(roots::parse(pem).map_err(invalid)?),
        None => config.with_native_roots(),
    };
    let endpoint = Endpoint::from(uri).tls_config(config);
    endpoint.map_err(|error| invalid(with_causes(&error)))
}

fn tuned(endpoint: Endpoint, keepalive: Option<Keepalive>) -> Endpoint {
    // The name is a valid header value; calls would work without it.
    let named = endpoint.clone().user_agent(USER_AGENT).unwrap_or(endpoint);
    let tuned = named
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CHANNEL_WINDOW_BYTES);
    match keepalive {
        Some(keepalive) => tuned
            .http2_keep_alive_interval(bounded(keepalive.interval))
            .keep_alive_timeout(bounded(keepalive.timeout))
            .keep_alive_while_idle(false),
        None => tuned,
    }
}

/// `None` unless `address` is a host, with or without a port.
fn uri(scheme: &str, address: &str) -> Option<Uri> {
    let uri: Uri = format!("{scheme}://{address}").parse().ok()?;
    let authority = uri.authority()?;
    let host = authority.host();
    let complete = match authority.port_u16() {
        Some(_) => authority.as_str() == address && !address.contains('@'),
        None => host == address,
    };
    (complete && !host.is_empty()).then_some(uri)
}

#[cfg(feature = "auth")]
fn credentials(service: &ServiceSettings) -> Result<Arc<dyn TokenSource>, ConnectError> {
    match &service.credentials {
        Some(source) => Ok(Arc::clone(source)),
        None => Ok(Arc::new(super::auth::ApplicationDefault::new()?)),
    }
}

#[cfg(not(feature = "auth"))]
fn credentials(service: &ServiceSettings) -> Result<Arc<dyn TokenSource>, ConnectError> {
    let source = service.credentials.as_ref().map(Arc::clone);
    source.ok_or(ConnectError::CredentialsMissing)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const NO_ADDRESS: [&str; 8] = [
        "",
        ":8086",
        "localhost:",
        "localhost:x",
        "localhost:99999",
        "http://localhost:8086",
        "localhost:8086/x",
        "a b:1",
    ];

    #[test]
    fn an_emulator_is_host_and_port() {
        for address in [
            "localhost:8086",
            "127.0.0.1:1",
            "[::1]:8086",
            "emulator.test:80",
        ] {
            assert!(plaintext(address).is_some(), "{address}");
        }
        for address in NO_ADDRESS
            .into_iter()
            .chain(["localhost", "user@localhost:1"])
        {
            assert!(plaintext(address).is_none(), "{address}");
        }
    }

    #[test]
    fn bigtable_is_a_host_with_or_without_a_port() {
        for address in ["bigtable.googleapis.com", "localhost:443", "[::1]"] {
            assert!(uri("https", address).is_some(), "{address}");
        }
        for address in NO_ADDRESS {
            assert!(uri("https", address).is_none(), "{address}");
        }
        let service = ServiceSettings::new()
            .data_address("https://x")
            .credentials(Never);
        let error = Endpoints::new(&GrpcSettings::new("p", "i").service(service)).unwrap_err();
        assert!(error.to_string().contains("\"host:port\""), "{error}");
    }

    #[derive(Debug)]
    struct Never;

    impl TokenSource for Never {
        fn token(
            &self,
        ) -> futures::future::BoxFuture<'_, Result<crate::grpc::auth::AccessToken, crate::Status>>
        {
            Box::pin(std::future::pending())
        }
    }

    #[cfg(not(feature = "auth"))]
    #[test]
    fn without_the_feature_credentials_must_be_given() {
        let error = Endpoints::new(&GrpcSettings::new("p", "i")).unwrap_err();
        assert_eq!(error, ConnectError::CredentialsMissing);
    }
}
