//! The headers that go with every call.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use prost::Message;
use tonic::metadata::{Ascii, MetadataMap, MetadataValue};

use crate::grpc::protocol::routing::Params;
use crate::grpc::protocol::wire::FeatureFlags;
use crate::grpc::settings::GrpcSettings;

/// The features that this client supports, and asks servers to use. It reaches Bigtable by its
/// public address, not by Traffic Director or Direct Access, and uses neither information about the
/// peer nor sessions.
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
        sessions_compatible: false,
        sessions_required: false,
    }
}

/// Every feature that a client can announce, for tests.
const EVERY_FEATURE: FeatureFlags = FeatureFlags {
    traffic_director_enabled: true,
    direct_access_requested: true,
    peer_info: true,
    sessions_compatible: true,
    sessions_required: true,
    client_side_metrics_enabled: true,
    ..features(true)
};

/// The product and its version, which begin the `user-agent`.
pub(crate) const USER_AGENT: &str = concat!("bigtable-model/", env!("CARGO_PKG_VERSION"));

const API_CLIENT: &str = concat!("gl-rust/1 gccl/", env!("CARGO_PKG_VERSION"), " grpc/0.14");

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
    pub(crate) fn write(&self, routing: &Params, metadata: &mut MetadataMap) {
        metadata.insert("x-goog-request-params", routing.clone());
        metadata.insert("x-goog-api-client", MetadataValue::from_static(API_CLIENT));
        metadata.insert("bigtable-features", self.features.clone());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::grpc::{FlowControl, raw};

    #[test]
    fn every_call_carries_the_headers_once() {
        let mut metadata = MetadataMap::new();
        let routing = Params::from_static("table_name=t&app_profile_id=");
        let headers = Headers::announcing(features(false));
        headers.write(&routing, &mut metadata);
        headers.write(&routing, &mut metadata);
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
            let routing = Params::from_static("table_name=t");
            Headers::new(settings).write(&routing, &mut metadata);
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
        // There is no field 2.
        let every = [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
        assert_eq!(told(&everything), every);
    }
}
