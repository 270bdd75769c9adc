//! Bigtable's ordered code: how fields of any bytes are joined, so that keys sort as their fields.
//!
//! A byte 00 of a field is written as 00 FF, an empty field as 00 00, and between two fields stands
//! 00 01. What comes after a 00 is below every other byte of a field, but for the FF.

/// What stands between two fields.
pub const SEPARATOR: &str = "\0\u{1}";

/// An empty field that another one follows. The last one is left out, with what stands before it.
pub const EMPTY: [u8; 2] = [0, 0];

/// A zero byte of a field.
const ZERO: [u8; 2] = [0, AFTER_ZERO];

/// What follows a zero byte of a field.
pub const AFTER_ZERO: u8 = 0xff;

/// Whether a separator begins with this byte: only that of ordered code does.
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

/// How many bytes the field at the beginning of `bytes` takes, up to what separates it from the
/// next one or to the end; none for bytes that begin with no field.
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

/// Writes the field of these bytes into `place`, and gives what is filled; none when it has more,
/// and for bytes that are those of no field.
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
