//! Messages that came after the first ones: views, feature flags, row key schemas.

use super::{b, golden};
use crate::grpc::protocol::wire::*;

#[test]
fn requests_name_their_view() {
    let authorized_view_name = || "v".to_owned();
    golden(
        &ReadRowsRequest {
            authorized_view_name: authorized_view_name(),
            ..ReadRowsRequest::default()
        },
        b"\x4a\x01v",
    );
    golden(
        &SampleRowKeysRequest {
            authorized_view_name: authorized_view_name(),
            ..SampleRowKeysRequest::default()
        },
        b"\x22\x01v",
    );
    golden(
        &MutateRowRequest {
            authorized_view_name: authorized_view_name(),
            ..MutateRowRequest::default()
        },
        b"\x32\x01v",
    );
    golden(
        &MutateRowsRequest {
            authorized_view_name: authorized_view_name(),
            ..MutateRowsRequest::default()
        },
        b"\x2a\x01v",
    );
    golden(
        &CheckAndMutateRowRequest {
            authorized_view_name: authorized_view_name(),
            ..CheckAndMutateRowRequest::default()
        },
        b"\x4a\x01v",
    );
    golden(
        &ReadModifyWriteRowRequest {
            authorized_view_name: authorized_view_name(),
            ..ReadModifyWriteRowRequest::default()
        },
        b"\x32\x01v",
    );
}

#[test]
fn what_a_client_can_handle() {
    let flags = FeatureFlags {
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
    golden(
        &flags,
        b"\x08\x01\x18\x01\x20\x01\x28\x01\x30\x01\x38\x01\x40\x01\x48\x01\x50\x01\x58\x01\
          \x60\x01\x68\x01",
    );
}

fn ordered() -> Int64Encoding {
    Int64Encoding {
        kind: Some(Int64EncodingKind::OrderedCodeBytes(Empty {})),
    }
}

fn field(kind: RowKeyTypeKind) -> RowKeyField {
    RowKeyField {
        field_name: "x".to_owned(),
        r#type: Some(RowKeyType { kind: Some(kind) }),
    }
}

#[test]
fn fields_of_row_keys() {
    let utf8 = StringEncodingKind::Utf8Bytes(Utf8Bytes::default());
    golden(
        &field(RowKeyTypeKind::String(StringType {
            encoding: Some(StringEncoding {
                encoding: Some(utf8),
            }),
        })),
        b"\x0a\x01x\x12\x06\x12\x04\x0a\x02\x12\x00",
    );
    golden(
        &field(RowKeyTypeKind::Bytes(BytesType {
            encoding: Some(BytesEncoding {
                encoding: Some(BytesEncodingKind::Raw(RawBytes::default())),
            }),
        })),
        b"\x0a\x01x\x12\x06\x0a\x04\x0a\x02\x0a\x00",
    );
    golden(
        &field(RowKeyTypeKind::Int64(Int64Type {
            encoding: Some(ordered()),
        })),
        b"\x0a\x01x\x12\x06\x2a\x04\x0a\x02\x12\x00",
    );
    golden(
        &field(RowKeyTypeKind::Timestamp(TimestampType {
            encoding: Some(TimestampEncoding {
                encoding: Some(TimestampEncodingKind::UnixMicrosInt64(ordered())),
            }),
        })),
        b"\x0a\x01x\x12\x08\x52\x06\x0a\x04\x0a\x02\x12\x00",
    );
}

#[test]
fn encodings_of_row_keys() {
    let of = |kind| RowKeyStruct {
        fields: Vec::new(),
        encoding: Some(RowKeyEncoding {
            encoding: Some(kind),
        }),
    };
    golden(
        &of(RowKeyEncodingKind::OrderedCodeBytes(Empty {})),
        b"\x12\x02\x1a\x00",
    );
    golden(
        &of(RowKeyEncodingKind::DelimitedBytes(DelimitedBytes {
            delimiter: b("#"),
        })),
        b"\x12\x05\x12\x03\x0a\x01#",
    );
}
