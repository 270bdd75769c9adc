//! Bytes of segments: digits, hexadecimal digits, escapes, ordered code, and eight bytes at a time.

pub(crate) use crate::data::ordered_code as code;

pub(crate) mod digits;
pub(crate) mod escape;
pub(crate) mod hex;
pub(crate) mod swar;

/// The byte that ends a segment of variable width.
#[inline]
pub(crate) fn first_byte(separator: &str) -> u8 {
    separator.as_bytes().first().copied().unwrap_or_default()
}
