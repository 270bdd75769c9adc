use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// An instant in microseconds since 1970-01-01T00:00:00Z.
///
/// ```
/// use bigtable_backend::Timestamp;
/// let at: Timestamp = "2015-03-16T19:53:32.156Z".parse()?;
/// assert_eq!(at, Timestamp::from_millis(1_426_535_612_156));
/// assert_eq!(at.to_string(), "2015-03-16T19:53:32.156Z");
/// # Ok::<(), bigtable_backend::ParseTimestampError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const UNIX_EPOCH: Self = Self(0);
    /// The earliest instant it holds.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest instant it holds.
    pub const MAX: Self = Self(i64::MAX);

    /// From microseconds since 1970.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// From milliseconds since 1970; those that do not fit become [`Timestamp::MIN`] or [`Timestamp::MAX`].
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// From seconds since 1970; those that do not fit become [`Timestamp::MIN`] or [`Timestamp::MAX`].
    #[must_use]
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1_000_000))
    }

    /// The client's clock.
    #[must_use]
    pub fn now() -> Self {
        SystemTime::now().into()
    }

    /// Microseconds since 1970.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Milliseconds since 1970, rounded down.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// Seconds since 1970, rounded down.
    #[must_use]
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }
}

/// RFC 3339 in UTC; outside the years 0 to 9999 the microseconds since 1970.
/// As people write it, since an event is printed by its fields.
impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(time) => write!(f, "{time}"),
            Err(_) => write!(f, "{} us since 1970", self.0),
        }
    }
}

/// A text that is not an RFC 3339 time with its offset from UTC.
#[derive(Debug, Clone, thiserror::Error)]
#[error("`{text}` is not a time such as 2015-03-16T19:53:32.156Z")]
pub struct ParseTimestampError {
    text: String,
    source: jiff::Error,
}

/// RFC 3339 with an offset or `Z`, in whole microseconds; finer digits are rounded down.
impl FromStr for Timestamp {
    type Err = ParseTimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse::<jiff::Timestamp>() {
            Ok(time) => Ok(time.into()),
            Err(source) => Err(ParseTimestampError {
                text: text.to_owned(),
                source,
            }),
        }
    }
}
