//! Layouts, formats and kinds in one line for people.

use std::fmt::{self, Write as _};

use crate::key::{
    CalendarFormat, CalendarItem, KeyLayout, SaltHash, Segment, SegmentFormat, SegmentKind,
    TimeUnit,
};

/// The template of a key: prefix and segments in order, each segment in braces.
///
/// | format | template |
/// |---|---|
/// | `Padded` | `{exchange:<6}`; `{exchange:_<6}` when the pad is not a space |
/// | `Variable` | `{host}` |
/// | `Escaped` | `{path:escape}` |
/// | `Rest` | `{tail:bytes}` |
/// | `Hex` | `{hash:032x}`, by the digits |
/// | `Raw` | `{hash:16 bytes}` |
/// | `Digits` | `{port:05}` |
/// | `SignedDigits` | `{level:+020}` |
/// | `BigEndian`, `SignedBigEndian` | `{port:be2}`, `{level:+be8}` |
/// | `FloatBits` | `{price:float8}` |
/// | `Bool` | `{live:0/1}`; `{live:00/01}` for a byte |
/// | `Char` | `{grade:char}` |
/// | `Uuid` | `{id:uuid}` |
/// | `Ticks` | `{at:013ms}`, `{at:rev 019us}` |
/// | `BinaryTicks` | `{at:be8 us}`, `{at:rev be8 us}` |
/// | `Calendar` | `{at:%Y%m%d}` |
/// | `Bucket` | its label: `{at:%Y%m%d}`, `{at:week{n}}`; nothing for one without an end |
/// | `Salt` | `{salt:02 of 64}`; `{salt:02 of 64 by fnv1a}` with a custom hash |
/// | `CodedText`, `CodedInt` | `{exchange:code}`; `{path:code escape}` |
/// | `CodedTicks` | `{at:code us}` |
/// | `CodedBytes` | `{hash:code 16 bytes}` |
///
/// The separator of ordered code is written as `\x00\x01`.
///
/// `truncate` changes no key's form and is not shown.
impl fmt::Display for KeyLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let around = if self.enclosed { &*self.separator } else { "" };
        write!(f, "{around}{}", self.prefix)?;
        let present = self.segments.iter().filter(|segment| !segment.is_absent());
        for (at, segment) in present.enumerate() {
            if at > 0 || !self.prefix.is_empty() {
                match &*self.separator {
                    KeyLayout::ORDERED_CODE => {
                        write!(f, "{}", self.separator.as_bytes().escape_ascii())?
                    }
                    separator => f.write_str(separator)?,
                }
            }
            write!(f, "{segment}")?;
        }
        f.write_str(around)
    }
}

/// The segment's part of the [`KeyLayout`]'s template.
impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.format {
            SegmentFormat::Variable => write!(f, "{{{}}}", self.name),
            format => write!(f, "{{{}:{format}}}", self.name),
        }
    }
}

/// The text after the colon in the [`KeyLayout`]'s template.
impl fmt::Display for SegmentFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reversed = if self.is_reversed() { "rev " } else { "" };
        match self {
            Self::Padded { width, pad: b' ' } => write!(f, "<{width}"),
            Self::Padded { width, pad } => write!(f, "{}<{width}", pad.escape_ascii()),
            Self::Variable => f.write_str("variable"),
            Self::Escaped => f.write_str("escape"),
            Self::Rest => f.write_str("bytes"),
            Self::Hex { len } => write!(f, "0{}x", u32::from(*len) * 2),
            Self::Raw { len } => write!(f, "{len} bytes"),
            Self::Digits { width } => write!(f, "0{width}"),
            Self::SignedDigits { width } => write!(f, "+0{width}"),
            Self::BigEndian { len } => write!(f, "be{len}"),
            Self::SignedBigEndian { len } => write!(f, "+be{len}"),
            Self::FloatBits { len } => write!(f, "float{len}"),
            Self::Bool { binary: false } => f.write_str("0/1"),
            Self::Bool { binary: true } => f.write_str("00/01"),
            Self::Char => f.write_str("char"),
            Self::Uuid => f.write_str("uuid"),
            Self::Ticks { unit, width, .. } => write!(f, "{reversed}0{width}{unit}"),
            Self::BinaryTicks { unit, .. } => write!(f, "{reversed}be8 {unit}"),
            Self::Calendar { format, .. } => write!(f, "{format}"),
            Self::Bucket(bucket) => write!(f, "{bucket}"),
            Self::Salt(salt) => {
                write!(f, "0{} of {}", salt.width(), salt.shards)?;
                match salt.first {
                    0 => {}
                    first => write!(f, " from {first}")?,
                }
                match salt.hash {
                    SaltHash::Xxh64 => Ok(()),
                    own => write!(f, " by {own}"),
                }
            }
            Self::CodedText { escape: true, .. } => f.write_str("code escape"),
            Self::CodedText { .. } | Self::CodedInt => f.write_str("code"),
            Self::CodedTicks { unit, .. } => write!(f, "code {unit}"),
            Self::CodedBytes { len } => write!(f, "code {len} bytes"),
        }
    }
}

/// `s`, `ms` or `us`, as in `unit = "ms"`.
impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seconds => "s",
            Self::Millis => "ms",
            Self::Micros => "us",
        })
    }
}

/// The format's text, as in `format = "%Y%m%d"`.
impl fmt::Display for CalendarFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for item in self.items.iter() {
            match item {
                CalendarItem::Field(field) => f.write_str(field.directive())?,
                CalendarItem::Unpadded(field) => {
                    f.write_str(&field.directive().replacen('%', "%-", 1))?;
                }
                CalendarItem::Literal(text) => {
                    for part in text.chars() {
                        match part {
                            '%' => f.write_str("%%")?,
                            part => f.write_char(part)?,
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for SegmentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String => f.write_str("string"),
            Self::Bytes => f.write_str("byte string"),
            Self::ByteArray { len } => write!(f, "array of {len} bytes"),
            Self::Unsigned { bits } => write!(f, "u{bits}"),
            Self::Signed { bits } => write!(f, "i{bits}"),
            Self::Float { bits } => write!(f, "f{bits}"),
            Self::Bool => f.write_str("bool"),
            Self::Char => f.write_str("char"),
            Self::Uuid => f.write_str("UUID"),
            Self::Time => f.write_str("time"),
            Self::Date => f.write_str("date"),
        }
    }
}
