//! Arbitrary bytes as an answer to `ReadRows` decode as with prost, or fail, without a panic.
//!
//! `cargo +nightly fuzz run read_rows --fuzz-dir tests/fuzz`
#![no_main]

use bigtable_model::backend::grpc::raw::{decode_chunks, decode_rows};
use bigtable_model::backend::grpc::wire::ReadRowsResponse;
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use prost::Message;

fuzz_target!(|bytes: &[u8]| {
    let bytes = Bytes::copy_from_slice(bytes);
    match (decode_chunks(bytes.clone()), ReadRowsResponse::decode(bytes.clone())) {
        (Ok(ours), theirs) => assert_eq!(Ok(ours), theirs),
        (Err(ours), Ok(_)) => assert!(ours.message.ends_with("a group"), "{ours}"),
        (Err(_), Err(_)) => {}
    }
    // Rows, or an error; the same bytes twice repeat a key.
    if decode_rows([bytes.clone(), bytes.clone()]).is_ok() {
        assert_eq!(decode_rows([bytes]).map(|rows| rows.len()), Ok(0));
    }
});
