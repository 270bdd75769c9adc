//! Bytes as text that comes back: UTF-8 as it is, other bytes as `\x` and two digits, a backslash
//! twice.

use bytes::Bytes;

use crate::failure::Failure;

/// What is shown in place of a sensitive value.
pub(crate) const HIDDEN: &str = "***";

/// The text of bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\\' => text.push_str("\\\\"),
                letter if letter.is_control() => {
                    let mut utf8 = [0; 4];
                    push_hex(letter.encode_utf8(&mut utf8).as_bytes(), &mut text);
                }
                letter => text.push(letter),
            }
        }
        push_hex(chunk.invalid(), &mut text);
    }
    text
}

fn push_hex(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        text.push_str(&format!("\\x{byte:02x}"));
    }
}

/// The bytes of a text.
pub(crate) fn to_bytes(text: &str) -> Result<Bytes, Failure> {
    if !text.contains('\\') {
        return Ok(Bytes::copy_from_slice(text.as_bytes()));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        rest = match after.strip_prefix('\\') {
            Some(after) => {
                bytes.push(b'\\');
                after
            }
            None => {
                let hex = after
                    .strip_prefix('x')
                    .and_then(|hex| hex.split_at_checked(2));
                let byte = hex.and_then(|(hex, after)| {
                    let is_hex = hex.bytes().all(|digit| digit.is_ascii_hexdigit());
                    let byte = is_hex.then(|| u8::from_str_radix(hex, 16).ok())??;
                    Some((byte, after))
                });
                let Some((byte, after)) = byte else {
                    return Err(Failure::new(format_args!(
                        "in `{text}` a backslash is followed by neither another one nor `x` and two hexadecimal digits"
                    )));
                };
                bytes.push(byte);
                after
            }
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes.into())
}

/// Whether bytes are a text without control characters.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !text.chars().any(char::is_control))
}

/// A number with its thousands separated: `26,115`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 row`, `2 rows`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {what}{s}", thousands(number))
}

/// Bytes for people: `1.5 MB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] = [
        (1_000_000_000_000, "TB"),
        (1_000_000_000, "GB"),
        (1_000_000, "MB"),
        (1_000, "kB"),
    ];
    match UNITS.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn any_bytes_come_back() {
        let all: Vec<u8> = (0..=255).collect();
        let texts: [&[u8]; 6] = [
            b"NASDAQ#ZXZZT#1426535612156",
            "Zürich\\x".as_bytes(),
            b"\xff\xfe\\",
            b"\\x41",
            b"",
            &all,
        ];
        for bytes in texts {
            let text = of_bytes(bytes);
            assert!(!text.chars().any(char::is_control), "{text}");
            assert_eq!(to_bytes(&text).unwrap(), bytes, "{text}");
        }
        assert_eq!(of_bytes("Zürich\n".as_bytes()), "Zürich\\x0a");
    }

    #[test]
    fn half_an_escape_is_refused() {
        for bad in ["\\", "\\x", "\\x4", "\\xzz", "\\n", "a\\x+1"] {
            assert!(to_bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(1_234_567, "row"), "1,234,567 rows");
        assert_eq!(size(999), "999 bytes");
        assert_eq!(size(1_560_000), "1.5 MB");
    }
}
