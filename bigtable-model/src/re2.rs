//! Patterns that match bytes literally in RE2, the syntax of Bigtable's filters.

use bytes::{BufMut, BytesMut};

/// Characters that mean something in a pattern outside a class.
const META: &[u8] = br"\.+*?()|[]{}^$";

/// A pattern that matches exactly `bytes`.
///
/// ASCII control characters are written as `\xHH`, since a pattern may not hold a NUL. Bytes from
/// 80 on stand for themselves, as in RE2's own `QuoteMeta`.
pub(crate) fn quote(bytes: &[u8], pattern: &mut BytesMut) {
    for &byte in bytes {
        if META.contains(&byte) {
            pattern.put_u8(b'\\');
            pattern.put_u8(byte);
        } else if byte.is_ascii_control() {
            pattern.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
        } else {
            pattern.put_u8(byte);
        }
    }
}

/// Appends a pattern that matches each of `literals`, followed by what the pattern `after`
/// matches, and nothing else.
pub(crate) fn any_of<'a>(
    literals: impl IntoIterator<Item = &'a [u8]>,
    after: &str,
    pattern: &mut BytesMut,
) {
    for (index, literal) in literals.into_iter().enumerate() {
        if index > 0 {
            pattern.put_u8(b'|');
        }
        quote(literal, pattern);
        pattern.put_slice(after.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use bytes::Bytes;
    use proptest::prelude::*;

    fn any_of<'a>(literals: impl IntoIterator<Item = &'a [u8]>) -> Bytes {
        let mut pattern = BytesMut::new();
        super::any_of(literals, "", &mut pattern);
        pattern.freeze()
    }

    fn quoted(bytes: &[u8]) -> Bytes {
        any_of([bytes])
    }

    #[test]
    fn plain_names_stay_as_they_are() {
        assert_eq!(quoted(b"BID_SIZE-2 #:/"), "BID_SIZE-2 #:/");
        assert_eq!(quoted("größe".as_bytes()), "größe");
    }

    #[test]
    fn what_means_something_is_quoted() {
        assert_eq!(quoted(b"a.b|c"), r"a\.b\|c");
        assert_eq!(quoted(br"\E^[x]{2}$"), r"\\E\^\[x\]\{2\}\$");
        assert_eq!(quoted(b"(a?)*+"), r"\(a\?\)\*\+");
        assert_eq!(quoted(b"\0\n\x7f"), r"\x00\x0a\x7f");
    }

    #[test]
    fn alternatives_may_be_empty() {
        assert_eq!(any_of([b"".as_slice(), b"a"]), "|a");
        assert_eq!(any_of([b"".as_slice()]), "");
    }

    /// The pattern in the regex crate's writing: bytes from 80 on as escapes, in full.
    fn compile(pattern: &[u8]) -> regex::bytes::Regex {
        let pattern: String = pattern
            .iter()
            .map(|&byte| match byte {
                0x80.. => format!("\\x{byte:02x}"),
                _ => char::from(byte).to_string(),
            })
            .collect();
        regex::bytes::Regex::new(&format!("(?-u)^(?:{pattern})$")).unwrap()
    }

    proptest! {
        #[test]
        fn matches_the_literals_and_nothing_else(
            literals in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..6), 1..4),
            other in prop::collection::vec(any::<u8>(), 0..6),
        ) {
            let regex = compile(&any_of(literals.iter().map(Vec::as_slice)));
            for literal in &literals {
                prop_assert!(regex.is_match(literal));
            }
            prop_assert_eq!(regex.is_match(&other), literals.contains(&other));
        }

        #[test]
        fn each_byte_is_told_from_every_other(byte: u8, other: u8) {
            prop_assert_eq!(compile(&quoted(&[byte])).is_match(&[other]), byte == other);
        }
    }
}
