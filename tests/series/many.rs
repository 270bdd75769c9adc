//! Many series in one stream, compared with each series alone.

use std::ops::RangeBounds as _;

use bigtable_model::Timestamp;
use bigtable_model::series::{
    self, Fill, Length, Moved, Point, SeriesExt as _, Window, count, last, moving_mean,
    time_weighted_mean,
};

use crate::cuts::Cut;
use crate::events::{Event, cases, events, now};

fn value(event: &Event) -> Option<f64> {
    event.value
}

type Found<K> = Window<(u64, Option<u64>, Option<f64>), K>;

/// The windows of a single series.
fn alone(cut: &Cut, events: Vec<Event>) -> Vec<Found<()>> {
    let windows = series::of(events)
        .timed(|event| event.at)
        .windows(cut.windows())
        .aggregate((
            count(),
            last(|event: &Event| event.number),
            time_weighted_mean(value),
        ));
    now(windows.fetch()).unwrap()
}

fn named(series: u8, window: Found<()>) -> Found<u8> {
    Window {
        series,
        start: window.start,
        end: window.end,
        events: window.events,
        value: window.value,
    }
}

fn split(events: &[Event]) -> impl Iterator<Item = (u8, Vec<Event>)> {
    (0..4).map(|series| {
        let of_series = events.iter().filter(|event| event.series == series);
        (series, of_series.copied().collect())
    })
}

#[test]
fn windows_of_mixed_series() {
    cases(|rng| {
        let (cut, events) = (Cut::random(rng), events(rng, 80, 0));
        let windows = series::of(events.clone())
            .timed(|event| event.at)
            .by(|event| event.series)
            .windows(cut.windows())
            .aggregate((
                count(),
                last(|event: &Event| event.number),
                time_weighted_mean(value),
            ));
        let mut found = now(windows.fetch()).unwrap();
        let alone = split(&events).flat_map(|(series, events)| {
            let windows = alone(&cut, events).into_iter();
            windows.map(move |window| named(series, window))
        });
        let mut wanted: Vec<_> = alone.collect();
        if cut.is_of_time() {
            wanted.sort_by_key(|window| (window.end, window.series, window.start));
            assert!(found.is_sorted_by_key(|window| window.end));
        } else {
            // They come as they end, in order within each series.
            wanted.sort_by_key(|window| window.series);
        }
        found.sort_by_key(|window| match cut.is_of_time() {
            true => (Some(window.end), window.series, window.start),
            false => (None, window.series, Timestamp::MIN),
        });
        assert_eq!(found, wanted, "{cut:?}");
    });
}

#[test]
fn windows_of_series_one_after_another() {
    cases(|rng| {
        let (cut, events) = (Cut::random(rng), events(rng, 80, 0));
        let in_runs: Vec<_> = split(&events).flat_map(|(_, events)| events).collect();
        let windows = series::of(in_runs)
            .timed(|event| event.at)
            .by_run(|event| event.series)
            .windows(cut.windows())
            .aggregate((
                count(),
                last(|event: &Event| event.number),
                time_weighted_mean(value),
            ));
        let found = now(windows.fetch()).unwrap();
        let alone = split(&events).flat_map(|(series, events)| {
            let windows = alone(&cut, events).into_iter();
            windows.map(move |window| named(series, window))
        });
        assert_eq!(found, alone.collect::<Vec<_>>(), "{cut:?}");
    });
}

/// Every series has windows from its first event until the stream ends or, in runs, until the
/// series ends.
#[test]
fn empty_windows_of_many_series() {
    cases(|rng| {
        let (size, step) = (rng.i64(1..5), rng.i64(1..4));
        let events = events(rng, 40, 0);
        let span = match events.as_slice() {
            [first, .., last] => last.at.as_micros() - first.at.as_micros(),
            _ => 0,
        };
        let unit = span / 50 + 1;
        let cut = Cut::Every {
            size: size * unit,
            step: step * unit,
        };
        let wanted = |events: &[Event], series: u8, end: Option<Timestamp>| {
            let windows = cut.expected(events, end).into_iter();
            windows
                .map(move |window| (window.end, series, window.start, window.events.len() as u64))
        };
        let told = |windows: Vec<Window<u64, u8>>| -> Vec<_> {
            let told = windows
                .iter()
                .map(|window| (window.end, window.series, window.start, window.value));
            told.collect()
        };
        let windows = || cut.windows().with_empty();
        let mixed = series::of(events.clone())
            .timed(|event| event.at)
            .by(|event| event.series);
        let found = now(mixed.windows(windows()).aggregate(count()).fetch()).unwrap();
        let end = events.last().map(|event| event.at);
        let mut all: Vec<_> = split(&events)
            .flat_map(|(series, events)| wanted(&events, series, end))
            .collect();
        all.sort();
        assert_eq!(told(found), all, "{cut:?}");

        let in_runs: Vec<_> = split(&events).flat_map(|(_, events)| events).collect();
        let in_runs = series::of(in_runs)
            .timed(|event| event.at)
            .by_run(|event| event.series);
        let found = now(in_runs.windows(windows()).aggregate(count()).fetch()).unwrap();
        let all = split(&events).flat_map(|(series, events)| {
            let end = events.last().map(|event| event.at);
            wanted(&events, series, end)
        });
        assert_eq!(told(found), all.collect::<Vec<_>>(), "{cut:?}");
    });
}

#[test]
fn averages_of_mixed_series() {
    cases(|rng| {
        let events = events(rng, 80, 0);
        let moved = series::of(events.clone())
            .timed(|event| event.at)
            .by(|event| event.series)
            .moving(moving_mean(3, value));
        let found = now(moved.fetch()).unwrap();
        assert!(found.iter().map(|moved| &moved.event).eq(&events));
        for (series, events) in split(&events) {
            let alone = series::of(events)
                .timed(|event| event.at)
                .moving(moving_mean(3, value));
            let wanted = now(alone.fetch()).unwrap();
            let value =
                |moved: &Moved<_, Option<f64>, u8>| (moved.series == series).then_some(moved.value);
            let found: Vec<_> = found.iter().filter_map(value).collect();
            assert_eq!(
                found,
                wanted.iter().map(|moved| moved.value).collect::<Vec<_>>()
            );
        }
    });
}

/// Points of a series among others equal those of the series alone: at steps or in gaps, from its
/// first event to its last or over a range, in a stream ordered by time or by series.
#[test]
fn points_of_many_series() {
    cases(|rng| {
        let events = events(rng, 40, 0);
        let (from, to) = match events.as_slice() {
            [first, .., last] => (first.at.as_seconds(), last.at.as_seconds()),
            _ => (0, 0),
        };
        let every = Length::seconds(u32::try_from((to - from) / 100).unwrap() + 1);
        let part = (to - from) / 4;
        let range = Timestamp::from_seconds(from + part)..Timestamp::from_seconds(to + part);
        let steps = || every.clone();
        let fill = [Fill::Linear, Fill::Previous, Fill::Null][rng.usize(..3)];
        let in_runs: Vec<_> = split(&events).flat_map(|(_, events)| events).collect();
        let timed = |events: Vec<Event>| series::of(events).timed(|event| event.at);
        macro_rules! compare {
            ($operation:ident, $steps:expr, $range:expr) => {
                let wanted = split(&events).flat_map(|(series, events)| {
                    let is_there = events.iter().any(|event| $range.contains(&event.at));
                    let points = timed(events).$operation($steps, fill, value);
                    let points = now(points.fetch()).unwrap().into_iter();
                    let points = points.filter(move |_| is_there);
                    points.map(move |point| named_point(series, point))
                });
                let wanted: Vec<_> = wanted.collect();
                let by_run = timed(in_runs.clone()).by_run(|event| event.series);
                let found = by_run.$operation($steps, fill, value);
                assert_eq!(now(found.fetch()).unwrap(), wanted, "{events:?}");
                let by = timed(events.clone()).by(|event| event.series);
                let found = by.$operation($steps, fill, value);
                let mut found = now(found.fetch()).unwrap();
                found.sort_by_key(|point| point.series); // stable: a series keeps its order
                assert_eq!(found, wanted, "{events:?}");
            };
        }
        compare!(resample, steps(), (..));
        compare!(gap_fill, steps(), (..));
        compare!(resample, steps().over(range.clone()), range);
        compare!(gap_fill, steps().over(range.clone()), range);
    });
}

fn named_point(series: u8, point: Point) -> Point<u8> {
    Point {
        series,
        at: point.at,
        value: point.value,
        filled: point.filled,
    }
}
