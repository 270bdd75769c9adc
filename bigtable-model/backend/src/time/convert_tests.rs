#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::prelude::*;

use super::Timestamp;
#[cfg(any(feature = "chrono", feature = "time"))]
use super::TimestampRangeError;

#[test]
fn rounds_down_on_both_sides_of_1970() {
    let nano = Duration::from_nanos(1);
    assert_eq!(Timestamp::from(UNIX_EPOCH + nano).as_micros(), 0);
    assert_eq!(Timestamp::from(UNIX_EPOCH - nano).as_micros(), -1);
    assert_eq!(Timestamp::from(UNIX_EPOCH - nano * 1_000).as_micros(), -1);
    assert_eq!(Timestamp::from(UNIX_EPOCH - nano * 1_001).as_micros(), -2);
}

#[test]
fn times_beyond_the_range_become_its_ends() {
    let far = Duration::from_secs(1 << 62);
    assert_eq!(Timestamp::from(UNIX_EPOCH + far), Timestamp::MAX);
    assert_eq!(Timestamp::from(UNIX_EPOCH - far), Timestamp::MIN);
}

#[test]
fn system_time_holds_both_ends() {
    for end in [Timestamp::MIN, Timestamp::MAX] {
        assert_eq!(Timestamp::from(SystemTime::try_from(end).unwrap()), end);
    }
}

proptest! {
    #[test]
    fn system_time_comes_back(micros: i64) {
        let at = Timestamp::from_micros(micros);
        prop_assert_eq!(Timestamp::from(SystemTime::try_from(at).unwrap()), at);
    }

    #[test]
    fn every_conversion_rounds_nanoseconds_alike(micros in -1_i64 << 55..1 << 55, nanos in 0_i64..1_000) {
        let at = Timestamp::from_micros(micros);
        let system = SystemTime::try_from(at).unwrap();
        prop_assert_eq!(Timestamp::from(system + Duration::from_nanos(nanos.unsigned_abs())), at);
        let jiff = jiff::Timestamp::try_from(at).unwrap();
        let finer = jiff.checked_add(jiff::SignedDuration::from_nanos(nanos)).unwrap();
        prop_assert_eq!(Timestamp::from(finer), at);
        #[cfg(feature = "chrono")]
        {
            let chrono = chrono::DateTime::<chrono::Utc>::try_from(at).unwrap();
            prop_assert_eq!(Timestamp::from(chrono + chrono::TimeDelta::nanoseconds(nanos)), at);
        }
        #[cfg(feature = "time")]
        {
            let time = time::OffsetDateTime::try_from(at).unwrap();
            prop_assert_eq!(Timestamp::from(time + time::Duration::nanoseconds(nanos)), at);
        }
    }

    #[cfg(feature = "chrono")]
    #[test]
    fn chrono_comes_back_or_is_refused(micros: i64) {
        let at = Timestamp::from_micros(micros);
        match chrono::DateTime::<chrono::Utc>::try_from(at) {
            Ok(time) => prop_assert_eq!(Timestamp::from(time), at),
            Err(error) => prop_assert_eq!(error, TimestampRangeError { time: at, target: "chrono::DateTime" }),
        }
    }

    #[cfg(feature = "time")]
    #[test]
    fn time_comes_back_or_is_refused(micros: i64) {
        let at = Timestamp::from_micros(micros);
        match time::OffsetDateTime::try_from(at) {
            Ok(time) => prop_assert_eq!(Timestamp::from(time), at),
            Err(error) => prop_assert_eq!(error, TimestampRangeError { time: at, target: "time::OffsetDateTime" }),
        }
    }
}

#[cfg(feature = "chrono")]
#[test]
fn chrono_in_any_zone_is_the_same_instant() {
    let text = "2015-03-16T20:53:32.156+01:00";
    let zoned: chrono::DateTime<chrono::FixedOffset> = text.parse().unwrap();
    assert_eq!(
        Timestamp::from(zoned),
        Timestamp::from_millis(1_426_535_612_156)
    );
}

#[cfg(any(feature = "chrono", feature = "time"))]
#[test]
fn the_error_names_the_time_and_the_type() {
    let time = Timestamp::MAX;
    let error = TimestampRangeError {
        time,
        target: "chrono::DateTime",
    };
    let text = "9223372036854775807 us since 1970 is outside the range of chrono::DateTime";
    assert_eq!(error.to_string(), text);
}

#[cfg(feature = "chrono")]
#[test]
fn chrono_in_other_zones_comes_back_as_the_same_instant() {
    let at = Timestamp::from_millis(1_426_535_612_156);
    let fixed = chrono::DateTime::<chrono::FixedOffset>::try_from(at).unwrap();
    assert_eq!(fixed.to_rfc3339(), "2015-03-16T19:53:32.156+00:00");
    let local = chrono::DateTime::<chrono::Local>::try_from(at).unwrap();
    assert_eq!(local.timestamp_millis(), 1_426_535_612_156);
    assert_eq!([Timestamp::from(fixed), Timestamp::from(local)], [at; 2]);
    assert!(chrono::DateTime::<chrono::FixedOffset>::try_from(Timestamp::MAX).is_err());
    assert!(chrono::DateTime::<chrono::Local>::try_from(Timestamp::MIN).is_err());
}
