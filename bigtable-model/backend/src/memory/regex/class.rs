//! Sets of bytes, and RE2's named classes.

use regex_syntax::hir::{Class, HirKind};

/// A set of bytes, each a character of Latin-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ByteSet([u128; 2]);

impl ByteSet {
    pub(super) const ALL: Self = Self([u128::MAX; 2]);

    pub(super) fn of(ranges: &[(u8, u8)]) -> Self {
        let mut set = Self::default();
        for (first, last) in ranges {
            set.add_range(*first, *last);
        }
        set
    }

    pub(super) fn add(&mut self, byte: u8) {
        let [low, high] = &mut self.0;
        let half = if byte < 128 { low } else { high };
        *half |= 1 << (byte % 128);
    }

    pub(super) fn add_range(&mut self, first: u8, last: u8) {
        for byte in first..=last {
            self.add(byte);
        }
    }

    pub(super) fn contains(&self, byte: u8) -> bool {
        let [low, high] = self.0;
        let half = if byte < 128 { low } else { high };
        half >> (byte % 128) & 1 == 1
    }

    pub(super) fn united(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([a | c, b | d])
    }

    pub(super) fn negated(self) -> Self {
        let [low, high] = self.0;
        Self([!low, !high])
    }

    /// With the other case of every letter.
    pub(super) fn folded(self) -> Self {
        let mut folded = self;
        for byte in (0..=u8::MAX).filter(|byte| self.contains(*byte)) {
            folded.add(other_case(byte));
        }
        folded
    }

    /// The set as disjoint ranges, ascending.
    pub(super) fn ranges(&self) -> Vec<(u8, u8)> {
        let mut ranges: Vec<(u8, u8)> = Vec::new();
        for byte in (0..=u8::MAX).filter(|byte| self.contains(*byte)) {
            match ranges.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(byte) => *last = byte,
                _ => ranges.push((byte, byte)),
            }
        }
        ranges
    }
}

/// The other case of a Latin-1 letter, if it is in Latin-1; any other byte is unchanged.
pub(super) fn other_case(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' => byte ^ 0x20,
        // × and ÷ lie among the letters, ß and ÿ have no other case in Latin-1.
        0xd7 | 0xf7 | 0xdf | 0xff => byte,
        0xc0..=0xfe => byte ^ 0x20,
        _ => byte,
    }
}

/// `\d`, `\s`, `\w` and their negations.
pub(super) fn perl(letter: u8) -> Option<ByteSet> {
    let set = match letter.to_ascii_lowercase() {
        b'd' => ByteSet::of(&[(b'0', b'9')]),
        b's' => ByteSet::of(&[(b'\t', b'\n'), (0x0c, b'\r'), (b' ', b' ')]),
        b'w' => ByteSet::of(&WORD),
        _ => return None,
    };
    Some(if letter.is_ascii_uppercase() {
        set.negated()
    } else {
        set
    })
}

const WORD: [(u8, u8); 4] = [(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')];

/// The class of a name between `[:` and `:]`.
pub(super) fn posix(name: &[u8]) -> Option<ByteSet> {
    Some(match name {
        b"alnum" => ByteSet::of(&[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')]),
        b"alpha" => ByteSet::of(&[(b'A', b'Z'), (b'a', b'z')]),
        b"ascii" => ByteSet::of(&[(0, 0x7f)]),
        b"blank" => ByteSet::of(&[(b'\t', b'\t'), (b' ', b' ')]),
        b"cntrl" => ByteSet::of(&[(0, 0x1f), (0x7f, 0x7f)]),
        b"digit" => ByteSet::of(&[(b'0', b'9')]),
        b"graph" => ByteSet::of(&[(b'!', b'~')]),
        b"lower" => ByteSet::of(&[(b'a', b'z')]),
        b"print" => ByteSet::of(&[(b' ', b'~')]),
        b"punct" => ByteSet::of(&[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')]),
        b"space" => ByteSet::of(&[(b'\t', b'\r'), (b' ', b' ')]),
        b"upper" => ByteSet::of(&[(b'A', b'Z')]),
        b"word" => ByteSet::of(&WORD),
        b"xdigit" => ByteSet::of(&[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')]),
        _ => return None,
    })
}

/// The general categories, which RE2 knows besides scripts.
const CATEGORIES: [&str; 38] = [
    "C", "Cc", "Cf", "Cn", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn",
    "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm",
    "So", "Z", "Zl", "Zp", "Zs", "Any",
];

/// The part of a Unicode class within Latin-1: a general category, or a script by its full name.
pub(super) fn unicode(name: &str, fold: bool) -> Option<ByteSet> {
    let pattern = if name == "Any" {
        return Some(ByteSet::ALL);
    } else if CATEGORIES.contains(&name) {
        format!(r"\p{{gc={name}}}")
    } else if is_script_name(name) {
        format!(r"\p{{sc={name}}}")
    } else {
        return None;
    };
    let hir = regex_syntax::ParserBuilder::new()
        .case_insensitive(fold)
        .build()
        .parse(&pattern)
        .ok()?;
    let mut set = ByteSet::default();
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            for range in class.ranges() {
                if let Ok(first) = u8::try_from(range.start()) {
                    set.add_range(first, u8::try_from(range.end()).unwrap_or(u8::MAX));
                }
            }
        }
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            text.chars()
                .filter_map(|letter| u8::try_from(letter).ok())
                .for_each(|byte| set.add(byte));
        }
        _ => {}
    }
    Some(set)
}

/// Names as RE2 spells them: `Greek`, `Old_Italic`. Without this the lookup would ignore case.
fn is_script_name(name: &str) -> bool {
    !name.is_empty()
        && name.split('_').all(|word| {
            let mut letters = word.bytes();
            letters
                .next()
                .is_some_and(|first| first.is_ascii_alphabetic())
                && letters.all(|letter| letter.is_ascii_lowercase())
        })
        && name.starts_with(|first: char| first.is_ascii_uppercase())
}
