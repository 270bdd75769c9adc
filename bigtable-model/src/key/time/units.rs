//! Units of time and calendar formats, as plain data.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The unit in which a time is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimeUnit {
    /// Seconds, 10 digits.
    Seconds,
    /// Milliseconds, 13 digits.
    Millis,
    /// Microseconds, 16 digits.
    Micros,
}

/// A calendar format: fields from the year down, each once, with literal text between them.
///
/// Its text in attributes and in `Display` follows `strftime`: `%Y%m%d`, `%Y-%m-%d-%H%M`,
/// `%Y%m%d%H%M%S%3f`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CalendarFormat {
    /// Fields and literals in order.
    pub items: Cow<'static, [CalendarItem]>,
}

/// A part of a [`CalendarFormat`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CalendarItem {
    /// A field in its fixed number of digits.
    Field(CalendarField),
    /// Literal text.
    Literal(Cow<'static, str>),
    /// A field without leading zeros: `%-d`. In labels of buckets and offsets only, since such text
    /// does not sort.
    Unpadded(CalendarField),
}

/// A field of a calendar format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum CalendarField {
    /// `%Y`, 4 digits, 1970 to 9999.
    Year,
    /// `%m`, 2 digits.
    Month,
    /// `%d`, 2 digits.
    Day,
    /// `%j`, the day of the year in 3 digits, instead of month and day.
    DayOfYear,
    /// `%H`, 2 digits.
    Hour,
    /// `%M`, 2 digits.
    Minute,
    /// `%S`, 2 digits.
    Second,
    /// `%3f`, 3 digits.
    Millisecond,
    /// `%6f`, 6 digits.
    Microsecond,
    /// `%G`, 4 digits: the year of the ISO week. In labels of weeks only.
    IsoYear,
    /// `%V`, 2 digits: the ISO week. In labels of weeks only.
    IsoWeek,
}

impl TimeUnit {
    /// Microseconds in one unit.
    #[must_use]
    #[inline]
    pub const fn micros(self) -> i64 {
        match self {
            Self::Seconds => 1_000_000,
            Self::Millis => 1_000,
            Self::Micros => 1,
        }
    }

    /// The unit's name in the singular.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seconds => "second",
            Self::Millis => "millisecond",
            Self::Micros => "microsecond",
        }
    }

    /// The default number of digits of a text segment: 10, 13 or 16, enough until the year 2286.
    #[must_use]
    pub const fn digits(self) -> u16 {
        match self {
            Self::Seconds => 10,
            Self::Millis => 13,
            Self::Micros => 16,
        }
    }
}
