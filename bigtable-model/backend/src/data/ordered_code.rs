//! Bigtable's ordered code, which joins fields of any bytes so that keys sort like their fields.
//!
//! A byte 00 of a field is written as 00 FF, an empty field as 00 00, and 00 01 separates two
//! fields. So an escaped 00 sorts before every other byte of a field, and after the end of one.

/// The separator of two fields.
pub const SEPARATOR: &str = "\0\u{1}";

/// An empty field before another. An empty last field is left out, with its separator.
pub const EMPTY: [u8; 2] = [0, 0];

/// A zero byte of a field.
const ZERO: [u8; 2] = [0, AFTER_ZERO];

/// What follows a zero byte of a field.
pub const AFTER_ZERO: u8 = 0xff;

/// Whether this is the first byte of ordered code's separator.
#[inline(always)]
#[must_use]
pub const fn is_code(separator: u8) -> bool {
    separator == 0
}

/// Appends a field that is not empty.
///
/// ```
/// # use bigtable_backend::data::ordered_code;
/// let mut key = Vec::new();
/// ordered_code::write(b"a\0b", &mut key);
/// assert_eq!(key, b"a\0\xffb");
/// ```
#[inline]
pub fn write(field: &[u8], out: &mut Vec<u8>) {
    for (at, run) in field.split(|byte| *byte == 0).enumerate() {
        if at > 0 {
            out.extend_from_slice(&ZERO);
        }
        out.extend_from_slice(run);
    }
}

/// The length of the field at the beginning of `bytes`, up to the separator or the end; `None` if
/// no field begins there.
#[inline]
#[must_use]
pub fn field_len(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(&EMPTY) {
        return Some(EMPTY.len());
    }
    let mut from = 0;
    loop {
        let rest = bytes.get(from..)?;
        let Some(zero) = rest.iter().position(|byte| *byte == 0) else {
            return Some(bytes.len());
        };
        let at = from + zero;
        match bytes.get(at + 1) {
            Some(&AFTER_ZERO) => from = at + 2,
            Some(1) => return Some(at),
            _ => return None,
        }
    }
}

/// Decodes a field into `place`, and returns the filled part; `None` if the field is larger, and
/// for bytes that are not a field.
#[inline]
#[must_use]
pub fn read<'p>(bytes: &[u8], place: &'p mut [u8]) -> Option<&'p [u8]> {
    let mut rest = bytes;
    let mut len = 0;
    while let [byte, tail @ ..] = rest {
        rest = match (byte, tail) {
            (0, [AFTER_ZERO, tail @ ..]) => tail,
            (0, _) => return None,
            _ => tail,
        };
        *place.get_mut(len)? = *byte;
        len += 1;
    }
    place.get(..len)
}
