use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::key::{CalendarFormat, CalendarItem, TimeUnit, borrow};

/// A span of time that shares a row, and how it is written in the row key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bucket {
    /// Its length.
    pub span: BucketSpan,
    /// The IANA name of the time zone of its days, weeks, months or years; UTC if `None`. Shorter
    /// spans have none.
    pub zone: Option<Cow<'static, str>>,
    /// How it is written in the key.
    pub label: BucketLabel,
    /// The events' times are multiples of this, in microseconds since 1970.
    pub grid_micros: i64,
    /// Whether other times are rounded down to the grid; if not, they are refused.
    pub truncate: bool,
}

/// The length of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum BucketSpan {
    /// A minute of UTC.
    Minute,
    /// An hour of UTC.
    Hour,
    /// A day.
    Day,
    /// An ISO week: it begins on Monday.
    Week,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
    /// A fixed duration, counted from 1970.
    Every {
        /// Its microseconds.
        micros: i64,
    },
    /// A whole series in one row: the key has no label.
    Endless,
}

/// How a bucket is written in the row key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum BucketLabel {
    /// The start of the bucket by calendar fields in the bucket's zone: `%Y%m%d`, `%G-W%V`.
    Calendar(CalendarFormat),
    /// The start of the bucket as units since 1970, with leading zeros; reversed: the largest value
    /// minus them.
    Start {
        /// The unit.
        unit: TimeUnit,
        /// The digits.
        width: u16,
        /// Later buckets first.
        reverse: bool,
    },
    /// The same as 8 bytes big-endian with the sign bit flipped.
    BinaryStart {
        /// The unit.
        unit: TimeUnit,
        /// Later buckets first.
        reverse: bool,
    },
    /// The start of the bucket as whole durations since a time, with leading zeros; reversed: the
    /// largest value minus them. Buckets that begin before that time have no label.
    Units {
        /// The microseconds of a duration.
        micros: i64,
        /// The time from which they are counted.
        origin: Timestamp,
        /// The digits.
        width: u16,
        /// Later buckets first.
        reverse: bool,
    },
    /// A number counted from 1 at the bucket that contains `origin`, with text around it:
    /// `week{n}`.
    Counted {
        /// A time in the first bucket.
        origin: Timestamp,
        /// The text before the number.
        before: Cow<'static, str>,
        /// The text after it.
        after: Cow<'static, str>,
        /// Its digits, with leading zeros; 0 for as many as needed, but such labels do not sort
        /// like the buckets.
        width: u16,
    },
    /// Nothing, for [`BucketSpan::Endless`].
    Absent,
}

impl BucketLabel {
    /// The length of every label in bytes; `None` if it depends on the bucket.
    #[must_use]
    pub const fn fixed_len(&self) -> Option<usize> {
        Some(match self {
            Self::Calendar(format) if format.is_padded() => format.byte_len(),
            Self::Start { width, .. } | Self::Units { width, .. } => *width as usize,
            Self::BinaryStart { .. } => 8,
            Self::Absent => 0,
            Self::Counted {
                before,
                after,
                width,
                ..
            } if *width > 0 => {
                borrow::bytes(before).len() + *width as usize + borrow::bytes(after).len()
            }
            Self::Calendar(_) | Self::Counted { .. } => return None,
        })
    }
}

impl BucketLabel {
    /// Whether the separator ends a label: its bytes must be above the separator, unless its width
    /// is fixed.
    pub(crate) const fn ends_before(&self, separator: &[u8]) -> bool {
        let [separator, ..] = separator else {
            return false;
        };
        if self.fixed_len().is_some() {
            return true;
        }
        match self {
            Self::Counted { before, after, .. } => {
                b'0' > *separator
                    && is_above(borrow::bytes(before), *separator)
                    && is_above(borrow::bytes(after), *separator)
            }
            Self::Calendar(format) => {
                let mut rest = format.items();
                while let [item, tail @ ..] = rest {
                    if let CalendarItem::Literal(text) = item
                        && !is_above(borrow::bytes(text), *separator)
                    {
                        return false;
                    }
                    rest = tail;
                }
                b'0' > *separator
            }
            Self::Start { .. } | Self::Units { .. } | Self::BinaryStart { .. } | Self::Absent => {
                true
            }
        }
    }
}

const fn is_above(mut text: &[u8], limit: u8) -> bool {
    while let [byte, rest @ ..] = text {
        if *byte <= limit {
            return false;
        }
        text = rest;
    }
    true
}

impl Bucket {
    /// Whether later buckets sort first.
    #[must_use]
    pub const fn is_reversed(&self) -> bool {
        matches!(
            self.label,
            BucketLabel::Start { reverse: true, .. }
                | BucketLabel::Units { reverse: true, .. }
                | BucketLabel::BinaryStart { reverse: true, .. }
        )
    }

    /// Whether labels sort like the buckets, or in reverse.
    #[must_use]
    pub const fn sorts(&self) -> bool {
        match &self.label {
            BucketLabel::Calendar(format) => format.is_padded() && format.is_from_coarse_to_fine(),
            BucketLabel::Counted { width, .. } => *width > 0,
            BucketLabel::Start { .. }
            | BucketLabel::Units { .. }
            | BucketLabel::BinaryStart { .. }
            | BucketLabel::Absent => true,
        }
    }

    /// Whether a whole series is in one row, and the key has no label.
    #[must_use]
    pub const fn is_endless(&self) -> bool {
        matches!(self.span, BucketSpan::Endless)
    }
}

/// Microseconds in the coarsest unit that divides them: `100s`, `15m`.
struct Span(i64);

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let units = [
            ("d", 86_400_000_000),
            ("h", 3_600_000_000),
            ("m", 60_000_000),
            ("s", 1_000_000),
            ("ms", 1_000),
        ];
        let whole = units.iter().find(|(_, micros)| self.0 % micros == 0);
        let (unit, micros) = whole.copied().unwrap_or(("us", 1));
        write!(f, "{}{unit}", self.0 / micros)
    }
}

/// The text after the colon in the key's template: `day %Y%m%d`, `week week{n}`.
impl std::fmt::Display for Bucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.label {
            BucketLabel::Calendar(format) => write!(f, "{format}"),
            BucketLabel::Start {
                unit,
                width,
                reverse,
            } => {
                write!(f, "{}0{width}{unit}", if *reverse { "rev " } else { "" })
            }
            BucketLabel::Units {
                micros,
                width,
                reverse,
                ..
            } => {
                let reversed = if *reverse { "rev " } else { "" };
                write!(f, "{reversed}0{width} of {}", Span(*micros))
            }
            BucketLabel::BinaryStart { unit, reverse } => {
                write!(f, "{}be8 {unit}", if *reverse { "rev " } else { "" })
            }
            BucketLabel::Counted {
                before,
                after,
                width: 0,
                ..
            } => write!(f, "{before}{{n}}{after}"),
            BucketLabel::Counted {
                before,
                after,
                width,
                ..
            } => write!(f, "{before}{{n:0{width}}}{after}"),
            BucketLabel::Absent => f.write_str("no bucket"),
        }
    }
}
