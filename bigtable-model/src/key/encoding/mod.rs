//! Bytes of segments: digits, escapes, and eight bytes at a time.

pub(crate) mod digits;
pub(crate) mod escape;
pub(crate) mod swar;
