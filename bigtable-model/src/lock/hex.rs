//! Bytes in the form of the lock file.

use std::fmt::Write as _;

/// Two lower-case digits for each byte.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The bytes of such text; `None` for other text.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(byte).collect()
}

fn byte(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok()?;
    let is_digit = |digit: u8| digit.is_ascii_hexdigit();
    (digits.len() == 2 && digits.bytes().all(is_digit))
        .then(|| u8::from_str_radix(digits, 16).ok())
        .flatten()
}

/// The bytes of text that [`escape_ascii`](slice::escape_ascii) writes; `None` for other text.
pub(super) fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (kind, tail) = rest.split_first()?;
        rest = tail;
        bytes.push(match kind {
            b't' => b'\t',
            b'r' => b'\r',
            b'n' => b'\n',
            b'\'' | b'"' | b'\\' => *kind,
            b'x' => {
                let (digits, tail) = rest.split_at_checked(2)?;
                rest = tail;
                byte(digits)?
            }
            _ => return None,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{decode, encode, unescape};

    #[test]
    fn bytes_come_back() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), Some(all.clone()));
        assert_eq!(unescape(&all.escape_ascii().to_string()), Some(all));
        assert_eq!(encode(b"\x00\xff"), "00ff");
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["0", "0g", "+1", "000"] {
            assert_eq!(decode(text), None, "{text}");
        }
        for text in ["\\", "\\x0", "\\q", "\\xzz"] {
            assert_eq!(unescape(text), None, "{text}");
        }
    }
}
