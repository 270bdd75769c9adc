//! Times rounded to units and to buckets of UTC.

use std::time::Duration;

use super::BucketSpan;
use super::label::{floor, next};
use crate::TimeGrid;
use crate::Timestamp;
use crate::key::TimeUnit;
use crate::key::time::civil::{DAY_MICROS, ERA_DAYS};

/// The microseconds after which the calendar repeats, including weekdays.
const ERA: i64 = ERA_DAYS * DAY_MICROS;

impl TimeUnit {
    fn duration(self) -> Duration {
        Duration::from_micros(self.micros().unsigned_abs())
    }
}

/// Whole units since 1970.
impl TimeGrid for TimeUnit {
    fn floor(&self, time: Timestamp) -> Timestamp {
        self.duration().floor(time)
    }

    fn ceil(&self, time: Timestamp) -> Timestamp {
        self.duration().ceil(time)
    }
}

/// The starts of buckets in UTC. An endless bucket begins at [`Timestamp::MIN`] and ends at
/// [`Timestamp::MAX`]. For a time zone see [`Bucket::start_of`](super::Bucket::start_of).
impl TimeGrid for BucketSpan {
    fn floor(&self, time: Timestamp) -> Timestamp {
        match self {
            Self::Endless => Timestamp::MIN,
            Self::Every { micros } => every(*micros).floor(time),
            _ => in_era(time, |local| floor(*self, local)),
        }
    }

    fn ceil(&self, time: Timestamp) -> Timestamp {
        match self {
            Self::Endless => Timestamp::MAX,
            Self::Every { micros } => every(*micros).ceil(time),
            _ => in_era(time, |local| match floor(*self, local) {
                start if start == local => start,
                start => next(*self, start),
            }),
        }
    }
}

fn every(micros: i64) -> Duration {
    Duration::from_micros(micros.max(1).unsigned_abs())
}

/// Applies a function to a time shifted into the 400 years after 1970, and shifts the result back.
fn in_era(time: Timestamp, rounded: impl Fn(i64) -> i64) -> Timestamp {
    let (era, local) = (
        time.as_micros().div_euclid(ERA),
        time.as_micros().rem_euclid(ERA),
    );
    let micros = i128::from(era) * i128::from(ERA) + i128::from(rounded(local));
    let end = if micros < 0 { i64::MIN } else { i64::MAX };
    Timestamp::from_micros(i64::try_from(micros).unwrap_or(end))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use jiff::civil::Weekday;
    use jiff::tz::TimeZone;
    use jiff::{Unit, Zoned, ZonedRound};
    use proptest::prelude::*;

    use super::*;

    const SPANS: [BucketSpan; 8] = [
        BucketSpan::Minute,
        BucketSpan::Hour,
        BucketSpan::Day,
        BucketSpan::Week,
        BucketSpan::Month,
        BucketSpan::Year,
        BucketSpan::Every {
            micros: 900_000_000,
        },
        BucketSpan::Endless,
    ];

    /// The start of the span, by jiff's calendar.
    fn begins(span: BucketSpan, at: Timestamp) -> Timestamp {
        let zoned = jiff::Timestamp::try_from(at)
            .unwrap()
            .to_zoned(TimeZone::UTC);
        let trunc = |unit| {
            let round = ZonedRound::new()
                .smallest(unit)
                .mode(jiff::RoundMode::Floor);
            zoned.round(round).unwrap()
        };
        let day = zoned.start_of_day().unwrap();
        let start: Zoned = match span {
            BucketSpan::Minute => trunc(Unit::Minute),
            BucketSpan::Hour => trunc(Unit::Hour),
            BucketSpan::Day => day,
            BucketSpan::Week if day.weekday() == Weekday::Monday => day,
            BucketSpan::Week => day.nth_weekday(-1, Weekday::Monday).unwrap(),
            BucketSpan::Month => day.first_of_month().unwrap(),
            BucketSpan::Year => day.first_of_year().unwrap(),
            other => panic!("{other:?} is not the calendar's"),
        };
        start.timestamp().into()
    }

    #[test]
    fn units() {
        let at = Timestamp::from_micros(1_234_567);
        let rounded = |unit| (at.floor_to(unit).as_micros(), at.ceil_to(unit).as_micros());
        assert_eq!(rounded(TimeUnit::Seconds), (1_000_000, 2_000_000));
        assert_eq!(rounded(TimeUnit::Millis), (1_234_000, 1_235_000));
        assert_eq!(rounded(TimeUnit::Micros), (1_234_567, 1_234_567));
    }

    #[test]
    fn the_ends_of_time() {
        for span in SPANS {
            for at in [Timestamp::MIN, Timestamp::UNIX_EPOCH, Timestamp::MAX] {
                assert!(
                    at.floor_to(span) <= at && at <= at.ceil_to(span),
                    "{span:?} {at}"
                );
            }
        }
        assert_eq!(Timestamp::MAX.ceil_to(BucketSpan::Year), Timestamp::MAX);
        assert_eq!(Timestamp::MIN.floor_to(BucketSpan::Month), Timestamp::MIN);
        let end = "9999-12-31T23:59:59.999999Z".parse::<Timestamp>().unwrap();
        let next = Timestamp::from_micros(end.as_micros() + 1);
        assert_eq!(end.ceil_to(BucketSpan::Year), next);
    }

    proptest! {
        #[test]
        fn buckets_of_the_calendar(micros in -300_000_000_000_000_000_i64..250_000_000_000_000_000) {
            let at = Timestamp::from_micros(micros);
            for span in SPANS.iter().take(6) {
                let floor = at.floor_to(*span);
                prop_assert_eq!(floor, begins(*span, at), "{:?}", span);
                prop_assert_eq!(floor.ceil_to(*span), floor);
                let ceil = at.ceil_to(*span);
                prop_assert!(at <= ceil);
                prop_assert_eq!(begins(*span, ceil), ceil);
                if floor < at {
                    prop_assert_eq!(begins(*span, Timestamp::from_micros(ceil.as_micros() - 1)), floor);
                }
            }
        }
    }
}
