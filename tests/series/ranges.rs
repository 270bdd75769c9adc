//! Ranges without events at their ends, sessions, hours of the day, and joins of many series, each
//! compared with a plain computation.

use std::time::Duration;

use bigtable_model::Timestamp;
use bigtable_model::series::{
    self, AsOf, Fill, Hours, Length, Point, SeriesError, SeriesExt as _, Window, Windows, count,
    or_value, sum,
};
use jiff::civil::{Date, Weekday, date, time};
use proptest::prelude::*;

use crate::events::now;

/// A whole minute of 2014.
const BASE: i64 = 1_399_999_980;

/// An event: its second, its series and its value.
type Event = (i64, u8, f64);

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(second)
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = (-200_i64..400, 0_u8..3, -9_i32..9);
    prop::collection::vec(event, 0..40).prop_map(|mut events| {
        events.sort_by_key(|(second, ..)| *second);
        let events = events.into_iter();
        events
            .map(|(second, series, value)| (second, series, value.into()))
            .collect()
    })
}

/// The windows that touch a range, each with its events in the range.
fn windows(
    events: &[Event],
    size: i64,
    step: i64,
    (start, end): (i64, i64),
) -> Vec<(i64, u64, f64)> {
    let mut found = Vec::new();
    let mut from = (-1_200_i64).div_euclid(step) * step;
    while from < end {
        if from + size > start && start < end {
            let inside = |second: i64| (from.max(start)..(from + size).min(end)).contains(&second);
            let of = events.iter().filter(|(second, ..)| inside(*second));
            found.push((
                from,
                of.clone().count() as u64,
                of.map(|(.., value)| value).sum(),
            ));
        }
        from += step;
    }
    found
}

fn shown<K>(windows: &[Window<(u64, f64), K>]) -> Vec<(i64, u64, f64)> {
    let shown = windows.iter().map(|one| {
        assert_eq!(one.events, one.value.0);
        (one.start.as_seconds(), one.events, one.value.1)
    });
    shown.collect()
}

/// The values at steps from a time on, of one series.
fn resampled(
    events: &[Event],
    step: i64,
    (start, end): (i64, i64),
    fill: Fill,
) -> Vec<(i64, Option<f64>)> {
    let inside: Vec<_> = events
        .iter()
        .filter(|(second, ..)| (start..end).contains(second))
        .collect();
    let first = start + (step - start.rem_euclid(step)) % step;
    let mut found = Vec::new();
    for second in (first..end).step_by(usize::try_from(step).unwrap()) {
        let before = inside.iter().rev().find(|(other, ..)| *other <= second);
        let after = inside.iter().find(|(other, ..)| *other >= second);
        let value = match (before, after, fill) {
            (Some((other, _, value)), ..) if *other == second => Some(*value),
            (_, _, Fill::Value(value)) => Some(value),
            (Some((.., value)), _, Fill::Previous) => Some(*value),
            (Some((from, _, one)), Some((to, _, other)), Fill::Linear) => {
                let share = (second - from) as f64 / (to - from) as f64;
                Some(one * (1.0 - share) + other * share)
            }
            _ => None,
        };
        found.push((second, value));
    }
    found
}

fn points<K>(points: &[Point<K>]) -> Vec<(i64, Option<f64>)> {
    points
        .iter()
        .map(|point| (point.at.as_seconds(), point.value))
        .collect()
}

fn same(one: &[(i64, Option<f64>)], other: &[(i64, Option<f64>)]) -> bool {
    let near = |one: &Option<f64>, other: &Option<f64>| match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() < 1e-9,
        (one, other) => one == other,
    };
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(a, b)| a.0 == b.0 && near(&a.1, &b.1))
}

fn fills() -> impl Strategy<Value = Fill> {
    prop_oneof![
        Just(Fill::Null),
        Just(Fill::Previous),
        Just(Fill::Linear),
        Just(Fill::Value(7.0)),
    ]
}

proptest! {
    #[test]
    fn windows_cover_the_range(
        events in events(),
        (size, step) in prop::sample::select(vec![(60_u32, 60_u32), (7, 7), (60, 20), (10, 30), (45, 30)]),
        range in (-150_i64..300, 0_i64..200).prop_map(|(start, length)| (start, start + length)),
    ) {
        let over = at(range.0)..at(range.1);
        let lengths = Windows::hopping(Length::seconds(size), Length::seconds(step)).with_empty_over(over);
        let parts = || (count(), sum(|event: &Event| event.2));
        let (size, step) = (size.into(), step.into());

        let one = series::of(events.clone()).timed(|event| at(event.0)).windows(lengths.clone());
        let found = now(one.aggregate(parts()).fetch()).unwrap();
        prop_assert_eq!(shown(&found), windows(&events, size, step, range));

        let of = |series: u8| -> Vec<Event> { events.iter().filter(|one| one.1 == series).copied().collect() };
        let by = series::of(events.clone()).timed(|event| at(event.0)).by(|event| event.1);
        let by = now(by.windows(lengths.clone()).aggregate(parts()).fetch()).unwrap();
        let runs = (0..3).flat_map(of);
        let run = series::of(runs).timed(|event| at(event.0)).by_run(|event| event.1);
        let run = now(run.windows(lengths).aggregate(parts()).fetch()).unwrap();
        for series in 0..3 {
            let own = of(series);
            let is_there = own.iter().any(|one| (range.0..range.1).contains(&one.0));
            let expected = match is_there {
                true => windows(&own, size, step, range),
                false => Vec::new(),
            };
            for found in [&by, &run] {
                let found: Vec<_> = found.iter().filter(|one| one.series == series).copied().collect();
                prop_assert_eq!(&shown(&found), &expected);
            }
        }
    }

    #[test]
    fn steps_cover_the_range(
        events in events(),
        step in prop::sample::select(vec![60_u32, 7, 1]),
        range in (-150_i64..300, 0_i64..200).prop_map(|(start, length)| (start, start + length)),
        fill in fills(),
    ) {
        let steps = || Length::seconds(step).over(at(range.0)..at(range.1));
        let one = || series::of(events.clone()).timed(|event| at(event.0));
        let expected = resampled(&events, step.into(), range, fill);
        let found = now(one().resample(steps(), fill, |event| event.2).fetch()).unwrap();
        prop_assert!(same(&points(&found), &expected), "{:?} {:?}", points(&found), expected);

        // Events, and the beginnings of steps that have none.
        let inside: Vec<_> = events.iter().filter(|one| (range.0..range.1).contains(&one.0)).collect();
        let step = i64::from(step);
        let mut all: Vec<_> = inside.iter().map(|one| (one.0, Some(one.2))).collect();
        all.extend(expected.iter().filter(|(second, _)| {
            !inside.iter().any(|one| (*second..second + step).contains(&one.0))
        }));
        all.sort_by_key(|(second, _)| *second);
        let found = now(one().gap_fill(steps(), fill, |event| event.2).fetch()).unwrap();
        prop_assert!(same(&points(&found), &all), "{:?} {:?}", points(&found), all);

        let of = |series: u8| -> Vec<Event> { events.iter().filter(|one| one.1 == series).copied().collect() };
        let runs = series::of((0..3).flat_map(of)).timed(|event| at(event.0)).by_run(|event| event.1);
        let runs = now(runs.resample(steps(), fill, |event| event.2).fetch()).unwrap();
        for series in 0..3 {
            let own = of(series);
            let is_there = own.iter().any(|one| (range.0..range.1).contains(&one.0));
            let expected = match is_there {
                true => resampled(&own, step, range, fill),
                false => Vec::new(),
            };
            let found: Vec<_> = runs.iter().filter(|one| one.series == series).copied().collect();
            prop_assert!(same(&points(&found), &expected), "{:?} {:?}", points(&found), expected);
        }
    }

    #[test]
    fn a_gap_ends_a_session(events in events(), gap in 0_u32..40) {
        let mut expected: Vec<(u8, i64, i64, u64)> = Vec::new();
        for event in &events {
            let last = expected.iter_mut().rev().find(|one| one.0 == event.1);
            match last {
                Some(last) if event.0 - last.2 <= i64::from(gap) => (last.2, last.3) = (event.0, last.3 + 1),
                _ => expected.push((event.1, event.0, event.0, 1)),
            }
        }
        expected.sort_unstable();
        let by = series::of(events).timed(|event| at(event.0)).by(|event| event.1);
        let sessions = by.windows(Windows::session(Duration::from_secs(gap.max(1).into()))).aggregate(count());
        let found = now(sessions.fetch()).unwrap();
        let found = found.into_iter();
        let mut found: Vec<_> = found
            .map(|one| (one.series, one.start.as_seconds(), one.end.as_seconds(), one.events))
            .collect();
        found.sort_unstable();
        prop_assume!(gap > 0);
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn each_series_joins_its_own(left in events(), right in events(), tolerance in 0_u64..100) {
        let tolerance_seconds = i64::try_from(tolerance).unwrap();
        let expected: Vec<_> = left.iter().map(|event| {
            let valid = right.iter().rev().find(|other| other.0 <= event.0 && other.1 == event.1);
            (*event, valid.filter(|other| event.0 - other.0 <= tolerance_seconds).copied())
        }).collect();
        let of = |events: &[Event]| series::of(events.to_vec()).timed(|event: &Event| at(event.0)).by(|event: &Event| event.1);
        let joined = of(&left).asof_join(of(&right), AsOf::Backward, Duration::from_secs(tolerance));
        let joined = now(joined.fetch()).unwrap();
        let joined: Vec<_> = joined.into_iter().map(|one| (one.left, one.right)).collect();
        prop_assert_eq!(joined, expected);
    }

    #[test]
    fn hours_are_those_of_clocks(
        minute in 0_i64..60 * 24 * 800,
        (from, to) in (0_i8..24, 0_i8..24),
        zone in prop::sample::select(vec!["UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]),
        days in prop::collection::vec(0_usize..7, 0..4),
        length in 1_i64..5_000,
    ) {
        const DAYS: [Weekday; 7] = [
            Weekday::Monday, Weekday::Tuesday, Weekday::Wednesday, Weekday::Thursday,
            Weekday::Friday, Weekday::Saturday, Weekday::Sunday,
        ];
        let days: Vec<_> = days.into_iter().map(|day| DAYS[day]).collect();
        let holiday = date(2015, 3, 17);
        let hours = Hours::daily(time(from, 0, 0, 0), time(to, 30, 0, 0))
            .zone(zone)
            .on(days.clone())
            .except([holiday]);
        let opens = |date: Date| (days.is_empty() || days.contains(&date.weekday())) && date != holiday;
        let is_open = |minute: i64| {
            let instant = jiff::Timestamp::from_second(BASE + minute * 60).unwrap();
            let local = instant.in_tz(zone).unwrap();
            let clock = i32::from(local.hour()) * 60 + i32::from(local.minute());
            let (first, end) = (i32::from(from) * 60, i32::from(to) * 60 + 30);
            match first < end {
                true => (first..end).contains(&clock) && opens(local.date()),
                false => {
                    let began = clock >= first && opens(local.date());
                    began || clock < end && opens(local.date().yesterday().unwrap())
                }
            }
        };
        let time = |minute: i64| at(BASE + minute * 60);
        prop_assert_eq!(hours.contains(time(minute)), is_open(minute));

        // Empty windows are those that touch the hours.
        let range = time(minute)..time(minute + length);
        let windows = Windows::tumbling(Length::minutes(30)).with_empty_over(range.clone()).during(hours);
        let found = series::of(Vec::<i64>::new()).timed(|second| at(*second)).windows(windows).aggregate(count());
        let found = now(found.fetch()).unwrap();
        let found: Vec<_> = found.iter().map(|one| one.start.as_seconds()).collect();
        let halves = (time(minute).as_seconds().div_euclid(1_800)..).map(|half| half * 1_800);
        let halves = halves.take_while(|half| *half < range.end.as_seconds());
        let open = |half: &i64| (0..30).any(|later| is_open((half + later * 60 - BASE).div_euclid(60)));
        let expected: Vec<_> = halves.filter(open).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn nothing_is_asked_of_the_night() {
    let weekdays = [Weekday::Monday, Weekday::Tuesday, Weekday::Wednesday];
    let hours = Hours::daily(time(9, 30, 0, 0), time(16, 0, 0, 0))
        .zone("America/New_York")
        .on(weekdays)
        .except([date(2015, 3, 17)]);
    // Monday to Wednesday, in summer time; a trade before the opening, and two in the day.
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let trades = [
        ("2015-03-16T12:00:00Z", 1.0),
        ("2015-03-16T14:10:00Z", 2.0),
        ("2015-03-18T19:59:59Z", 3.0),
    ];
    let week = at("2015-03-16T00:00:00Z")..at("2015-03-23T00:00:00Z");
    let windows = Windows::tumbling(Length::hours(1))
        .with_empty_over(week)
        .during(hours);
    let trades = series::of(trades).timed(|trade| trade.0.parse().unwrap());
    let volume = or_value(series::max(|trade: &(&str, f64)| trade.1), -1.0);
    let found = now(trades.windows(windows).aggregate(volume).fetch()).unwrap();
    let of: Vec<_> = found
        .iter()
        .map(|one| (one.start.to_string(), one.value))
        .collect();
    assert_eq!(of.len(), 14);
    assert_eq!(of[0], ("2015-03-16T13:00:00Z".to_owned(), -1.0));
    assert_eq!(of[1], ("2015-03-16T14:00:00Z".to_owned(), 2.0));
    assert_eq!(of[6].0, "2015-03-16T19:00:00Z");
    assert_eq!(of[7].0, "2015-03-18T13:00:00Z");
    assert_eq!(of[13], ("2015-03-18T19:00:00Z".to_owned(), 3.0));
}

#[test]
fn what_is_impossible_is_refused() {
    let refused = |windows: Windows| {
        let windows = series::of([1]).timed(|second| at(*second)).windows(windows);
        match now(windows.aggregate(count()).fetch()).unwrap_err() {
            bigtable_model::Error::Series(SeriesError::Refused { what, reason }) => {
                format!("{what}: {reason}")
            }
            other => panic!("{other}"),
        }
    };
    assert!(refused(Windows::session(Length::events(3))).contains("they have a duration"));
    assert!(refused(Windows::session(Length::months(1))).contains("they have a duration"));
    assert!(refused(Windows::session(Length::minutes(0))).contains("the length is 0"));
    let empty = Windows::session(Length::minutes(1)).with_empty_over(at(0)..at(1));
    assert!(refused(empty).contains("never empty"));
    let nowhere = Hours::daily(time(9, 0, 0, 0), time(17, 0, 0, 0)).zone("Atlantis");
    let nowhere = refused(Windows::tumbling(Length::hours(1)).during(nowhere));
    assert!(nowhere.contains("hours in Atlantis"), "{nowhere}");

    let of = || {
        series::of([(1, 'a')])
            .timed(|one: &(i64, char)| at(one.0))
            .by(|one: &(i64, char)| one.1)
    };
    let forward = of().asof_join(of(), AsOf::Forward, Duration::MAX);
    let refused = now(forward.fetch()).unwrap_err();
    assert!(
        format!("{refused:?}").contains("AsOf::Backward"),
        "{refused}"
    );
}
