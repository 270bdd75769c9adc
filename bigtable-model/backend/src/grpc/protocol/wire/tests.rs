//! Golden encodings: each a message's bytes worked out by hand from the published field numbers.

#![allow(clippy::unwrap_used, reason = "tests")]

mod newer;

use std::fmt::Debug;

use bytes::Bytes;
use prost::Message;

use super::*;

/// The message has these bytes, and these bytes are the message.
fn golden<M: Message + Default + PartialEq + Debug>(message: &M, bytes: &[u8]) {
    assert_eq!(
        message.encode_to_vec().escape_ascii().to_string(),
        bytes.escape_ascii().to_string()
    );
    assert_eq!(&M::decode(bytes).unwrap(), message);
}

fn b(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

fn set_cell() -> Mutation {
    Mutation {
        kind: Some(MutationKind::SetCell(SetCell {
            family_name: b("f"),
            column_qualifier: b("q"),
            timestamp_micros: 1000,
            value: b("v"),
        })),
    }
}

#[test]
fn a_read_request() {
    let request = ReadRowsRequest {
        table_name: "t".to_owned(),
        app_profile_id: "a".to_owned(),
        rows: Some(RowSet {
            row_keys: vec![b("k")],
            row_ranges: vec![RowRange {
                start_key: Some(RowKeyStart::Open(b("s"))),
                end_key: Some(RowKeyEnd::Closed(b("e"))),
            }],
        }),
        filter: Some(RowFilter {
            kind: Some(RowFilterKind::PassAll(true)),
        }),
        rows_limit: 7,
        request_stats_view: REQUEST_STATS_FULL,
        reversed: true,
        ..ReadRowsRequest::default()
    };
    golden(
        &request,
        b"\x0a\x01t\x12\x0b\x0a\x01k\x12\x06\x12\x01s\x22\x01e\x1a\x03\x88\x01\x01\x20\x07\x2a\x01a\x30\x02\x38\x01",
    );
}

#[test]
fn both_kinds_of_both_ends_of_a_range() {
    golden(
        &RowRange {
            start_key: Some(RowKeyStart::Closed(b("s"))),
            end_key: Some(RowKeyEnd::Open(b("e"))),
        },
        b"\x0a\x01s\x1a\x01e",
    );
    golden(
        &ColumnRange {
            family_name: b("f"),
            start_qualifier: Some(QualifierStart::Closed(b("s"))),
            end_qualifier: Some(QualifierEnd::Open(b("e"))),
        },
        b"\x0a\x01f\x12\x01s\x2a\x01e",
    );
    golden(
        &ValueRange {
            start_value: Some(ValueStart::Open(b("s"))),
            end_value: Some(ValueEnd::Closed(b("e"))),
        },
        b"\x12\x01s\x1a\x01e",
    );
}

#[test]
fn chunks_of_rows() {
    let response = ReadRowsResponse {
        chunks: vec![
            CellChunk {
                row_key: b("k"),
                family_name: Some(BytesValue { value: b("f") }),
                qualifier: Some(BytesValue { value: b("") }),
                timestamp_micros: 1,
                labels: vec!["l".to_owned()],
                value: b("v"),
                value_size: 2,
                row_status: None,
            },
            CellChunk {
                row_status: Some(RowStatus::CommitRow(true)),
                ..CellChunk::default()
            },
            CellChunk {
                row_status: Some(RowStatus::ResetRow(true)),
                ..CellChunk::default()
            },
        ],
        last_scanned_row_key: b("z"),
        request_stats: None,
    };
    golden(
        &response,
        b"\x0a\x14\x0a\x01k\x12\x03\x0a\x01f\x1a\x00\x20\x01\x2a\x01l\x32\x01v\x38\x02\x0a\x02\x48\x01\x0a\x02\x40\x01\x12\x01z",
    );
}

#[test]
fn what_a_read_did() {
    let response = ReadRowsResponse {
        request_stats: Some(RequestStats {
            full_read_stats_view: Some(FullReadStatsView {
                read_iteration_stats: Some(ReadIterationStats {
                    rows_seen_count: 4,
                    rows_returned_count: 3,
                    cells_seen_count: 2,
                    cells_returned_count: 1,
                }),
                request_latency_stats: Some(RequestLatencyStats {
                    frontend_server_latency: Some(Duration {
                        seconds: 0,
                        nanos: 5,
                    }),
                }),
            }),
        }),
        ..ReadRowsResponse::default()
    };
    golden(
        &response,
        b"\x1a\x12\x0a\x10\x0a\x08\x08\x04\x10\x03\x18\x02\x20\x01\x12\x04\x0a\x02\x10\x05",
    );
}

#[test]
fn filters_have_the_published_numbers() {
    use RowFilterKind as Kind;
    let flag = |number: u8| [number, 1];
    let cases: Vec<(Kind, Vec<u8>)> = vec![
        (Kind::Chain(Filters::default()), vec![0x0a, 0]),
        (Kind::Interleave(Filters::default()), vec![0x12, 0]),
        (Kind::Condition(Box::default()), vec![0x1a, 0]),
        (Kind::RowKeyRegex(b("x")), b"\x22\x01x".to_vec()),
        (Kind::FamilyNameRegex(b("x")), b"\x2a\x01x".to_vec()),
        (Kind::ColumnQualifierRegex(b("x")), b"\x32\x01x".to_vec()),
        (Kind::ColumnRange(ColumnRange::default()), vec![0x3a, 0]),
        (
            Kind::TimestampRange(TimestampRange::default()),
            vec![0x42, 0],
        ),
        (Kind::ValueRegex(b("x")), b"\x4a\x01x".to_vec()),
        (Kind::CellsPerRowOffset(1), flag(0x50).to_vec()),
        (Kind::CellsPerRowLimit(1), flag(0x58).to_vec()),
        (Kind::CellsPerColumnLimit(1), flag(0x60).to_vec()),
        (Kind::StripValue(true), flag(0x68).to_vec()),
        (Kind::RowSample(0.5), b"\x71\0\0\0\0\0\0\xe0\x3f".to_vec()),
        (Kind::ValueRange(ValueRange::default()), vec![0x7a, 0]),
        (Kind::Sink(true), vec![0x80, 1, 1]),
        (Kind::PassAll(true), vec![0x88, 1, 1]),
        (Kind::BlockAll(true), vec![0x90, 1, 1]),
        (Kind::ApplyLabel("x".to_owned()), b"\x9a\x01\x01x".to_vec()),
        (
            Kind::ValueBitmask(ValueBitmask { mask: b("m") }),
            b"\xa2\x01\x03\x0a\x01m".to_vec(),
        ),
    ];
    for (kind, bytes) in cases {
        golden(&RowFilter { kind: Some(kind) }, &bytes);
    }
}

#[test]
fn mutations_have_the_published_numbers() {
    golden(
        &set_cell(),
        b"\x0a\x0c\x0a\x01f\x12\x01q\x18\xe8\x07\x22\x01v",
    );
    let raw = |bytes| Value {
        r#type: None,
        kind: Some(ValueKind::RawValue(bytes)),
    };
    let timestamp = Value {
        r#type: None,
        kind: Some(ValueKind::RawTimestampMicros(1000)),
    };
    let add = MutationKind::AddToCell(AddToCell {
        family_name: b("f"),
        column_qualifier: Some(raw(b("q"))),
        timestamp: Some(timestamp.clone()),
        input: Some(Value {
            r#type: None,
            kind: Some(ValueKind::IntValue(5)),
        }),
    });
    golden(
        &Mutation { kind: Some(add) },
        b"\x2a\x11\x0a\x01f\x12\x03\x42\x01q\x1a\x03\x48\xe8\x07\x22\x02\x30\x05",
    );
    let merge = MutationKind::MergeToCell(MergeToCell {
        family_name: b("f"),
        column_qualifier: Some(raw(b("q"))),
        timestamp: Some(timestamp),
        input: Some(raw(b("s"))),
    });
    golden(
        &Mutation { kind: Some(merge) },
        b"\x32\x12\x0a\x01f\x12\x03\x42\x01q\x1a\x03\x48\xe8\x07\x22\x03\x42\x01s",
    );
    let column = MutationKind::DeleteFromColumn(DeleteFromColumn {
        family_name: b("f"),
        column_qualifier: b("q"),
        time_range: Some(TimestampRange {
            start_timestamp_micros: 1,
            end_timestamp_micros: 2,
        }),
    });
    golden(
        &Mutation { kind: Some(column) },
        b"\x12\x0c\x0a\x01f\x12\x01q\x1a\x04\x08\x01\x10\x02",
    );
    let family = MutationKind::DeleteFromFamily(DeleteFromFamily {
        family_name: b("f"),
    });
    golden(&Mutation { kind: Some(family) }, b"\x1a\x03\x0a\x01f");
    let row = MutationKind::DeleteFromRow(DeleteFromRow {});
    golden(&Mutation { kind: Some(row) }, b"\x22\x00");
}

#[test]
fn requests_that_write() {
    let cell = b"\x0a\x0c\x0a\x01f\x12\x01q\x18\xe8\x07\x22\x01v";
    let one = MutateRowRequest {
        table_name: "t".to_owned(),
        app_profile_id: "a".to_owned(),
        row_key: b("k"),
        mutations: vec![set_cell()],
        ..MutateRowRequest::default()
    };
    golden(
        &one,
        &[b"\x0a\x01t\x12\x01k\x1a\x0e".as_slice(), cell, b"\x22\x01a"].concat(),
    );
    let idempotency = Some(Idempotency {
        token: b("12345678"),
        start_time: Some(Timestamp {
            seconds: 1,
            nanos: 2,
        }),
    });
    let token = b"\x0a\x0812345678\x12\x04\x08\x01\x10\x02";
    let once = MutateRowRequest {
        row_key: b("k"),
        idempotency: idempotency.clone(),
        ..MutateRowRequest::default()
    };
    golden(&once, &[b"\x12\x01k\x42\x10".as_slice(), token].concat());
    let once = MutateRowsEntry {
        row_key: b("k"),
        idempotency,
        ..MutateRowsEntry::default()
    };
    golden(&once, &[b"\x0a\x01k\x1a\x10".as_slice(), token].concat());
    let many = MutateRowsRequest {
        table_name: "t".to_owned(),
        app_profile_id: "a".to_owned(),
        entries: vec![MutateRowsEntry {
            row_key: b("k"),
            mutations: vec![set_cell()],
            ..MutateRowsEntry::default()
        }],
        ..MutateRowsRequest::default()
    };
    golden(
        &many,
        &[
            b"\x0a\x01t\x12\x13\x0a\x01k\x12\x0e".as_slice(),
            cell,
            b"\x1a\x01a",
        ]
        .concat(),
    );
    let conditional = CheckAndMutateRowRequest {
        table_name: "t".to_owned(),
        app_profile_id: "a".to_owned(),
        row_key: b("k"),
        predicate_filter: Some(RowFilter::default()),
        true_mutations: vec![Mutation::default()],
        false_mutations: vec![set_cell()],
        ..CheckAndMutateRowRequest::default()
    };
    golden(
        &conditional,
        &[
            b"\x0a\x01t\x12\x01k\x22\x00\x2a\x0e".as_slice(),
            cell,
            b"\x32\x00\x3a\x01a",
        ]
        .concat(),
    );
    let rule = |rule| ReadModifyWriteRule {
        family_name: b("f"),
        column_qualifier: b("q"),
        rule: Some(rule),
    };
    let read_modify_write = ReadModifyWriteRowRequest {
        table_name: "t".to_owned(),
        app_profile_id: "a".to_owned(),
        row_key: b("k"),
        rules: vec![
            rule(RuleKind::AppendValue(b("v"))),
            rule(RuleKind::IncrementAmount(3)),
        ],
        ..ReadModifyWriteRowRequest::default()
    };
    golden(
        &read_modify_write,
        b"\x0a\x01t\x12\x01k\x1a\x09\x0a\x01f\x12\x01q\x1a\x01v\x1a\x08\x0a\x01f\x12\x01q\x20\x03\x22\x01a",
    );
}

#[test]
fn outcomes_of_a_bulk_write() {
    let response = MutateRowsResponse {
        entries: vec![MutateRowsOutcome {
            index: 3,
            status: Some(RpcStatus {
                code: 5,
                message: "m".to_owned(),
                details: vec![Any {
                    type_url: "u".to_owned(),
                    value: b("v"),
                }],
            }),
        }],
        rate_limit_info: Some(RateLimitInfo {
            period: Some(Duration {
                seconds: 10,
                nanos: 1,
            }),
            factor: 0.5,
        }),
    };
    golden(
        &response,
        b"\x0a\x11\x08\x03\x12\x0d\x08\x05\x12\x01m\x1a\x06\x0a\x01u\x12\x01v\x1a\x0f\x0a\x04\x08\x0a\x10\x01\x11\0\0\0\0\0\0\xe0\x3f",
    );
}

#[test]
fn a_new_table() {
    let int64 = Type {
        kind: Some(TypeKind::Int64(Int64Type {
            encoding: Some(Int64Encoding {
                kind: Some(Int64EncodingKind::BigEndianBytes(Empty {})),
            }),
        })),
    };
    let aggregate = Aggregate {
        input_type: Some(Box::new(int64)),
        state_type: None,
        aggregator: Some(Aggregator::Max(Empty {})),
    };
    let rule = |rule| GcRule { rule: Some(rule) };
    let family = ColumnFamily {
        gc_rule: Some(rule(GcRuleKind::Union(GcRules {
            rules: vec![
                rule(GcRuleKind::MaxNumVersions(1)),
                rule(GcRuleKind::MaxAge(Duration {
                    seconds: 60,
                    nanos: 0,
                })),
                rule(GcRuleKind::Intersection(GcRules::default())),
            ],
        }))),
        value_type: Some(Type {
            kind: Some(TypeKind::Aggregate(Box::new(aggregate))),
        }),
    };
    let request = CreateTableRequest {
        parent: "p".to_owned(),
        table_id: "t".to_owned(),
        table: Some(Table {
            name: String::new(),
            column_families: vec![FamilyEntry {
                name: "f".to_owned(),
                family,
            }],
            granularity: 0,
            row_key_schema: None,
        }),
        initial_splits: vec![Split { key: b("k") }],
    };
    let rule = b"\x0a\x10\x22\x0e\x0a\x02\x08\x01\x0a\x04\x12\x02\x08\x3c\x0a\x02\x1a\x00";
    let value_type = b"\x1a\x0c\x32\x0a\x0a\x06\x2a\x04\x0a\x02\x0a\x00\x32\x00";
    let family = [rule.as_slice(), value_type].concat();
    let entry = [b"\x0a\x01f\x12\x20".as_slice(), &family].concat();
    let table = [b"\x1a\x25".as_slice(), &entry].concat();
    let head = b"\x0a\x01p\x12\x01t\x1a\x27";
    golden(
        &request,
        &[head.as_slice(), &table, b"\x22\x03\x0a\x01k"].concat(),
    );
}

#[test]
fn a_family_without_settings_is_there_in_its_entry() {
    let table = Table {
        name: "t".to_owned(),
        column_families: vec![FamilyEntry {
            name: "f".to_owned(),
            family: ColumnFamily::default(),
        }],
        granularity: 1,
        row_key_schema: None,
    };
    golden(&table, b"\x0a\x01t\x1a\x05\x0a\x01f\x12\x00\x20\x01");
    // Other servers leave it out.
    let short = Table::decode(b"\x0a\x01t\x1a\x03\x0a\x01f\x20\x01".as_slice());
    assert_eq!(short.unwrap(), table);
}

#[test]
fn schema_bundles_are_created_and_replaced() {
    let bundle = |name: &str| SchemaBundle {
        name: name.to_owned(),
        proto_schema: Some(ProtoDescriptors {
            proto_descriptors: "d".into(),
        }),
    };
    golden(
        &CreateSchemaBundleRequest {
            parent: "t".to_owned(),
            schema_bundle_id: "b".to_owned(),
            schema_bundle: Some(bundle("")),
        },
        b"\x0a\x01t\x12\x01b\x1a\x05\x12\x03\x12\x01d",
    );
    golden(
        &UpdateSchemaBundleRequest {
            schema_bundle: Some(bundle("n")),
            update_mask: Some(FieldMask {
                paths: vec!["p".to_owned()],
            }),
            ignore_warnings: true,
        },
        b"\x0a\x08\x0a\x01n\x12\x03\x12\x01d\x12\x03\x0a\x01p\x18\x01",
    );
}

#[test]
fn a_row_key_schema_goes_in_and_out_of_a_table() {
    let table = |row_key_schema| Table {
        name: "t".to_owned(),
        column_families: Vec::new(),
        granularity: 0,
        row_key_schema,
    };
    let request = |schema, ignore_warnings| UpdateTableRequest {
        table: Some(table(schema)),
        update_mask: Some(FieldMask {
            paths: vec!["row_key_schema".to_owned()],
        }),
        ignore_warnings,
    };
    let ordered = RowKeyStruct {
        fields: Vec::new(),
        encoding: Some(RowKeyEncoding {
            encoding: Some(RowKeyEncodingKind::OrderedCodeBytes(Empty {})),
        }),
    };
    let mask = b"\x12\x10\x0a\x0erow_key_schema".as_slice();
    let set = b"\x0a\x09\x0a\x01t\x7a\x04\x12\x02\x1a\x00".as_slice();
    golden(&request(Some(ordered), false), &[set, mask].concat());
    let removed = [b"\x0a\x03\x0a\x01t".as_slice(), mask, b"\x18\x01"].concat();
    golden(&request(None, true), &removed);
    golden(
        &LongOperation {
            name: "o".to_owned(),
            done: true,
            error: Some(RpcStatus {
                code: 9,
                ..RpcStatus::default()
            }),
        },
        b"\x0a\x01o\x18\x01\x22\x02\x08\x09",
    );
    golden(
        &GetOperationRequest {
            name: "o".to_owned(),
        },
        b"\x0a\x01o",
    );
}

#[test]
fn changes_of_a_table() {
    let family = ColumnFamily::default;
    let change = |kind| Modification {
        update_mask: None,
        id: "f".to_owned(),
        kind: Some(kind),
    };
    golden(
        &ModifyColumnFamiliesRequest {
            name: "t".to_owned(),
            modifications: vec![
                change(ModificationKind::Create(family())),
                change(ModificationKind::Update(family())),
                change(ModificationKind::Drop(true)),
            ],
        },
        b"\x0a\x01t\x12\x05\x0a\x01f\x12\x00\x12\x05\x0a\x01f\x1a\x00\x12\x05\x0a\x01f\x20\x01",
    );
    golden(
        &DropRowRangeRequest {
            name: "t".to_owned(),
            target: Some(DropTarget::RowKeyPrefix(b("p"))),
        },
        b"\x0a\x01t\x12\x01p",
    );
    golden(
        &DropRowRangeRequest {
            name: "t".to_owned(),
            target: Some(DropTarget::DeleteAllDataFromTable(true)),
        },
        b"\x0a\x01t\x18\x01",
    );
}

#[test]
fn unknown_fields_are_skipped() {
    let response = ReadRowsResponse::decode(b"\x22\x02\x08\x01\x12\x01z".as_slice()).unwrap();
    assert_eq!(response.last_scanned_row_key, "z");
}
