//! Patterns that match bytes literally in RE2, the syntax of Bigtable's filters.

use std::ops::Bound;

use bytes::{BufMut, BytesMut};

/// Characters with a meaning in a pattern outside a class.
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

/// Appends a pattern that matches exactly the `literals`, each followed by a match of the pattern
/// `after`.
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

/// How many bytes of a bound are compared after the common bytes of both bounds.
const MAX_DEPTH: usize = 24;

/// How many bytes from 80 on are listed as alternatives. A server that reads patterns as UTF-8
/// would take a class of them for characters.
const MAX_LISTED: usize = 64;

/// Any bytes.
const ANYTHING: &[u8] = b"\\C*";

/// Appends a pattern that matches every string between two bounds, as a whole; the first `ascii`
/// bytes of such a string are below 80. It also matches others if a comparison would need too long
/// a pattern.
pub(crate) fn between<T: AsRef<[u8]>>(
    (start, end): &(Bound<T>, Bound<T>),
    ascii: usize,
    pattern: &mut BytesMut,
) {
    let low = match start {
        Bound::Included(low) | Bound::Excluded(low) => low.as_ref(),
        Bound::Unbounded => &[],
    };
    let (high, inclusive) = match end {
        Bound::Included(high) => (high.as_ref(), true),
        Bound::Excluded(high) => (high.as_ref(), false),
        Bound::Unbounded => return Ends { ascii, pattern }.not_less(low, 0),
    };
    let common = low.iter().zip(high).take_while(|(low, high)| low == high);
    let common = common.count();
    quote(high.get(..common).unwrap_or_default(), pattern);
    let low = low.get(common..).unwrap_or_default();
    let high = high.get(common..).unwrap_or_default();
    let mut ends = Ends {
        ascii: ascii.saturating_sub(common),
        pattern,
    };
    match (low.split_first(), high.split_first()) {
        (Some((&first, low)), Some((&last, high))) if first < last => {
            let between = ends.bytes((first..last).skip(1), 0);
            let Some(between) = between else {
                return ends.pattern.put_slice(ANYTHING);
            };
            ends.pattern.put_slice(b"(?:");
            ends.one_of(&between);
            quote(&[first], ends.pattern);
            ends.not_less(low, 1);
            ends.pattern.put_u8(b'|');
            ends.last(last, high, inclusive, 1);
            ends.pattern.put_u8(b')');
        }
        (None, _) => ends.not_more(high, inclusive, 0),
        // There is nothing between them, or only the bound itself.
        _ => ends.pattern.put_slice(ANYTHING),
    }
}

/// The two ends of a range, byte by byte.
struct Ends<'p> {
    ascii: usize,
    pattern: &'p mut BytesMut,
}

impl Ends<'_> {
    /// Strings that continue with `low` or something greater.
    fn not_less(&mut self, low: &[u8], depth: usize) {
        let split = low.split_first().filter(|_| depth < MAX_DEPTH);
        let greater = split.and_then(|(&first, rest)| {
            let greater = self.bytes((first..=u8::MAX).skip(1), depth)?;
            Some((first, rest, greater))
        });
        let Some((first, rest, greater)) = greater else {
            return self.pattern.put_slice(ANYTHING);
        };
        self.pattern.put_slice(b"(?:");
        self.one_of(&greater);
        quote(&[first], self.pattern);
        self.not_less(rest, depth + 1);
        self.pattern.put_u8(b')');
    }

    /// Strings that continue with something less than `high`, or with `high` if that is included.
    fn not_more(&mut self, high: &[u8], inclusive: bool, depth: usize) {
        let split = high.split_first().filter(|_| depth < MAX_DEPTH);
        let less = split.and_then(|(&last, rest)| Some((last, rest, self.bytes(0..last, depth)?)));
        match less {
            Some((last, rest, less)) => {
                // A string that ends here is less.
                self.pattern.put_slice(b"(?:|");
                self.one_of(&less);
                self.last(last, rest, inclusive, depth + 1);
                self.pattern.put_u8(b')');
            }
            // Only the bound itself is left.
            None if high.is_empty() => {}
            None => self.pattern.put_slice(ANYTHING),
        }
    }

    /// Strings that continue with a byte of the upper bound, and then with at most its rest.
    fn last(&mut self, last: u8, rest: &[u8], inclusive: bool, depth: usize) {
        if !rest.is_empty() || inclusive {
            quote(&[last], self.pattern);
            self.not_more(rest, inclusive, depth);
        }
    }

    /// The bytes of a range that a string can have at a position; `None` if there are too many to
    /// list.
    fn bytes(&self, range: impl Iterator<Item = u8>, at: usize) -> Option<Vec<u8>> {
        let (mut low, high): (Vec<u8>, Vec<u8>) = range.partition(u8::is_ascii);
        if at >= self.ascii {
            low.extend(&high);
            (high.len() <= MAX_LISTED).then_some(low)
        } else {
            Some(low)
        }
    }

    /// One of some ascending bytes, anything after it, and a bar.
    fn one_of(&mut self, bytes: &[u8]) {
        let (low, high): (Vec<u8>, Vec<u8>) = bytes.iter().partition(|byte| byte.is_ascii());
        if let (Some(first), Some(last)) = (low.first(), low.last()) {
            let end = |byte: &u8| match byte.is_ascii_alphanumeric() {
                true => char::from(*byte).to_string(),
                false => format!("\\x{byte:02x}"),
            };
            let class = format!("[{}-{}]", end(first), end(last));
            self.pattern.put_slice(class.as_bytes());
            self.pattern.put_slice(ANYTHING);
            self.pattern.put_u8(b'|');
        }
        for byte in high {
            self.pattern.put_u8(byte);
            self.pattern.put_slice(ANYTHING);
            self.pattern.put_u8(b'|');
        }
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

    /// The pattern in the syntax of the regex crate: bytes from 80 as escapes, matching in full.
    fn compile(pattern: &[u8]) -> regex::bytes::Regex {
        let pattern: String = pattern
            .iter()
            .map(|&byte| match byte {
                0x80.. => format!("\\x{byte:02x}"),
                _ => char::from(byte).to_string(),
            })
            .collect();
        let pattern = pattern.replace(r"\C", r"(?s:.)");
        regex::bytes::Regex::new(&format!("(?-u)^(?:{pattern})$")).unwrap()
    }

    fn pattern_of(range: &(Bound<Vec<u8>>, Bound<Vec<u8>>), ascii: usize) -> Bytes {
        let mut pattern = BytesMut::new();
        between(range, ascii, &mut pattern);
        pattern.freeze()
    }

    #[test]
    fn a_range_of_digits_is_matched_exactly() {
        let range = |start: &str, end: &str| {
            let bound = |text: &str| text.as_bytes().to_vec();
            (Bound::Included(bound(start)), Bound::Excluded(bound(end)))
        };
        assert_eq!(
            pattern_of(&range("20240101", "20240103"), 8),
            r"2024010(?:[2-2]\C*|1\C*|)"
        );
        for (start, end) in [
            (0, 1),
            (7, 8),
            (99, 100),
            (123, 4567),
            (1000, 9999),
            (0, 10_000),
        ] {
            let end_text = if end == 10_000 {
                "a".to_owned()
            } else {
                format!("{end:04}")
            };
            let regex = compile(&pattern_of(&range(&format!("{start:04}"), &end_text), 4));
            for number in 0..10_000 {
                let wanted = (start..end).contains(&number);
                assert_eq!(
                    regex.is_match(format!("{number:04}").as_bytes()),
                    wanted,
                    "{number}"
                );
                // The rest of the key does not matter.
                assert_eq!(
                    regex.is_match(format!("{number:04}#\u{e9}").as_bytes()),
                    wanted
                );
            }
        }
    }

    fn bytes_of_a_bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
        let bytes = || prop::collection::vec(prop_oneof![any::<u8>(), 0x30..0x34_u8], 0..5);
        prop_oneof![
            Just(Bound::Unbounded),
            bytes().prop_map(Bound::Included),
            bytes().prop_map(Bound::Excluded),
        ]
    }

    proptest! {
        #[test]
        fn no_string_of_a_range_is_missed(
            range in (bytes_of_a_bound(), bytes_of_a_bound()),
            text in "[0-4#]{0,3}",
            rest in prop::collection::vec(prop_oneof![any::<u8>(), 0x30..0x34_u8], 0..6),
        ) {
            use std::ops::RangeBounds as _;
            let string = [text.as_bytes(), &rest].concat();
            if range.contains(&string) {
                let regex = compile(&pattern_of(&range, text.len()));
                prop_assert!(regex.is_match(&string));
            }
        }

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
