//! SQL's instants and days.

use std::fmt;

use jiff::SignedDuration;
use jiff::civil;
use serde::de::{Deserialize, Deserializer, Error as _};

use crate::Timestamp;

/// A `TIMESTAMP`: an instant up to the end of the year 9999, in nanoseconds.
///
/// ```
/// use bigtable_backend::Timestamp;
/// use bigtable_backend::sql::SqlTimestamp;
///
/// let at = SqlTimestamp::from(Timestamp::from_millis(1_426_535_612_156));
/// assert_eq!(at.to_string(), "2015-03-16T19:53:32.156Z");
/// assert_eq!(at.timestamp(), Some(Timestamp::from_millis(1_426_535_612_156)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SqlTimestamp {
    seconds: i64,
    nanos: u32,
}

/// A `DATE`: a calendar day. A month or a day of 0 is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SqlDate {
    /// 1 to 9999; 0 if unknown.
    pub year: u16,
    /// 1 to 12; 0 if unknown.
    pub month: u8,
    /// 1 to 31; 0 if unknown.
    pub day: u8,
}

/// The beginning of the year 1, and the end of the year 9999, in seconds since 1970.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

impl SqlTimestamp {
    /// Seconds since 1970 and nanoseconds; `None` outside the years 1 to 9999, and for a second or
    /// more of nanoseconds.
    #[must_use]
    pub fn new(seconds: i64, nanos: u32) -> Option<Self> {
        let fits = SECONDS.contains(&seconds) && nanos < 1_000_000_000;
        fits.then_some(Self { seconds, nanos })
    }

    /// Whole seconds since 1970, rounded down.
    #[must_use]
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// Nanoseconds after the whole seconds: 0 to 999,999,999.
    #[must_use]
    pub fn nanos(self) -> u32 {
        self.nanos
    }

    /// The time in microseconds; `None` if it is not a whole number of them.
    #[must_use]
    pub fn timestamp(self) -> Option<Timestamp> {
        if !self.nanos.is_multiple_of(1_000) {
            return None;
        }
        let micros = self.seconds.checked_mul(1_000_000)?;
        let micros = micros.checked_add(i64::from(self.nanos / 1_000))?;
        Some(Timestamp::from_micros(micros))
    }
}

/// An instant outside the years 1 to 9999 becomes their first or last instant.
impl From<Timestamp> for SqlTimestamp {
    fn from(at: Timestamp) -> Self {
        let micros = at.as_micros();
        let seconds = micros.div_euclid(1_000_000);
        let nanos = u32::try_from(micros.rem_euclid(1_000_000) * 1_000).unwrap_or(0);
        Self::new(seconds, nanos).unwrap_or(match seconds < 0 {
            true => Self {
                seconds: *SECONDS.start(),
                nanos: 0,
            },
            false => Self {
                seconds: *SECONDS.end(),
                nanos: 999_999_999,
            },
        })
    }
}

/// In the format of RFC 3339, in UTC.
impl fmt::Display for SqlTimestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = i32::try_from(self.nanos).unwrap_or(0);
        let since = SignedDuration::new(self.seconds, nanos);
        match civil::date(1970, 1, 1).at(0, 0, 0, 0).checked_add(since) {
            Ok(at) => write!(f, "{at}Z"),
            Err(_) => write!(f, "{} s", self.seconds),
        }
    }
}

/// From RFC 3339 text, which rows pass to fields of such types.
impl<'de> Deserialize<'de> for SqlTimestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let civil: Option<civil::DateTime> =
            (text.strip_suffix('Z')).and_then(|text| text.parse().ok());
        let since = civil.map(|at| at.duration_since(civil::date(1970, 1, 1).at(0, 0, 0, 0)));
        let at = since.and_then(|since| {
            let seconds = since.as_nanos().div_euclid(1_000_000_000);
            let nanos = since.as_nanos().rem_euclid(1_000_000_000);
            Self::new(i64::try_from(seconds).ok()?, u32::try_from(nanos).ok()?)
        });
        at.ok_or_else(|| D::Error::custom(format!("\"{text}\" is no TIMESTAMP")))
    }
}

impl SqlDate {
    /// A calendar day; `None` if it does not exist.
    #[must_use]
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let date = Self { year, month, day };
        date.civil().map(|_| date)
    }

    /// As jiff's type; `None` if a part of the date is unknown.
    #[must_use]
    pub fn civil(self) -> Option<civil::Date> {
        let year = i16::try_from(self.year).ok().filter(|year| *year > 0)?;
        let (month, day) = (i8::try_from(self.month).ok()?, i8::try_from(self.day).ok()?);
        civil::Date::new(year, month, day).ok()
    }
}

impl fmt::Display for SqlDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// From text, which rows pass to fields of such types.
impl<'de> Deserialize<'de> for SqlDate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut parts = text.splitn(3, '-');
        let mut part = || parts.next().unwrap_or_default();
        match (part().parse(), part().parse(), part().parse()) {
            (Ok(year), Ok(month), Ok(day)) => Ok(Self { year, month, day }),
            _ => Err(D::Error::custom(format!("\"{text}\" is no DATE"))),
        }
    }
}
