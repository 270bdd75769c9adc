//! Fields appended to bytes. Numbers of fields are up to 15, so a tag is one byte.

/// The types of fields on the wire.
const VARINT: u8 = 0;
const LENGTH_DELIMITED: u8 = 2;

/// A tag and a length, before this many bytes.
#[inline]
pub(crate) fn begin(field: u8, len: usize, out: &mut Vec<u8>) {
    let tag = field << 3 | LENGTH_DELIMITED;
    let [low, high, ..] = len.to_le_bytes();
    match len {
        ..0x80 => out.extend_from_slice(&[tag, low]),
        // Most of the longer mutations have such a length.
        0x80..0x4000 => out.extend_from_slice(&[tag, low | 0x80, high << 1 | low >> 7]),
        _ => append(tag, u64::try_from(len).unwrap_or(u64::MAX), out),
    }
}

/// A field of bytes, left out if it is empty.
#[inline(always)]
pub(crate) fn bytes(field: u8, bytes: &[u8], out: &mut Vec<u8>) {
    if !bytes.is_empty() {
        begin(field, bytes.len(), out);
        out.extend_from_slice(bytes);
    }
}

/// A field of a number, left out if it is 0.
#[inline]
pub(crate) fn integer(field: u8, value: i64, out: &mut Vec<u8>) {
    if value != 0 {
        number(field, value, out);
    }
}

/// A field of a number with presence, where 0 is written too.
#[inline]
pub(crate) fn number(field: u8, value: i64, out: &mut Vec<u8>) {
    append(field << 3 | VARINT, value.cast_unsigned(), out);
}

/// A tag and a number. They are assembled before they are appended: checking for room at each byte
/// takes longer.
fn append(tag: u8, mut number: u64, out: &mut Vec<u8>) {
    let mut bytes = [0; 11];
    let [first, digits @ ..] = &mut bytes;
    *first = tag;
    let mut len = 1;
    for digit in digits {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        len += 1;
        if number == 0 {
            *digit = low;
            break;
        }
        *digit = low | 0x80;
    }
    out.extend_from_slice(bytes.get(..len).unwrap_or_default());
}
