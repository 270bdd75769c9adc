//! Arbitrary bytes as the answers to a query: rows with the announced columns, or an error.
//!
//! The first byte is the length of the metadata in steps of eight. The rest is a stream of
//! messages, each with two bytes of length. If a checksum is wrong, the message is tried again with
//! the right one.
//!
//! `cargo +nightly fuzz run sql_rows --fuzz-dir tests/fuzz`
#![no_main]

use bigtable_model::backend::grpc::raw::decode_sql;
use bigtable_model::backend::grpc::wire::{ExecuteQueryAnswer, ExecuteQueryResponse};
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use prost::Message;

/// The message with the checksum of its data, as for a batch in one part.
fn with_checksum(message: &[u8]) -> Option<Bytes> {
    let mut message = ExecuteQueryResponse::decode(message).ok()?;
    let Some(ExecuteQueryAnswer::Results(part)) = &mut message.response else {
        return None;
    };
    let data = part.proto_rows_batch.clone().unwrap_or_default().batch_data;
    part.reset = true;
    part.batch_checksum = Some(crc32c::crc32c(&data));
    part.resume_token = Bytes::from_static(b"token");
    Some(message.encode_to_vec().into())
}

fn check(metadata: &Bytes, messages: Vec<Bytes>) {
    let Ok(rows) = decode_sql(metadata.clone(), messages) else {
        return;
    };
    for row in rows {
        assert_eq!(row.values().len(), row.columns().len());
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((steps, rest)) = input.split_first() else {
        return;
    };
    let (metadata, mut rest) = rest.split_at((usize::from(*steps) * 8).min(rest.len()));
    let metadata = Bytes::copy_from_slice(metadata);
    let mut messages = Vec::new();
    while let Some((&length, after)) = rest.split_first_chunk() {
        let length = usize::from(u16::from_be_bytes(length));
        let (message, after) = after.split_at(length.min(after.len()));
        messages.push(Bytes::copy_from_slice(message));
        rest = after;
    }
    check(&metadata, messages.clone());
    check(&metadata, messages.iter().filter_map(|one| with_checksum(one)).collect());
});
