//! The headers that go with every call.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use prost::Message;
use tonic::metadata::{Ascii, MetadataMap, MetadataValue};

use crate::grpc::protocol::names;
use crate::grpc::protocol::wire::FeatureFlags;
use crate::grpc::settings::GrpcSettings;
use crate::{Code, Status};

/// Everything but letters, digits and the four marks that a URL never escapes.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The maximum size of names in `x-goog-request-params`. Servers accept 8 to 16 KiB of headers and
/// reset a call that has more, so it would be retried again and again. Names that the service
/// accepts have some hundred bytes.
const MOST_PARAMS: usize = 4 << 10;

/// How many bytes of a name an error shows.
const SHOWN: usize = 64;

/// Room for the value of `x-goog-request-params` with names of the usual lengths.
const PARAMS: usize = 128;

/// The features that this client supports, and asks servers to use. It reaches Bigtable by its
/// public address, not by Traffic Director or Direct Access, and does not use information about the
/// peer.
const fn features(flow_control: bool) -> FeatureFlags {
    FeatureFlags {
        reverse_scans: true,
        last_scanned_row_responses: true,
        mutate_rows_rate_limit: flow_control,
        mutate_rows_rate_limit2: flow_control,
        routing_cookie: true,
        retry_info: true,
        client_side_metrics_enabled: cfg!(feature = "metrics"),
        traffic_director_enabled: false,
        direct_access_requested: false,
        peer_info: false,
    }
}

/// Every feature that a client can announce, for tests.
const EVERY_FEATURE: FeatureFlags = FeatureFlags {
    traffic_director_enabled: true,
    direct_access_requested: true,
    peer_info: true,
    client_side_metrics_enabled: true,
    ..features(true)
};

/// The product and its version, which begin the `user-agent`.
pub(crate) const USER_AGENT: &str = concat!("bigtable-model/", env!("CARGO_PKG_VERSION"));

const API_CLIENT: &str = concat!("gl-rust/1 gccl/", env!("CARGO_PKG_VERSION"), " grpc/0.14");

/// The resource by which a request is routed, and the request's field that names it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Routing<'a> {
    /// A call of the data API on a table.
    Table { name: &'a str, app_profile: &'a str },
    /// A call of the data API on an authorized view.
    View { name: &'a str, app_profile: &'a str },
    /// A call of the data API on the instance.
    Instance { name: &'a str, app_profile: &'a str },
    /// A call of the admin API: the field is `name` or `parent`.
    Admin { field: &'static str, name: &'a str },
}

impl Routing<'_> {
    /// The value of `x-goog-request-params`.
    fn params(self) -> Result<String, Status> {
        let params = match self {
            Self::Table { name, app_profile } => with_profile("table_name", name, app_profile),
            Self::View { name, app_profile } => {
                with_profile("authorized_view_name", name, app_profile)
            }
            Self::Instance { name, app_profile } => with_profile("name", name, app_profile),
            Self::Admin { field, name } => format!("{field}={}", escaped(name)),
        };
        match params.len() {
            ..=MOST_PARAMS => Ok(params),
            _ => Err(self.too_long()),
        }
    }

    #[cold]
    fn too_long(self) -> Status {
        let (name, app_profile) = match self {
            Self::Table { name, app_profile }
            | Self::View { name, app_profile }
            | Self::Instance { name, app_profile } => (name, app_profile),
            Self::Admin { name, .. } => (name, ""),
        };
        let table = names::table_id(name);
        let (what, name) = if app_profile.len() > name.len() {
            ("app profile", app_profile)
        } else if 2 * table.len() > name.len() {
            ("table", table)
        } else {
            ("instance", name)
        };
        let shown: String = name.chars().take(SHOWN).collect();
        let message = format!(
            "{what} \"{shown}...\": the name has {} bytes, and the headers of a call hold {MOST_PARAMS} of all names: nothing was sent",
            name.len()
        );
        Status::new(Code::InvalidArgument, message)
    }
}

/// A resource in its field, and the app profile.
fn with_profile(field: &str, name: &str, app_profile: &str) -> String {
    let mut params = String::with_capacity(PARAMS);
    params.push_str(field);
    params.push('=');
    params.extend(escaped(name));
    params.push_str("&app_profile_id=");
    params.extend(escaped(app_profile));
    params
}

fn escaped(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, ESCAPED)
}

/// The headers that never change, made once.
#[derive(Debug, Clone)]
pub(crate) struct Headers {
    features: MetadataValue<Ascii>,
}

impl Headers {
    /// With flow control, servers advise a rate of bulk writes.
    pub(crate) fn new(settings: &GrpcSettings) -> Self {
        Self::announcing(match settings.announces_everything {
            true => EVERY_FEATURE,
            false => features(settings.flow_control.is_some()),
        })
    }

    fn announcing(features: FeatureFlags) -> Self {
        let features = URL_SAFE.encode(features.encode_to_vec());
        Self {
            // Base64 is always a valid header value. Without the header a server does less, but
            // nothing wrong.
            features: MetadataValue::try_from(features)
                .unwrap_or_else(|_| MetadataValue::from_static("")),
        }
    }

    /// Writes the headers of one call.
    pub(crate) fn write(
        &self,
        routing: Routing<'_>,
        metadata: &mut MetadataMap,
    ) -> Result<(), Status> {
        metadata.insert("x-goog-request-params", header(routing.params()?)?);
        metadata.insert("x-goog-api-client", MetadataValue::from_static(API_CLIENT));
        metadata.insert("bigtable-features", self.features.clone());
        Ok(())
    }
}

fn header(text: String) -> Result<MetadataValue<Ascii>, Status> {
    let text = Bytes::from(text);
    MetadataValue::try_from(text.clone()).map_err(|_| {
        Status::new(
            Code::InvalidArgument,
            format!("\"{}\" can't be sent as a header", text.escape_ascii()),
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::grpc::{FlowControl, raw};

    #[test]
    fn names_are_url_encoded_in_the_routing_header() {
        let routing = Routing::Table {
            name: "projects/a.com:p/instances/i/tables/t-1_x~",
            app_profile: "my profile",
        };
        assert_eq!(
            routing.params().unwrap(),
            "table_name=projects%2Fa.com%3Ap%2Finstances%2Fi%2Ftables%2Ft-1_x~&app_profile_id=my%20profile"
        );
        let routing = Routing::Admin {
            field: "parent",
            name: "projects/p/instances/i",
        };
        assert_eq!(
            routing.params().unwrap(),
            "parent=projects%2Fp%2Finstances%2Fi"
        );
    }

    #[test]
    fn names_that_do_not_fit_are_refused_before_anything_is_sent() {
        let long = "x".repeat(100_000);
        let table = format!("projects/p/instances/i/tables/{long}");
        for (routing, what) in [
            (
                Routing::Table {
                    name: &table,
                    app_profile: "",
                },
                "table",
            ),
            (
                Routing::Table {
                    name: "t",
                    app_profile: &long,
                },
                "app profile",
            ),
            (
                Routing::Admin {
                    field: "name",
                    name: &table,
                },
                "table",
            ),
        ] {
            let mut metadata = MetadataMap::new();
            let error = Headers::announcing(features(false))
                .write(routing, &mut metadata)
                .unwrap_err();
            assert_eq!(error.code, Code::InvalidArgument);
            let begin = format!("{what} \"{}", "x".repeat(64));
            assert!(error.message.starts_with(&begin), "{error}");
            assert!(error.message.contains("has 100000 bytes"), "{error}");
            assert!(error.message.len() < 300, "{error}");
            assert!(error.message.ends_with("nothing was sent"), "{error}");
            assert!(metadata.is_empty());
        }
        let longest = format!("projects/p/instances/i/tables/{}", "x".repeat(4000));
        let routing = Routing::Table {
            name: &longest,
            app_profile: "",
        };
        assert!(routing.params().is_ok());
        // What counts is the length as it is sent.
        let escaped = "#".repeat(2000);
        let routing = Routing::Admin {
            field: "name",
            name: &escaped,
        };
        assert!(routing.params().is_err());
    }

    #[test]
    fn every_call_carries_the_headers_once() {
        let mut metadata = MetadataMap::new();
        let routing = Routing::Table {
            name: "t",
            app_profile: "",
        };
        let headers = Headers::announcing(features(false));
        headers.write(routing, &mut metadata).unwrap();
        headers.write(routing, &mut metadata).unwrap();
        assert_eq!(metadata.len(), 3);
        assert_eq!(
            metadata.get("x-goog-request-params").unwrap(),
            "table_name=t&app_profile_id="
        );
    }

    #[test]
    fn servers_are_told_what_the_client_handles() {
        let told = |settings: &GrpcSettings| {
            let mut metadata = MetadataMap::new();
            let routing = Routing::Table {
                name: "t",
                app_profile: "",
            };
            Headers::new(settings)
                .write(routing, &mut metadata)
                .unwrap();
            let features = metadata.get("bigtable-features").unwrap();
            let bytes = URL_SAFE.decode(features.as_bytes()).unwrap();
            // Each field is a key and a 1.
            let (fields, rest) = bytes.as_chunks::<2>();
            assert!(rest.is_empty() && fields.iter().all(|[_, value]| *value == 1));
            let mut numbers: Vec<_> = fields.iter().map(|[key, _]| key >> 3).collect();
            numbers.sort_unstable();
            numbers
        };
        let expected = |more: &[u8]| {
            let metrics = cfg!(feature = "metrics").then_some(8);
            let mut numbers: Vec<_> = [1, 4, 6, 7].into_iter().chain(metrics).collect();
            numbers.extend(more);
            numbers.sort_unstable();
            numbers
        };
        let settings = GrpcSettings::new("p", "i");
        assert_eq!(told(&settings), expected(&[]));
        let with_flow_control = settings.clone().flow_control(FlowControl::default());
        assert_eq!(told(&with_flow_control), expected(&[3, 5]));
        let everything = raw::announcing_everything(settings);
        // There is no 2.
        assert_eq!(told(&everything), [1, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    }
}
