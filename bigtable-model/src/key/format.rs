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
/// | `Escaped` | as `Variable`, with bytes up to separator + 1 written as two |
/// | `Rest` | bytes as they are; last in the key |
/// | `Hex` | two lower-case digits for each of the `len` bytes |
/// | `Raw` | the bytes of an array or a UUID as they are |
/// | `Digits` | decimal, zeros in front |
/// | `SignedDigits` | `0` and the digits, or `-` and 10^(width-1) - \|x\| |
/// | `BigEndian` | unsigned, big-endian; `char` as 4 bytes |
/// | `SignedBigEndian` | big-endian with the sign bit flipped |
/// | `FloatBits` | IEEE 754 total order: sign bit flipped, all bits flipped when negative |
/// | `Bool` | `0` or `1`, or the byte 00 or 01 |
/// | `Char` | UTF-8 |
/// | `Uuid` | hyphenated, lower case |
/// | `Ticks` | decimal units since 1970, zeros in front; reversed: the largest value minus them |
/// | `BinaryTicks` | units since 1970 as 8 bytes big-endian, sign bit flipped; reversed: `i64::MAX` minus them |
/// | `Calendar` | by a format, in UTC |
/// | `Bucket` | the bucket that holds a time, by its label; read as the bucket's beginning |
/// | `Salt` | a shard's number, made from other segments |
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "the table above says what each is; `width` is in bytes of the key, `len` in bytes of the value"
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
}

impl SegmentFormat {
    /// How many bytes every value takes; none where it depends on the value.
    #[must_use]
    #[inline(always)]
    pub const fn fixed_len(&self) -> Option<usize> {
        Some(match self {
            Self::Variable | Self::Escaped | Self::Rest | Self::Char => return None,
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

    /// Whether keys stand in the order of the segment's values, or in reverse. Only labels of
    /// buckets may have another order.
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
