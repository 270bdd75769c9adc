use serde::{Deserialize, Serialize};

use super::Salt;
use super::time::units::{CalendarFormat, TimeUnit};
use crate::key::time::bucket::Bucket;

/// How the values of a segment are written. Every format keeps the order of the values it accepts.
///
/// | format | bytes |
/// |---|---|
/// | `Padded` | the string, then pads up to the width |
/// | `Variable` | the string or text; ends at the separator or at the key's end |
/// | `Escaped` | like `Variable`, with bytes up to separator + 1 written as two |
/// | `Rest` | the bytes, unchanged; last in the key |
/// | `Hex` | two lower-case digits for each of the `len` bytes |
/// | `Raw` | the bytes of an array or a UUID, unchanged |
/// | `Digits` | decimal, with leading zeros |
/// | `SignedDigits` | `0` and the digits, or `-` and 10^(width-1) - \|x\| |
/// | `BigEndian` | unsigned, big-endian; `char` as 4 bytes |
/// | `SignedBigEndian` | big-endian with the sign bit flipped |
/// | `FloatBits` | IEEE 754 total order: sign bit flipped, all bits flipped when negative |
/// | `Bool` | `0` or `1`, or the byte 00 or 01 |
/// | `Char` | UTF-8 |
/// | `Uuid` | hyphenated, lower case |
/// | `Ticks` | decimal units since 1970, with leading zeros; reversed: the largest value minus them |
/// | `BinaryTicks` | units since 1970 as 8 bytes big-endian, sign bit flipped; reversed: `i64::MAX` minus them |
/// | `Calendar` | by a format, in UTC |
/// | `Bucket` | the bucket that holds a time, by its label; read as the bucket's beginning |
/// | `Salt` | a shard number, computed from other segments |
/// | `CodedText` | in Bigtable's ordered code the string, with 00 as 00 FF; empty is 00 00 |
/// | `CodedInt` | in ordered code an `i64` in one to ten bytes, fewer near 0, with 00 as 00 FF |
/// | `CodedTicks` | in ordered code microseconds since 1970 like `CodedInt`; multiples of the unit |
/// | `CodedBytes` | in ordered code the bytes of an array or a UUID, with 00 as 00 FF |
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "the table above says what each is; `width` is in bytes of the key, `len` in bytes of the value, `escape` is whether a text may hold 00, `last` whether it ends the key"
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

impl SegmentFormat {
    /// How many bytes every value takes; `None` if it depends on the value.
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

/// The bytes of a hyphenated UUID.
pub(super) const UUID_TEXT_BYTES: usize = 36;
