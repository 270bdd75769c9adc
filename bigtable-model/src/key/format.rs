use std::fmt;

use serde::{Deserialize, Serialize};

use super::time::calendar::FromUtc;
use super::time::units::{CalendarFormat, TimeUnit};
use super::{Salt, SaltHash};
use crate::key::encoding::hex::UUID_TEXT_BYTES;
use crate::key::time::bucket::Bucket;

/// How the values of a segment are written. Every format keeps the order of the values it accepts.
///
/// | format | in a template | bytes |
/// |---|---|---|
/// | `Padded` | `{exchange:<6}`; `{exchange:_<6}` when the pad is not a space | the string, then pads up to the width |
/// | `Variable` | `{host}` | the string or text; ends at the separator or at the key's end |
/// | `Escaped` | `{path:escape}` | like `Variable`, with bytes up to separator + 1 written as two |
/// | `Rest` | `{tail:bytes}` | the bytes, unchanged; last in the key |
/// | `Hex` | `{hash:032x}`, by the digits | two lower-case digits for each of the `len` bytes |
/// | `Raw` | `{hash:16 bytes}` | the bytes of an array or a UUID, unchanged |
/// | `Digits` | `{port:05}` | decimal, with leading zeros |
/// | `SignedDigits` | `{level:+020}` | `0` and the digits, or `-` and 10^(width-1) - \|x\| |
/// | `BigEndian` | `{port:be2}` | unsigned, big-endian; `char` as 4 bytes |
/// | `SignedBigEndian` | `{level:+be8}` | big-endian with the sign bit flipped |
/// | `FloatBits` | `{price:float8}` | IEEE 754 total order: sign bit flipped, all bits flipped when negative |
/// | `Bool` | `{live:0/1}`; `{live:00/01}` for a byte | `0` or `1`, or the byte 00 or 01 |
/// | `Char` | `{grade:char}` | UTF-8 |
/// | `Uuid` | `{id:uuid}` | hyphenated, lower case |
/// | `Ticks` | `{at:013ms}`, `{at:rev 019us}` | decimal units since 1970, with leading zeros; reversed: the largest value minus them |
/// | `BinaryTicks` | `{at:be8 us}`, `{at:rev be8 us}` | units since 1970 as 8 bytes big-endian, sign bit flipped; reversed: `i64::MAX` minus them |
/// | `Calendar` | `{at:%Y%m%d}`, `{at:%Y%m%d%H in -07:00}` | by a format, in UTC or at an offset |
/// | `Bucket` | its label: `{at:%Y%m%d}`, `{at:week{n}}`; nothing for one without an end | the bucket that holds a time, by its label; read as the bucket's beginning |
/// | `Salt` | `{salt:02 of 64}`; `{salt:02 of 64 by fnv1a}` with a custom hash | a shard number, computed from other segments |
/// | `CodedText` | `{exchange:code}`; `{path:code escape}` | in Bigtable's ordered code the string, with 00 as 00 FF; empty is 00 00 |
/// | `CodedInt` | `{port:code}` | in ordered code an `i64` in one to ten bytes, fewer near 0, with 00 as 00 FF |
/// | `CodedTicks` | `{at:code us}` | in ordered code microseconds since 1970 like `CodedInt`; multiples of the unit |
/// | `CodedBytes` | `{hash:code 16 bytes}` | in ordered code the bytes of an array or a UUID, with 00 as 00 FF |
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "the table above says what each is; `width` is in bytes of the key, `len` in bytes of the value, `escape` is whether a text may hold 00, `last` whether it ends the key; `offset_seconds` is how far the clock of a format is ahead of UTC"
)]
pub enum SegmentFormat {
    Padded {
        width: u16,
        pad: u8,
    },
    Variable,
    Escaped,
    Rest,
    Hex {
        len: u16,
    },
    Raw {
        len: u16,
    },
    Digits {
        width: u16,
    },
    SignedDigits {
        width: u16,
    },
    BigEndian {
        len: u16,
    },
    SignedBigEndian {
        len: u16,
    },
    FloatBits {
        len: u16,
    },
    Bool {
        binary: bool,
    },
    Char,
    Uuid,
    Ticks {
        unit: TimeUnit,
        width: u16,
        reverse: bool,
        truncate: bool,
    },
    BinaryTicks {
        unit: TimeUnit,
        reverse: bool,
        truncate: bool,
    },
    Calendar {
        format: CalendarFormat,
        truncate: bool,
        #[serde(default, skip_serializing_if = "is_zero")]
        offset_seconds: i32,
    },
    Bucket(Bucket),
    Salt(Salt),
    CodedText {
        escape: bool,
        last: bool,
    },
    CodedInt,
    CodedTicks {
        unit: TimeUnit,
        truncate: bool,
    },
    CodedBytes {
        len: u16,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(number: &i32) -> bool {
    *number == 0
}

impl SegmentFormat {
    /// The length of every value in bytes; `None` if it depends on the value.
    #[must_use]
    #[inline(always)]
    pub const fn fixed_len(&self) -> Option<usize> {
        Some(match self {
            Self::Variable
            | Self::Escaped
            | Self::Rest
            | Self::Char
            | Self::CodedText { .. }
            | Self::CodedInt
            | Self::CodedTicks { .. }
            | Self::CodedBytes { .. } => return None,
            Self::Padded { width, .. }
            | Self::Digits { width }
            | Self::SignedDigits { width }
            | Self::Ticks { width, .. } => *width as usize,
            Self::Hex { len } => *len as usize * 2,
            Self::Raw { len }
            | Self::BigEndian { len }
            | Self::SignedBigEndian { len }
            | Self::FloatBits { len } => *len as usize,
            Self::Bool { .. } => 1,
            Self::Uuid => UUID_TEXT_BYTES,
            Self::BinaryTicks { .. } => 8,
            Self::Calendar { format, .. } => return Some(format.byte_len()),
            Self::Bucket(bucket) => return bucket.label.fixed_len(),
            Self::Salt(salt) => salt.width() as usize,
        })
    }

    /// Whether a text is written with escapes, which only [`Escaped`](super::Escaped) reads.
    pub(super) const fn is_escaped(&self) -> bool {
        matches!(self, Self::Escaped | Self::CodedText { escape: true, .. })
    }

    /// Whether keys sort like the segment's values, or in reverse. Only labels of buckets may have
    /// another order.
    #[must_use]
    pub const fn sorts(&self) -> bool {
        match self {
            Self::Bucket(bucket) => bucket.sorts(),
            _ => true,
        }
    }

    /// Whether later times sort first.
    #[must_use]
    #[inline]
    pub const fn is_reversed(&self) -> bool {
        match self {
            Self::Ticks { reverse, .. } | Self::BinaryTicks { reverse, .. } => *reverse,
            Self::Bucket(bucket) => bucket.is_reversed(),
            _ => false,
        }
    }
}

/// The text after the colon in the [`KeyLayout`](super::KeyLayout)'s template.
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
            Self::Calendar {
                format,
                offset_seconds: 0,
                ..
            } => write!(f, "{format}"),
            Self::Calendar {
                format,
                offset_seconds,
                ..
            } => write!(f, "{format} in {}", FromUtc(*offset_seconds)),
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
