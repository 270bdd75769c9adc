//! Strings with any bytes before a separator.
//!
//! Let E be the byte after the separator's first. A byte b up to E is written as E and E + 1 + b,
//! every other byte unchanged. So all bytes are above the separator, no text ends in the middle of
//! another's escape, and order is kept: a byte up to E is written with E first, and a byte above E
//! as itself.
//!
//! In Bigtable's [ordered code](super::code) only the byte 00 is escaped, as 00 FF.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};

use super::code;
use crate::key::SegmentError;
use crate::key::refuse;

/// A borrowed string segment whose key bytes may hold escapes.
///
/// It compares, hashes and displays like the text without escapes, and does not allocate.
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'a> {
    bytes: &'a [u8],
    /// `None` if the bytes are a text without escapes.
    separator: Option<u8>,
}

impl<'a> Escaped<'a> {
    /// A text outside a key.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub const fn plain(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            separator: None,
        }
    }

    /// Decodes the bytes of an escaped segment; `separator` is the first byte of the layout's
    /// separator.
    ///
    /// # Errors
    /// [`SegmentError::Malformed`] for bytes that are not an escaped text.
    pub fn decode(bytes: &'a [u8], separator: u8) -> Result<Self, SegmentError> {
        let bytes = match bytes {
            [] if code::is_code(separator) => return Err(refuse::malformed(bytes, "a field")),
            bytes if code::is_code(separator) && bytes == code::EMPTY => &[],
            bytes => bytes,
        };
        if is_escaped_text(bytes, separator) {
            Ok(Self {
                bytes,
                separator: Some(separator),
            })
        } else {
            Err(refuse::malformed(bytes, "escaped UTF-8 text"))
        }
    }

    /// The text: borrowed if it has no escapes.
    #[must_use]
    pub fn to_cow(&self) -> Cow<'a, str> {
        let mut runs = Runs::of(self);
        match runs.next() {
            None => Cow::Borrowed(""),
            Some(Run::Text(text)) if text.len() == self.bytes.len() => Cow::Borrowed(text),
            Some(_) => Cow::Owned(self.to_string()),
        }
    }

    /// The text's characters.
    pub fn chars(&self) -> impl Iterator<Item = char> + 'a {
        Runs::of(self).flat_map(|run| {
            let (text, byte) = match run {
                Run::Text(text) => (text, None),
                Run::Byte(byte) => ("", Some(char::from(byte))),
            };
            text.chars().chain(byte)
        })
    }

    /// The text's bytes in UTF-8.
    pub fn bytes(&self) -> impl Iterator<Item = u8> + 'a {
        Runs::of(self).flat_map(|run| {
            let (text, byte) = match run {
                Run::Text(text) => (text, None),
                Run::Byte(byte) => ("", Some(byte)),
            };
            text.bytes().chain(byte)
        })
    }
}

/// A run of text without escapes, or the byte of one escape.
enum Run<'a> {
    Text(&'a str),
    Byte(u8),
}

struct Runs<'a> {
    rest: &'a [u8],
    separator: Option<u8>,
}

impl<'a> Runs<'a> {
    fn of(text: &Escaped<'a>) -> Self {
        Self {
            rest: text.bytes,
            separator: text.separator,
        }
    }
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        let escape = self.separator.map(escape_byte);
        if let [first, code, rest @ ..] = self.rest
            && let Some(separator) = self.separator
            && Some(*first) == escape
        {
            self.rest = rest;
            return unescaped(*code, separator).map(Run::Byte);
        }
        if self.rest.is_empty() {
            return None;
        }
        let end = escape.and_then(|escape| self.rest.iter().position(|byte| *byte == escape));
        let (run, rest) = self.rest.split_at_checked(end.unwrap_or(self.rest.len()))?;
        self.rest = rest;
        // `decode` has checked that it is UTF-8.
        std::str::from_utf8(run).ok().map(Run::Text)
    }
}

/// The byte that begins an escape.
#[inline]
const fn escape_byte(separator: u8) -> u8 {
    match code::is_code(separator) {
        true => 0,
        false => separator.saturating_add(1),
    }
}

/// The byte of an escape, from the byte after its first.
#[inline]
fn unescaped(after: u8, separator: u8) -> Option<u8> {
    let escape = escape_byte(separator);
    if code::is_code(separator) {
        return (after == code::AFTER_ZERO).then_some(escape);
    }
    let byte = after.checked_sub(escape)?.checked_sub(1)?;
    (byte <= escape).then_some(byte)
}

/// Appends `text` with its escapes.
#[inline]
pub(in crate::key) fn write(text: &[u8], separator: u8, out: &mut Vec<u8>) {
    let escape = escape_byte(separator);
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte <= escape) {
        let (plain, tail) = rest.split_at_checked(at).unwrap_or_default();
        out.extend_from_slice(plain);
        if let Some((byte, tail)) = tail.split_first() {
            out.extend_from_slice(&[escape, escape.wrapping_add(1).wrapping_add(*byte)]);
            rest = tail;
        }
    }
    out.extend_from_slice(rest);
}

fn is_escaped_text(bytes: &[u8], separator: u8) -> bool {
    let escape = escape_byte(separator);
    let mut runs = bytes.split(|byte| *byte == escape);
    let is_above = |byte: &u8| *byte > separator;
    let plain = |run: &[u8]| run.iter().all(is_above) && std::str::from_utf8(run).is_ok();
    // Only ASCII is escaped, so every run between escapes is valid UTF-8.
    runs.next().is_none_or(plain)
        && runs.all(|run| {
            let escaped = |after| unescaped(after, separator).is_some();
            run.split_first()
                .is_some_and(|(after, run)| escaped(*after) && plain(run))
        })
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for run in Runs::of(self) {
            match run {
                Run::Text(text) => f.write_str(text)?,
                Run::Byte(byte) => f.write_char(char::from(byte))?,
            }
        }
        Ok(())
    }
}

impl PartialEq for Escaped<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Escaped<'_> {}

impl PartialOrd for Escaped<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Escaped<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.separator == other.separator {
            // Escaped texts sort like their bytes, and so do texts without escapes.
            self.bytes.cmp(other.bytes)
        } else {
            self.bytes().cmp(other.bytes())
        }
    }
}

impl PartialEq<str> for Escaped<'_> {
    fn eq(&self, other: &str) -> bool {
        self.bytes().eq(other.bytes())
    }
}

impl PartialEq<&str> for Escaped<'_> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl Hash for Escaped<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for byte in self.bytes() {
            state.write_u8(byte);
        }
        state.write_u8(0xff);
    }
}
