//! Finds segments that could never hold their type's values at compile time, not at the first write
//! of an event.

use super::{SegmentFormat, SegmentKind, SegmentOptions};

/// No ASCII letter or digit is above this byte.
const ABOVE_LETTERS: u8 = b'z';

impl SegmentFormat {
    /// Why a segment of `kind` with these options cannot be stored under a separator, and what to
    /// write instead. `names`: all values of a type with a fixed set of names.
    pub(crate) const fn unstorable(
        kind: SegmentKind,
        options: SegmentOptions,
        names: Option<&[&str]>,
        separator: &str,
    ) -> Option<&'static str> {
        let separator = match separator.as_bytes() {
            [first, ..] => *first,
            [] => 0,
        };
        let format = Self::of(kind, options);
        let told = match (&format, names) {
            (Self::Variable | Self::CodedText { escape: false, .. }, Some(names))
                if any_holds_below(names, separator.saturating_add(1)) =>
            {
                Some(
                    "one of its names holds a byte that is not above the separator, and could never be stored: write `escape` or a `width`, another name, or a lower `separator` such as \"#\"",
                )
            }
            (Self::Variable, None) if separator >= ABOVE_LETTERS => Some(
                "text ends at the separator, and no letter or digit is above this one: write `escape` or a `width`, or a lower `separator` such as \"#\"",
            ),
            (Self::Char, _) if separator >= ABOVE_LETTERS => Some(
                "a character ends at the separator, and no letter or digit is above this one: write `binary`, or a lower `separator` such as \"#\"",
            ),
            (Self::Padded { width, pad }, Some(names)) => unpadded(names, *width, *pad),
            _ => None,
        };
        // It borrows constants, which have no destructors to run.
        std::mem::forget(format);
        told
    }
}

/// Why one of the names does not fit into a width.
const fn unpadded(mut names: &[&str], width: u16, pad: u8) -> Option<&'static str> {
    if any_holds_below(names, pad) {
        return Some(
            "one of its names holds a byte that sorts before the pad, and could never be stored: write another name or `pad`",
        );
    }
    while let [name, rest @ ..] = names {
        if name.len() > width as usize {
            return Some(
                "one of its names is longer than the width, and could never be stored: write a larger `width`",
            );
        }
        if let [.., last] = name.as_bytes()
            && *last == pad
        {
            return Some(
                "one of its names ends in the pad, and could never be stored: write another name or `pad`",
            );
        }
        names = rest;
    }
    None
}

/// Whether one of the names has a byte below a limit.
const fn any_holds_below(mut names: &[&str], limit: u8) -> bool {
    while let [name, rest @ ..] = names {
        let mut bytes = name.as_bytes();
        while let [byte, others @ ..] = bytes {
            if *byte < limit {
                return true;
            }
            bytes = others;
        }
        names = rest;
    }
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::key::{KeyLayout, Segment, SegmentRole, SegmentValue};

    const NONE: SegmentOptions = SegmentOptions::NONE;

    fn separators() -> impl Iterator<Item = String> {
        let marks = (b' '..=b'~').filter(|byte| !byte.is_ascii_alphanumeric());
        marks.map(|byte| char::from(byte).to_string())
    }

    /// Whether a key of this segment and another can be written for one of the values.
    fn is_stored(
        kind: SegmentKind,
        options: SegmentOptions,
        separator: &str,
        value: SegmentValue,
    ) -> bool {
        let segment = |kind, format| Segment {
            name: "s".into(),
            role: SegmentRole::Identifier,
            kind,
            format,
        };
        let id = SegmentKind::Unsigned { bits: 8 };
        let layout = KeyLayout {
            prefix: "".into(),
            separator: separator.to_owned().into(),
            enclosed: false,
            segments: vec![
                segment(kind, SegmentFormat::of(kind, options)),
                segment(id, SegmentFormat::of(id, NONE)),
            ]
            .into(),
        };
        let values = [value, SegmentValue::Unsigned(7)];
        let mut key = Vec::new();
        layout
            .encode(&values, &mut key)
            .is_ok_and(|()| layout.decode(&key).unwrap() == values)
    }

    /// Names are refused if and only if no key can hold one of them, under any separator.
    #[test]
    fn names_are_refused_when_one_of_them_is() {
        let sets: [&[&str]; 6] = [
            &["Nasdaq", "Nyse"],
            &["nasdaq"],
            &["NYSE-ARCA", "NYSE"],
            &["9a"],
            &["größe"],
            &["a b"],
        ];
        let width = |width, pad| SegmentOptions {
            width: Some(width),
            pad,
            ..NONE
        };
        let escape = SegmentOptions {
            escape: true,
            ..NONE
        };
        let options = [
            NONE,
            escape,
            width(4, None),
            width(9, Some(b'a')),
            width(9, Some(b'e')),
            width(20, Some(b'~')),
        ];
        let mut refused = 0;
        for separator in separators() {
            for names in sets {
                for options in options {
                    let text = |name: &&str| SegmentValue::String((*name).to_owned());
                    let stored = names
                        .iter()
                        .map(text)
                        .all(|name| is_stored(SegmentKind::String, options, &separator, name));
                    let told = SegmentFormat::unstorable(
                        SegmentKind::String,
                        options,
                        Some(names),
                        &separator,
                    );
                    assert_eq!(
                        told.is_none(),
                        stored,
                        "{names:?} under {separator}: {told:?}"
                    );
                    refused += usize::from(!stored);
                }
            }
        }
        assert!(refused > 100);
    }

    #[test]
    fn text_needs_letters_or_digits() {
        let letters = || {
            (b'0'..=b'z')
                .map(char::from)
                .filter(char::is_ascii_alphanumeric)
        };
        for separator in separators() {
            let told = |kind, options| SegmentFormat::unstorable(kind, options, None, &separator);
            let text = letters().any(|letter| {
                let value = SegmentValue::String(letter.to_string());
                is_stored(SegmentKind::String, NONE, &separator, value)
            });
            assert_eq!(
                told(SegmentKind::String, NONE).is_none(),
                text,
                "{separator}"
            );
            let chars = letters().any(|letter| {
                is_stored(
                    SegmentKind::Char,
                    NONE,
                    &separator,
                    SegmentValue::Char(letter),
                )
            });
            assert_eq!(
                told(SegmentKind::Char, NONE).is_none(),
                chars,
                "{separator}"
            );
            assert_eq!(text, !["{", "|", "}", "~"].contains(&separator.as_str()));
            let binary = SegmentOptions {
                binary: true,
                ..NONE
            };
            assert_eq!(told(SegmentKind::Char, binary), None);
            assert!(is_stored(
                SegmentKind::Char,
                binary,
                &separator,
                SegmentValue::Char('a')
            ));
            for number in [i128::MIN, -1, 0, i128::MAX] {
                let value = SegmentValue::Signed(number);
                assert!(is_stored(
                    SegmentKind::Signed { bits: 128 },
                    NONE,
                    &separator,
                    value
                ));
            }
        }
    }
}
