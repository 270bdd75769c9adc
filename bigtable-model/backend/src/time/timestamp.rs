use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;
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

    /// From milliseconds since 1970; those that do not fit become [`Timestamp::MIN`] or
    /// [`Timestamp::MAX`].
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// From seconds since 1970; those that do not fit become [`Timestamp::MIN`] or
    /// [`Timestamp::MAX`].
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

/// As people write it, since an event is printed by its fields.
impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// RFC 3339 in UTC; outside the years -9999 to 9999 the microseconds since 1970, as in
/// `9223372036854775807 us since 1970`. Both are read back.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Ok(time) = jiff::Timestamp::from_microsecond(self.0) {
            return write!(f, "{time}");
        }
        // jiff's instants end some hours before its calendar does, so that each can be shown in
        // every zone.
        match EPOCH.checked_add(SignedDuration::from_micros(self.0)) {
            Ok(time) => write!(f, "{time}Z"),
            Err(_) => write!(f, "{}{MICROS}", self.0),
        }
    }
}

/// 1970 in the calendar of UTC.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// After a number that is a time.
const MICROS: &str = " us since 1970";

/// A text that is not an RFC 3339 time with its offset from UTC.
#[derive(Debug, Clone, thiserror::Error)]
#[error("`{text}` is not a time such as 2015-03-16T19:53:32.156Z")]
pub struct ParseTimestampError {
    text: String,
    source: jiff::Error,
}

/// RFC 3339 with an offset or `Z`, where digits finer than microseconds are rounded down; and the
/// other form in which a [`Timestamp`] is displayed.
impl FromStr for Timestamp {
    type Err = ParseTimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = match text.parse::<jiff::Timestamp>() {
            Ok(time) => return Ok(time.into()),
            Err(error) => error,
        };
        let number = text.strip_suffix(MICROS);
        let beyond = number.map_or_else(|| at_an_end(text), |number| number.parse().ok());
        beyond.map(Self).ok_or_else(|| ParseTimestampError {
            text: text.to_owned(),
            source: error,
        })
    }
}

/// The microseconds of a time in the first or the last hours of the calendar.
fn at_an_end(text: &str) -> Option<i64> {
    let pieces = Pieces::parse(text).ok()?;
    let offset = i128::from(pieces.to_numeric_offset()?.seconds());
    let local = pieces.date().to_datetime(pieces.time()?);
    let nanos = local.duration_since(EPOCH).as_nanos() - offset * 1_000_000_000;
    i64::try_from(nanos.div_euclid(1_000)).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    const YEAR_10000: i64 = 253_402_300_800_000_000;

    fn shown(micros: i64, text: &str) {
        let time = Timestamp::from_micros(micros);
        assert_eq!(
            (time.to_string().as_str(), format!("{time:?}").as_str()),
            (text, text)
        );
        assert_eq!(text.parse::<Timestamp>().unwrap(), time);
    }

    #[test]
    fn the_ends_of_the_calendar() {
        shown(YEAR_10000 - 1, "9999-12-31T23:59:59.999999Z");
        shown(YEAR_10000 - 26 * 3_600_000_000, "9999-12-30T22:00:00Z");
        shown(
            YEAR_10000 - 26 * 3_600_000_000 + 1_000_000,
            "9999-12-30T22:00:01Z",
        );
        shown(YEAR_10000 - 1_500, "9999-12-31T23:59:59.9985Z");
        shown(YEAR_10000, "253402300800000000 us since 1970");
        shown(i64::MAX, "9223372036854775807 us since 1970");
        shown(i64::MIN, "-9223372036854775808 us since 1970");
        shown(-377_705_116_800_000_000, "-009999-01-01T00:00:00Z");
        shown(-62_167_219_200_000_000, "0000-01-01T00:00:00Z");
    }

    #[test]
    fn offsets_at_the_end() {
        let at = |text: &str| text.parse::<Timestamp>().map(Timestamp::as_micros).ok();
        assert_eq!(
            at("9999-12-31T23:59:59.9999999+00:00"),
            Some(YEAR_10000 - 1)
        );
        assert_eq!(at("9999-12-31T23:00:00-01:00"), Some(YEAR_10000));
        assert_eq!(
            at("9999-12-31T23:00:00+01:30"),
            Some(YEAR_10000 - 9_000_000_000)
        );
        for no_time in [
            "9999-12-31T23:00:00",
            "9999-12-31",
            "9999-12-32T00:00:00Z",
            "",
            "us since 1970",
            "x us since 1970",
        ] {
            assert_eq!(at(no_time), None, "{no_time}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(any: i64, near in -200_000_000_000_i64..200_000_000_000) {
            for micros in [any, near, YEAR_10000 + near, -377_705_116_800_000_000 + near] {
                let time = Timestamp::from_micros(micros);
                prop_assert_eq!(time.to_string().parse::<Timestamp>().unwrap(), time);
            }
        }
    }
}
