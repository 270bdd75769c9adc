//! How many bytes the fields of protobuf messages take.

/// A field of a tag, a length and as many bytes.
pub(super) fn message(tag: usize, len: usize) -> usize {
    tag + varint(u64::try_from(len).unwrap_or(u64::MAX)) + len
}

/// A field of plain text or bytes, left out when there are none.
pub(super) fn text(len: usize) -> usize {
    match len {
        0 => 0,
        len => message(1, len),
    }
}

/// A field of a plain integer, left out when it is 0.
pub(super) fn integer(tag: usize, value: i64) -> usize {
    match value {
        0 => 0,
        value => tag + varint(value.cast_unsigned()),
    }
}

/// A number of any size.
pub(super) fn varint(value: u64) -> usize {
    let bits = usize::try_from(u64::BITS - value.leading_zeros()).unwrap_or(64);
    bits.div_ceil(7).max(1)
}
