use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Timestamp;

/// A [`Timestamp`] that another type of time does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{time} is outside the range of {target}")]
pub struct TimestampRangeError {
    /// The time.
    pub time: Timestamp,
    /// The type that does not hold it.
    pub target: &'static str,
}

/// Whole microseconds, rounded down; those beyond the range of `i64` become its ends.
fn from_nanos(nanos: i128) -> Timestamp {
    let micros = nanos.div_euclid(1_000);
    let end = if micros < 0 { i64::MIN } else { i64::MAX };
    Timestamp::from_micros(i64::try_from(micros).unwrap_or(end))
}

/// Whole microseconds, rounded down; times beyond the range of `i64` microseconds become its ends.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let nanos = |span: Duration| i128::try_from(span.as_nanos()).unwrap_or(i128::MAX);
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => from_nanos(nanos(after)),
            Err(before) => from_nanos(-nanos(before.duration())),
        }
    }
}

/// Fails where the platform's clock has no such time; on Unix it has every one.
impl TryFrom<Timestamp> for SystemTime {
    type Error = TimestampRangeError;

    fn try_from(time: Timestamp) -> Result<Self, Self::Error> {
        let micros = time.as_micros();
        let span = Duration::from_micros(micros.unsigned_abs());
        let moved = if micros < 0 {
            UNIX_EPOCH.checked_sub(span)
        } else {
            UNIX_EPOCH.checked_add(span)
        };
        moved.ok_or(TimestampRangeError {
            time,
            target: "SystemTime",
        })
    }
}

/// Whole microseconds, rounded down.
impl From<jiff::Timestamp> for Timestamp {
    fn from(time: jiff::Timestamp) -> Self {
        from_nanos(time.as_nanosecond())
    }
}

/// Fails outside the years -9999 to 9999, which jiff does not hold.
impl TryFrom<Timestamp> for jiff::Timestamp {
    type Error = jiff::Error;

    fn try_from(time: Timestamp) -> Result<Self, Self::Error> {
        let micros = time.as_micros();
        // `from_microsecond` ends a second before jiff's times do.
        let nanos = i32::try_from(micros.rem_euclid(1_000_000) * 1_000).unwrap_or_default();
        Self::new(micros.div_euclid(1_000_000), nanos)
    }
}

/// Whole microseconds, rounded down. A leap second counts as the second that follows it.
#[cfg(feature = "chrono")]
impl<Z: chrono::TimeZone> From<chrono::DateTime<Z>> for Timestamp {
    fn from(time: chrono::DateTime<Z>) -> Self {
        // Whole: chrono's years, -262143 to 262142, fit into i64 microseconds.
        Self::from_micros(time.timestamp_micros())
    }
}

/// Fails outside the years -262143 to 262142, which chrono does not hold.
#[cfg(feature = "chrono")]
impl TryFrom<Timestamp> for chrono::DateTime<chrono::Utc> {
    type Error = TimestampRangeError;

    fn try_from(time: Timestamp) -> Result<Self, Self::Error> {
        Self::from_timestamp_micros(time.as_micros()).ok_or(TimestampRangeError {
            time,
            target: "chrono::DateTime",
        })
    }
}

/// In UTC, since a [`Timestamp`] has no offset. Fails outside the years that chrono holds.
#[cfg(feature = "chrono")]
impl TryFrom<Timestamp> for chrono::DateTime<chrono::FixedOffset> {
    type Error = TimestampRangeError;

    fn try_from(time: Timestamp) -> Result<Self, Self::Error> {
        chrono::DateTime::<chrono::Utc>::try_from(time).map(|time| time.fixed_offset())
    }
}

/// In the zone of this machine. Fails outside the years that chrono holds.
#[cfg(feature = "chrono")]
impl TryFrom<Timestamp> for chrono::DateTime<chrono::Local> {
    type Error = TimestampRangeError;

    fn try_from(time: Timestamp) -> Result<Self, Self::Error> {
        chrono::DateTime::<chrono::Utc>::try_from(time).map(Self::from)
    }
}

/// Whole microseconds, rounded down; times beyond the range of `i64` microseconds, which need
/// time's feature `large-dates`, become its ends.
#[cfg(feature = "time")]
impl From<time::OffsetDateTime> for Timestamp {
    fn from(time: time::OffsetDateTime) -> Self {
        from_nanos(time.unix_timestamp_nanos())
    }
}

/// In UTC. Fails outside the years that `time` holds: -9999 to 9999, unless its feature
/// `large-dates` is on.
#[cfg(feature = "time")]
impl TryFrom<Timestamp> for time::OffsetDateTime {
    type Error = TimestampRangeError;

    fn try_from(time: Timestamp) -> Result<Self, Self::Error> {
        Self::from_unix_timestamp_nanos(i128::from(time.as_micros()) * 1_000).map_err(|_| {
            TimestampRangeError {
                time,
                target: "time::OffsetDateTime",
            }
        })
    }
}
