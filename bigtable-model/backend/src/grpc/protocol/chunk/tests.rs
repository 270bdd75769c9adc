#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use super::*;
use crate::Code;
use crate::grpc::protocol::wire::{BytesValue, CellChunk, ReadRowsResponse, RequestStats};
use crate::grpc::raw::decode_chunks;

/// A field as it is on the wire.
#[derive(Debug, Clone)]
enum Field {
    Number(u32, u64),
    Bytes(u32, Vec<u8>),
    Fixed32(u32, u32),
    Fixed64(u32, u64),
}

impl Field {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Number(field, value) => {
                encode_key(*field, WireType::Varint, out);
                encode_varint(*value, out);
            }
            Self::Bytes(field, value) => {
                encode_key(*field, WireType::LengthDelimited, out);
                encode_varint(value.len() as u64, out);
                out.extend_from_slice(value);
            }
            Self::Fixed32(field, value) => {
                encode_key(*field, WireType::ThirtyTwoBit, out);
                out.extend_from_slice(&value.to_le_bytes());
            }
            Self::Fixed64(field, value) => {
                encode_key(*field, WireType::SixtyFourBit, out);
                out.extend_from_slice(&value.to_le_bytes());
            }
        }
    }
}

fn joined(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    fields.iter().for_each(|field| field.write(&mut out));
    out
}

/// Fields that no message of ours has.
fn unknown() -> impl Strategy<Value = Field> {
    let number = 16..(1_u32 << 29);
    prop_oneof![
        (number.clone(), any::<u64>()).prop_map(|(field, value)| Field::Number(field, value)),
        (number.clone(), vec(any::<u8>(), 0..4)).prop_map(|(f, value)| Field::Bytes(f, value)),
        (number.clone(), any::<u32>()).prop_map(|(field, value)| Field::Fixed32(field, value)),
        (number, any::<u64>()).prop_map(|(field, value)| Field::Fixed64(field, value)),
    ]
}

fn wrapped() -> impl Strategy<Value = Vec<u8>> {
    let value = vec(any::<u8>(), 0..4).prop_map(|value| Field::Bytes(1, value));
    vec(prop_oneof![4 => value, 1 => unknown()], 0..3).prop_map(|fields| joined(&fields))
}

/// Fields of a chunk in any order and number; now and then one of a wrong kind.
fn chunk() -> impl Strategy<Value = Vec<u8>> {
    let bytes =
        |field: u32| vec(any::<u8>(), 0..5).prop_map(move |value| Field::Bytes(field, value));
    let number = |field: u32| any::<u64>().prop_map(move |value| Field::Number(field, value));
    let field = prop_oneof![
        20 => bytes(1),
        20 => (2..4_u32, wrapped()).prop_map(|(field, value)| Field::Bytes(field, value)),
        20 => number(4),
        10 => "[a-zé]{0,3}".prop_map(|label| Field::Bytes(5, label.into_bytes())),
        20 => bytes(6),
        10 => number(7),
        20 => (8..10_u32, 0..3_u64).prop_map(|(field, value)| Field::Number(field, value)),
        10 => unknown(),
        1 => bytes(5),
        1 => (1..10_u32, any::<u64>()).prop_map(|(field, value)| Field::Number(field, value)),
        1 => (1..10_u32, any::<u64>()).prop_map(|(field, value)| Field::Fixed64(field, value)),
    ];
    vec(field, 0..8).prop_map(|fields| joined(&fields))
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    let field = prop_oneof![
        10 => chunk().prop_map(|chunk| Field::Bytes(1, chunk)),
        2 => vec(any::<u8>(), 0..4).prop_map(|key| Field::Bytes(2, key)),
        2 => unknown(),
    ];
    vec(field, 0..6).prop_map(|fields| joined(&fields))
}

/// The same message as prost makes of it, or both refuse. Only groups are refused here and not
/// there.
fn agree(bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let bytes = Bytes::from(bytes);
    match (
        decode_chunks(bytes.clone()),
        ReadRowsResponse::decode(bytes),
    ) {
        (Ok(ours), theirs) => prop_assert_eq!(Ok(ours), theirs),
        (Err(_), Err(_)) => {}
        (Err(ours), Ok(_)) => prop_assert!(ours.message.ends_with("a group"), "{ours}"),
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_message_is_what_prost_makes_of_it(bytes in message()) {
        agree(bytes)?;
    }

    #[test]
    fn so_is_one_with_bytes_changed_and_cut_off(
        mut bytes in message(),
        changes in vec((any::<Index>(), any::<u8>()), 1..4),
        end in any::<Index>(),
    ) {
        for (at, byte) in changes {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        bytes.truncate(end.index(bytes.len() * 2 + 1));
        agree(bytes)?;
    }

    #[test]
    fn any_bytes_are_a_message_or_an_error(bytes in vec(any::<u8>(), 0..40)) {
        agree(bytes)?;
    }
}

#[test]
fn every_field_is_read() {
    let response = ReadRowsResponse {
        chunks: vec![
            CellChunk {
                row_key: "k".into(),
                family_name: Some(BytesValue { value: "f".into() }),
                qualifier: Some(BytesValue::default()),
                timestamp_micros: -1,
                labels: vec!["l".to_owned(), "m".to_owned()],
                value: "v".into(),
                value_size: -7,
                row_status: Some(RowStatus::CommitRow(true)),
            },
            CellChunk::default(),
        ],
        last_scanned_row_key: "z".into(),
        request_stats: Some(RequestStats::default()),
    };
    let read = decode_chunks(response.encode_to_vec().into());
    assert_eq!(read, Ok(response));
}

#[test]
fn what_is_no_message_is_said() {
    let refused = |bytes: &'static [u8], words: &str| {
        let error = decode_chunks(Bytes::from_static(bytes)).unwrap_err();
        assert_eq!(error.code, Code::Internal);
        assert!(error.message.contains("cannot be decoded"), "{error}");
        assert!(error.message.contains(words), "{error}");
    };
    refused(b"\x0a\x05k", "longer than what is left");
    refused(b"\x0a\x02\x0a\x05k", "longer than what is left");
    refused(b"\x08\x01", "a number where bytes belong");
    refused(b"\x0a\x03\x22\x01k", "bytes where a number belongs");
    refused(b"\x0a\x05\x25aaaa", "a number of fixed width");
    refused(b"\x0a\x03\x2a\x01\xff", "utf-8");
    refused(b"\x0b\x0c", "a group");
    refused(b"\x0a", "");
}
