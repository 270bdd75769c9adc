//! Escapes, after a backslash.

use super::class::{self, ByteSet};
use super::parse::Parser;
use super::tree::RegexError;

impl Parser<'_> {
    /// The set of `\d`, `\pL` and the like; otherwise `None`, and nothing is read.
    pub(super) fn escaped_set(&mut self) -> Result<Option<ByteSet>, RegexError> {
        let Some((b'\\', letter)) = self.peek_two() else {
            return Ok(None);
        };
        if let Some(set) = class::perl(letter) {
            self.skip(2);
            return Ok(Some(set));
        }
        match letter {
            b'p' | b'P' => self.unicode_set().map(Some),
            _ => Ok(None),
        }
    }

    /// `\pL`, `\p{Greek}`, `\p{^Greek}`, `\PL`.
    fn unicode_set(&mut self) -> Result<ByteSet, RegexError> {
        let start = self.position();
        self.skip(1);
        let mut negated = self.next() == Some(b'P');
        let name = match self.next() {
            Some(b'{') => self.until(b"}"),
            Some(letter) => Some(vec![letter]),
            None => None,
        };
        let name = name.and_then(|name| String::from_utf8(name).ok());
        let bad = |parser: &Self| RegexError::BadRange(parser.since(start));
        let Some(name) = name else {
            return Err(bad(self));
        };
        let plain = match name.strip_prefix('^') {
            Some(plain) => {
                negated = !negated;
                plain
            }
            None => &name,
        };
        let fold = self.flags.ignore_case;
        let key = (plain.to_owned(), fold);
        let set = match self.classes.get(&key) {
            Some(set) => *set,
            None => {
                let set = class::unicode(plain, fold).ok_or_else(|| bad(self))?;
                self.classes.insert(key, set);
                set
            }
        };
        Ok(if negated { set.negated() } else { set })
    }

    /// The single byte of an escape; the backslash has not been read.
    pub(super) fn escaped_byte(&mut self) -> Result<u8, RegexError> {
        let start = self.position();
        self.skip(1);
        let Some(letter) = self.next() else {
            return Err(RegexError::TrailingBackslash);
        };
        let byte = match letter {
            b'0' => self.octal(0),
            // A single digit would be a back-reference, which RE2 does not have.
            b'1'..=b'7' if self.peek().is_some_and(is_octal) => self.octal(letter - b'0'),
            b'x' => self.hexadecimal(),
            b'a' => Some(0x07),
            b'f' => Some(0x0c),
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'v' => Some(0x0b),
            other if other.is_ascii() && !other.is_ascii_alphanumeric() => Some(other),
            _ => None,
        };
        byte.ok_or_else(|| {
            let text = self.since(start);
            RegexError::BadEscape(text.trim_start_matches('\\').to_owned())
        })
    }

    /// Up to two more octal digits after the first one.
    fn octal(&mut self, first: u8) -> Option<u8> {
        let mut code = u32::from(first);
        for _ in 0..2 {
            let Some(digit) = self.peek().filter(|digit| is_octal(*digit)) else {
                break;
            };
            self.skip(1);
            code = code * 8 + u32::from(digit - b'0');
        }
        u8::try_from(code).ok()
    }

    /// Two hexadecimal digits, or any number of them in braces up to `ff`.
    fn hexadecimal(&mut self) -> Option<u8> {
        let digits = match self.next()? {
            b'{' => self.until(b"}")?,
            first => vec![first, self.next()?],
        };
        let digits = String::from_utf8(digits).ok()?;
        let plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let code = u32::from_str_radix(&digits, 16).ok()?;
        u8::try_from(code).ok().filter(|_| plain)
    }
}

fn is_octal(digit: u8) -> bool {
    (b'0'..=b'7').contains(&digit)
}
