//! The messages have the fields of the published ones, as in bigtable_rs.

use std::fmt::Debug;

use bigtable_model::backend::grpc::wire;
use bigtable_model::backend::sql::SqlType;
use bigtable_rs::google::bigtable::v2 as published;
use prost::Message;

use crate::answers::{Part, column, int, list, null, of, plan, string, text, value};

/// Reads our message as the published one, and encodes that.
fn through<T: Message + Default + Debug>(ours: &impl Message) -> Vec<u8> {
    let bytes = ours.encode_to_vec();
    let theirs = T::decode(&*bytes).unwrap();
    assert_eq!(theirs.encoded_len(), bytes.len(), "{theirs:?}");
    theirs.encode_to_vec()
}

fn same<T: Message + Default + Debug>(ours: &(impl Message + Default + PartialEq + Debug)) {
    let back = through::<T>(ours);
    // The order of fields is not part of the protocol.
    let read = Message::decode(&*back).unwrap();
    assert!(*ours == read, "{ours:?} came back as {read:?}");
}

fn every_type() -> Vec<wire::SqlType> {
    use wire::SqlTypeKind as Kind;
    let empty = wire::Empty {};
    let named = wire::NamedType {
        schema_bundle_id: "bundle".to_owned(),
        name: "a.Name".to_owned(),
    };
    vec![
        of(Kind::Bytes(empty)),
        of(Kind::String(empty)),
        of(Kind::Int64(empty)),
        of(Kind::Bool(empty)),
        of(Kind::Float64(empty)),
        of(Kind::Timestamp(empty)),
        of(Kind::Date(empty)),
        of(Kind::Float32(empty)),
        of(Kind::Aggregate(empty)),
        of(Kind::Proto(named.clone())),
        of(Kind::Enum(named)),
        of(Kind::Array(Box::new(wire::ArrayType {
            element_type: Some(Box::new(string())),
        }))),
        of(Kind::Map(Box::new(wire::MapType {
            key_type: Some(Box::new(string())),
            value_type: Some(Box::new(string())),
        }))),
        of(Kind::Struct(wire::StructType {
            fields: vec![wire::StructField {
                field_name: "x".to_owned(),
                r#type: Some(string()),
            }],
        })),
    ]
}

fn every_value() -> Vec<wire::SqlValue> {
    use wire::SqlValueKind as Kind;
    vec![
        null(),
        value(Kind::Bytes("b".into())),
        text("s"),
        int(-1),
        value(Kind::Bool(true)),
        value(Kind::Float(0.5)),
        value(Kind::Timestamp(wire::Timestamp {
            seconds: -1,
            nanos: 5,
        })),
        value(Kind::Date(wire::Date {
            year: 2024,
            month: 2,
            day: 29,
        })),
        list(vec![int(1), null()]),
        wire::SqlValue {
            r#type: Some(string()),
            ..text("typed")
        },
    ]
}

#[test]
fn requests() {
    for of in every_type() {
        same::<published::Type>(&of);
        let param_types = [("x".to_owned(), of)].into();
        same::<published::PrepareQueryRequest>(&wire::PrepareQueryRequest {
            instance_name: "projects/p/instances/i".to_owned(),
            app_profile_id: "profile".to_owned(),
            query: "SELECT 1".to_owned(),
            proto_format: Some(wire::Empty {}),
            param_types,
        });
    }
    for value in every_value() {
        same::<published::Value>(&value);
        same::<published::ExecuteQueryRequest>(&wire::ExecuteQueryRequest {
            instance_name: "projects/p/instances/i".to_owned(),
            app_profile_id: "profile".to_owned(),
            query: "SELECT 1".to_owned(),
            proto_format: Some(wire::Empty {}),
            params: [("x".to_owned(), value)].into(),
            resume_token: "token".into(),
            prepared_query: "plan".into(),
        });
    }
}

#[test]
fn answers() {
    let columns = every_type().into_iter().map(|of| column("x", of));
    let mut prepared = plan("plan", columns.collect());
    prepared.valid_until = Some(wire::Timestamp {
        seconds: 1,
        nanos: 2,
    });
    same::<published::PrepareQueryResponse>(&prepared);
    let part = Part::new().reset().batch(every_value()).token("token");
    same::<published::ExecuteQueryResponse>(&part.message());
    // Absent is not 0.
    let present = Part::new().checksum(0).message().encode_to_vec();
    let absent = Part::new().message().encode_to_vec();
    assert_ne!(present, absent);
    same::<published::ExecuteQueryResponse>(&Part::new().checksum(0).message());
    let metadata = wire::ExecuteQueryResponse {
        response: Some(wire::ExecuteQueryAnswer::Metadata(prepared.metadata)),
    };
    same::<published::ExecuteQueryResponse>(&metadata);
    same::<published::ProtoRows>(&wire::ProtoRows {
        values: every_value(),
    });
}

#[test]
fn empty_parts_of_types_are_there() {
    let of = wire::SqlType {
        kind: Some(wire::SqlTypeKind::Int64(wire::Empty {})),
    };
    // Field 5, a message of no bytes.
    assert_eq!(of.encode_to_vec(), [0x2a, 0]);
    assert_eq!(SqlType::Int64.to_string(), "INT64");
}
