//! The headers of every call.

use std::time::Duration;

use bigtable_model::backend::grpc::wire::FeatureFlags;
use bigtable_model_tests::proxy::messages as m;
use prost::Message;
use tonic::Code;
use tonic::metadata::MetadataMap;

use crate::driver::{Driver, client_of};
use crate::mock::Mock;
use crate::operations::Operation;

#[tokio::test]
async fn every_call_names_its_client_its_table_and_its_app_profile() {
    let (mock, address) = Mock::start();
    let driver = Driver::start();
    let request = m::CreateClientRequest {
        app_profile_id: "test_profile".to_owned(),
        ..client_of(&address)
    };
    driver.create(&request).await.unwrap();
    for operation in Operation::ALL {
        operation.succeed(&mock, Duration::ZERO);
        assert_eq!(operation.run(&driver).await.0, Code::Ok, "{operation:?}");
        let seen = operation.seen(&mock);
        assert_eq!(seen.len(), 1, "{operation:?}");
        let headers = &seen[0].headers;
        assert!(!only(headers, "x-goog-api-client").is_empty());
        let params = only(headers, "x-goog-request-params");
        let table = "table_name=projects%2Fproject%2Finstances%2Finstance%2Ftables%2Ftable";
        assert!(params.contains(table), "{operation:?}: {params}");
        assert!(
            params.contains("app_profile_id=test_profile"),
            "{operation:?}: {params}"
        );
        let features = only(headers, "bigtable-features");
        assert_eq!(features.len() % 4, 0, "padded");
        let flags = FeatureFlags::decode(base64(&features).as_slice()).unwrap();
        assert!(flags.reverse_scans);
        assert!(!flags.traffic_director_enabled && !flags.direct_access_requested);
    }
}

/// In this mode the public tests require all of them, even those for ways to Bigtable that this
/// client does not use.
#[tokio::test]
async fn with_every_optional_feature_each_flag_is_set_and_bulk_writes_follow_the_servers_rate() {
    let (mock, address) = Mock::start();
    let driver = Driver::start();
    let request = m::CreateClientRequest {
        optional_feature_config: m::ENABLE_ALL,
        ..client_of(&address)
    };
    driver.create(&request).await.unwrap();
    for operation in Operation::ALL {
        operation.succeed(&mock, Duration::ZERO);
        assert_eq!(operation.run(&driver).await.0, Code::Ok, "{operation:?}");
        let seen = operation.seen(&mock);
        let features = only(&seen[0].headers, "bigtable-features");
        let flags = FeatureFlags::decode(base64(&features).as_slice()).unwrap();
        let every = FeatureFlags {
            reverse_scans: true,
            mutate_rows_rate_limit: true,
            last_scanned_row_responses: true,
            mutate_rows_rate_limit2: true,
            routing_cookie: true,
            retry_info: true,
            client_side_metrics_enabled: true,
            traffic_director_enabled: true,
            direct_access_requested: true,
            peer_info: true,
            sessions_compatible: true,
            sessions_required: true,
        };
        assert_eq!(flags, every, "{operation:?}");
    }
    // Ten a second, unless the server sets another rate.
    for _ in 0..15 {
        Operation::BulkMutateRows.succeed(&mock, Duration::ZERO);
        assert_eq!(Operation::BulkMutateRows.run(&driver).await.0, Code::Ok);
    }
    let seen = Operation::BulkMutateRows.seen(&mock);
    let apart = seen[14].at - seen[0].at;
    assert!(apart >= Duration::from_millis(500), "{apart:?}");
}

fn only(headers: &MetadataMap, name: &str) -> String {
    let values: Vec<_> = headers.get_all(name).iter().collect();
    assert_eq!(values.len(), 1, "{name}");
    values[0].to_str().unwrap().to_owned()
}

/// Decodes base64 of the URL's alphabet.
fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digits = text.trim_end_matches('=').chars();
    let bits = digits.flat_map(|digit| {
        let value = DIGITS.find(digit).unwrap();
        (0..6).rev().map(move |bit| value >> bit & 1)
    });
    let bits: Vec<usize> = bits.collect();
    let bytes = bits.chunks_exact(8);
    let byte = |bits: &[usize]| bits.iter().fold(0, |sum, bit| sum << 1 | bit);
    bytes
        .map(|bits| u8::try_from(byte(bits)).unwrap())
        .collect()
}
