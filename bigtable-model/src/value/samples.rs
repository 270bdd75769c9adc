//! Sample values of a type, found by decoding fixed bytes: with them, the bytes of a codec can be
//! kept and compared without a value from the user.

use super::ValueError;

/// The maximum number of values of a type.
const MOST: usize = 8;

/// If a type has at most this many values, letters are tried too.
const FEW: usize = 2;

/// Bytes of many forms: integers of growing width, floats, flags, arrays, small messages.
const BINARY: &[&[u8]] = &[
    &42_i64.to_be_bytes(),
    &300_i64.to_be_bytes(),
    &70_000_i64.to_be_bytes(),
    &5_000_000_000_i64.to_be_bytes(),
    &(-1_i64).to_be_bytes(),
    &600.5_f64.to_be_bytes(),
    &600.5_f32.to_be_bytes(),
    &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    &[0],
    &[1],
];

/// Texts of many forms, including those of serialisers.
const TEXTS: &[&[u8]] = &[
    b"0",
    b"42",
    b"300",
    b"70000",
    b"5000000000",
    b"-1",
    b"600.50",
    b"A",
    b"true",
    b"2015-03-16",
    b"2015-03-16T19:53:32.156Z",
    b"19:53:32",
    b"00010203-0405-0607-0809-0a0b0c0d0e0f",
    b"127.0.0.1",
    b"\"A\"",
    b"[]",
    b"{}",
    b"null",
    // Protobuf messages: a number, a double or a text in field 1 or 2.
    &[0x08, 42],
    &[0x10, 42],
    &[0x0a, 1, b'A'],
    &[0x12, 1, b'A'],
    &[0x09, 0, 0, 0, 0, 0, 0xc4, 0x82, 0x40],
    &[],
];

/// Letters and digits, which codecs with few values write.
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The values that some fixed bytes decode to.
pub(super) fn read_by<T>(read: impl Fn(&[u8]) -> Result<T, ValueError>) -> Vec<T> {
    let read = |bytes: &[u8]| read(bytes).ok();
    let fixed = BINARY.iter().chain(TEXTS).copied();
    let mut values: Vec<T> = fixed.filter_map(read).take(MOST).collect();
    if values.len() <= FEW {
        let letters = LETTERS.iter().map(std::slice::from_ref);
        values.extend(letters.filter_map(read).take(MOST));
    }
    values
}
