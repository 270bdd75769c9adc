//! How many bytes the fields of protobuf messages take.

/// A field with a tag, a length and that many bytes.
#[inline]
pub(crate) fn message(tag: usize, len: usize) -> usize {
    tag + varint(u64::try_from(len).unwrap_or(u64::MAX)) + len
}

/// A field of text or bytes without presence, left out if empty.
#[inline]
pub(crate) fn text(len: usize) -> usize {
    match len {
        0 => 0,
        len => message(1, len),
    }
}

/// A field of an integer without presence, left out if it is 0.
#[inline]
pub(crate) fn integer(tag: usize, value: i64) -> usize {
    match value {
        0 => 0,
        value => tag + varint(value.cast_unsigned()),
    }
}

/// A number of any size. Most are lengths of one byte.
#[inline]
pub(crate) fn varint(value: u64) -> usize {
    match value {
        ..0x80 => 1,
        _ => long_varint(value),
    }
}

#[inline]
fn long_varint(value: u64) -> usize {
    // A byte holds 7 bits; up to 64 bits, 9/64 replaces the division.
    let last_bit = 63 - (value | 1).leading_zeros();
    usize::try_from((last_bit * 9 + 73) / 64).unwrap_or(10)
}
