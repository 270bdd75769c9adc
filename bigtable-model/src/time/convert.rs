use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Timestamp;

/// Whole microseconds, rounded down; times beyond the range of `i64` microseconds become its ends.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let micros = |span: Duration| i64::try_from(span.as_micros()).unwrap_or(i64::MAX);
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self::from_micros(micros(after)),
            Err(before) => {
                let span = before.duration();
                let below = i64::from(span.subsec_nanos() % 1_000 != 0);
                Self::from_micros(-micros(span) - below)
            }
        }
    }
}

/// Whole microseconds, rounded down.
impl From<jiff::Timestamp> for Timestamp {
    fn from(time: jiff::Timestamp) -> Self {
        let micros = time.as_nanosecond().div_euclid(1_000);
        Self::from_micros(i64::try_from(micros).unwrap_or(i64::MAX))
    }
}

/// Fails outside the years -9999 to 9999, which jiff does not hold.
impl TryFrom<Timestamp> for jiff::Timestamp {
    type Error = jiff::Error;

    fn try_from(time: Timestamp) -> Result<Self, Self::Error> {
        Self::from_microsecond(time.as_micros())
    }
}
