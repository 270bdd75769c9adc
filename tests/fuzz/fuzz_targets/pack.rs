//! Arbitrary bytes as a block of packed events: an error, or a block that is written and read again
//! as the same. If the checksum is wrong, the bytes are tried again with the right one.
//!
//! `cargo +nightly fuzz run pack --fuzz-dir tests/fuzz`
#![no_main]

use bigtable_pack::Block;
use libfuzzer_sys::fuzz_target;

fn check(bytes: &[u8]) {
    if let Ok(block) = Block::decode(bytes) {
        let again = block.encode().expect("a block that was read");
        let read = Block::decode(&again).expect("a block that was written");
        // NaN is not itself, but its text is.
        assert_eq!(format!("{read:?}"), format!("{block:?}"));
    }
}

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    check(&[bytes, &crc32c::crc32c(bytes).to_be_bytes()].concat());
});
