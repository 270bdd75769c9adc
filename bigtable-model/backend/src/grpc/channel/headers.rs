//! The headers that go with every call.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use prost::Message;
use tonic::metadata::{Ascii, MetadataMap, MetadataValue};

use crate::grpc::protocol::wire::FeatureFlags;
use crate::{Code, Status};

/// Everything but letters, digits and the four marks that a URL never escapes.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Room for the value of `x-goog-request-params` with names of the usual lengths.
const PARAMS: usize = 128;

/// What this client handles, and asks servers to make use of.
const fn features(flow_control: bool) -> FeatureFlags {
    FeatureFlags {
        reverse_scans: true,
        last_scanned_row_responses: true,
        mutate_rows_rate_limit: flow_control,
        mutate_rows_rate_limit2: flow_control,
        routing_cookie: true,
        retry_info: true,
    }
}

/// The product and its version, as the `user-agent` begins.
pub(crate) const USER_AGENT: &str = concat!("bigtable-model/", env!("CARGO_PKG_VERSION"));

const API_CLIENT: &str = concat!("gl-rust/1 gccl/", env!("CARGO_PKG_VERSION"), " grpc/0.14");

/// The resource that a request is routed by, and the field of the request that names it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Routing<'a> {
    /// A call of the data API on a table.
    Table { name: &'a str, app_profile: &'a str },
    /// A call of the data API on the instance.
    Instance { name: &'a str, app_profile: &'a str },
    /// A call of the admin API: the field is `name` or `parent`.
    Admin { field: &'static str, name: &'a str },
}

impl Routing<'_> {
    /// The value of `x-goog-request-params`.
    fn params(self) -> String {
        match self {
            Self::Table { name, app_profile } => with_profile("table_name", name, app_profile),
            Self::Instance { name, app_profile } => with_profile("name", name, app_profile),
            Self::Admin { field, name } => format!("{field}={}", escaped(name)),
        }
    }
}

/// A resource by its field, and the app profile.
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
    /// With `flow_control`, servers send their wishes for the rate of bulk writes.
    pub(crate) fn new(flow_control: bool) -> Self {
        let features = URL_SAFE.encode(features(flow_control).encode_to_vec());
        Self {
            // Base64 is always a header's value; without the header a server does less, and wrong is nothing.
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
        metadata.insert("x-goog-request-params", header(routing.params())?);
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

    #[test]
    fn names_are_url_encoded_in_the_routing_header() {
        let routing = Routing::Table {
            name: "projects/a.com:p/instances/i/tables/t-1_x~",
            app_profile: "my profile",
        };
        assert_eq!(
            routing.params(),
            "table_name=projects%2Fa.com%3Ap%2Finstances%2Fi%2Ftables%2Ft-1_x~&app_profile_id=my%20profile"
        );
        let routing = Routing::Admin {
            field: "parent",
            name: "projects/p/instances/i",
        };
        assert_eq!(routing.params(), "parent=projects%2Fp%2Finstances%2Fi");
    }

    #[test]
    fn every_call_carries_the_headers_once() {
        let mut metadata = MetadataMap::new();
        let routing = Routing::Table {
            name: "t",
            app_profile: "",
        };
        let headers = Headers::new(false);
        headers.write(routing, &mut metadata).unwrap();
        headers.write(routing, &mut metadata).unwrap();
        assert_eq!(metadata.len(), 3);
        assert_eq!(
            metadata.get("x-goog-request-params").unwrap(),
            "table_name=t&app_profile_id="
        );
        // Fields 1, 4, 6 and 7 set: bytes 08 01 20 01 30 01 38 01.
        assert_eq!(metadata.get("bigtable-features").unwrap(), "CAEgATABOAE=");
        // With flow control also 3 and 5.
        let headers = Headers::new(true);
        headers.write(routing, &mut metadata).unwrap();
        let with_flow_control = "CAEYASABKAEwATgB";
        assert_eq!(
            metadata.get("bigtable-features").unwrap(),
            with_flow_control
        );
    }
}
