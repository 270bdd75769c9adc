//! Gaps, grids and aligned series compared with brute force.

use bigtable_model::Timestamp;
use bigtable_model::series::{self, Fill, Length, Point, SeriesExt as _, align};
use fastrand::Rng;
use jiff::ToSpan as _;

use crate::events::{Event, ZONES, assert_near, cases, events, now};

fn value(event: &Event) -> Option<f64> {
    event.value
}

/// Steps of a grid: microseconds, or days in a zone.
#[derive(Debug, Clone, Copy)]
enum Steps {
    Micros(i64),
    Days(&'static str),
}

impl Steps {
    /// Random steps with at most a few thousand points between the first event and the last.
    fn random(rng: &mut Rng, events: &[Event]) -> Self {
        let span = match events {
            [first, .., last] => last.at.as_micros() - first.at.as_micros(),
            _ => 0,
        };
        let days = span / 86_400_000_000;
        if days < 1_000 && rng.u8(..3) == 0 {
            return Self::Days(ZONES[rng.usize(..ZONES.len())]);
        }
        Self::Micros((span / rng.i64(1..300)).max(1) + rng.i64(0..1_000))
    }

    fn length(self) -> Length {
        match self {
            Self::Micros(micros) => std::time::Duration::from_micros(micros as u64).into(),
            Self::Days(zone) => Length::days(1).zone(zone),
        }
    }

    /// The beginnings of the cells, from the one that holds `from` to the first after `to`.
    fn starts(self, from: Timestamp, to: Timestamp) -> Vec<i64> {
        match self {
            Self::Micros(micros) => {
                let (first, last) = (
                    from.as_micros().div_euclid(micros),
                    to.as_micros().div_euclid(micros),
                );
                (first..=last + 1).map(|cell| cell * micros).collect()
            }
            Self::Days(zone) => {
                let date = |time: Timestamp| {
                    let time = jiff::Timestamp::try_from(time).unwrap();
                    time.in_tz(zone).unwrap().date()
                };
                let (mut day, last) = (date(from) - 2.days(), date(to) + 2.days());
                let mut starts = Vec::new();
                while day <= last {
                    let midnight = day.to_datetime(jiff::civil::Time::midnight());
                    starts.push(midnight.in_tz(zone).unwrap().timestamp().as_microsecond());
                    day = day.tomorrow().unwrap();
                }
                starts.dedup();
                let first = starts
                    .iter()
                    .rposition(|start| *start <= from.as_micros())
                    .unwrap();
                let end = starts
                    .iter()
                    .position(|start| *start > to.as_micros())
                    .unwrap();
                starts[first..=end].to_vec()
            }
        }
    }
}

fn random_fill(rng: &mut Rng) -> Fill {
    match rng.u8(..4) {
        0 => Fill::Null,
        1 => Fill::Previous,
        2 => Fill::Linear,
        _ => Fill::Value(7.5),
    }
}

/// The value at a time between events, and its tolerance.
fn filled(known: &[(i64, f64)], at: i64, fill: Fill) -> (Option<f64>, f64) {
    let after = known.iter().position(|(time, _)| *time > at).unwrap();
    let ((from, before), (to, after)) = (known[after - 1], known[after]);
    match fill {
        Fill::Null => (None, 0.0),
        Fill::Previous => (Some(before), 0.0),
        Fill::Value(value) => (Some(value), 0.0),
        Fill::Linear => {
            let value = before + (after - before) / (to - from) as f64 * (at - from) as f64;
            (Some(value), (before.abs() + after.abs()) * 1e-14)
        }
    }
}

fn known(events: &[Event]) -> Vec<(i64, f64)> {
    let known = events
        .iter()
        .filter_map(|event| Some((event.at.as_micros(), event.value?)));
    known.collect()
}

fn assert_points(found: &[Point], wanted: &[(i64, Option<f64>, f64, bool)], of: &str) {
    assert_eq!(found.len(), wanted.len(), "{of}: {found:?}, not {wanted:?}");
    for (point, (at, value, bound, filled)) in found.iter().zip(wanted) {
        assert_eq!((point.at.as_micros(), point.filled), (*at, *filled), "{of}");
        assert_near(point.value, *value, *bound, &(point, of));
    }
}

#[test]
fn gaps() {
    cases(|rng| {
        let events = events(rng, 40, 10);
        let (steps, fill) = (Steps::random(rng, &events), random_fill(rng));
        let points = series::of(events.clone()).timed(|event| event.at).gap_fill(
            steps.length(),
            fill,
            value,
        );
        let found = now(points.fetch()).unwrap();
        let known = known(&events);
        let mut wanted: Vec<_> = known
            .iter()
            .map(|(at, value)| (*at, Some(*value), 0.0, false))
            .collect();
        if let (Some(first), Some(last)) = (known.first(), known.last()) {
            let ends = [first.0, last.0].map(Timestamp::from_micros);
            for cell in steps.starts(ends[0], ends[1]).windows(2) {
                let holds_one = known.iter().any(|(at, _)| (cell[0]..cell[1]).contains(at));
                if !holds_one && first.0 < cell[0] && cell[0] < last.0 {
                    let (value, bound) = filled(&known, cell[0], fill);
                    wanted.push((cell[0], value, bound, true));
                }
            }
        }
        wanted.sort_by_key(|(at, ..)| *at);
        assert_points(&found, &wanted, &format!("{steps:?} {fill:?} {events:?}"));
    });
}

/// The points on a grid.
fn on_grid(events: &[Event], steps: Steps, fill: Fill) -> Vec<(i64, Option<f64>, f64, bool)> {
    let known = known(events);
    let (Some(first), Some(last)) = (known.first(), known.last()) else {
        return Vec::new();
    };
    let starts = steps.starts(
        Timestamp::from_micros(first.0),
        Timestamp::from_micros(last.0),
    );
    let starts = starts
        .into_iter()
        .filter(|at| (first.0..=last.0).contains(at));
    let point = |at| match known.iter().rfind(|(time, _)| *time == at) {
        Some((_, value)) => (at, Some(*value), 0.0, false),
        None => {
            let (value, bound) = filled(&known, at, fill);
            (at, value, bound, true)
        }
    };
    starts.map(point).collect()
}

/// Moves some events onto a grid.
fn snap(rng: &mut Rng, events: &mut [Event], steps: Steps) {
    if let (Steps::Micros(micros), true) = (steps, rng.bool()) {
        for event in events {
            let at = event.at.as_micros();
            event.at = Timestamp::from_micros(at - at.rem_euclid(micros));
        }
    }
}

#[test]
fn grids() {
    cases(|rng| {
        let mut events = events(rng, 40, 10);
        let (steps, fill) = (Steps::random(rng, &events), random_fill(rng));
        snap(rng, &mut events, steps);
        let points = series::of(events.clone()).timed(|event| event.at).resample(
            steps.length(),
            fill,
            value,
        );
        let found = now(points.fetch()).unwrap();
        let wanted = on_grid(&events, steps, fill);
        assert_points(&found, &wanted, &format!("{steps:?} {fill:?} {events:?}"));
    });
}

#[test]
fn aligned_series() {
    cases(|rng| {
        let mut all = events(rng, 60, 10);
        let (steps, fill) = (Steps::random(rng, &all), random_fill(rng));
        snap(rng, &mut all, steps);
        let split: Vec<Vec<Event>> = (0..4)
            .map(|series| {
                all.iter()
                    .filter(|event| event.series == series)
                    .copied()
                    .collect()
            })
            .collect();
        let rows = align(split.iter().map(|events| {
            series::of(events.clone())
                .timed(|event| event.at)
                .resample(steps.length(), fill, value)
        }));
        let found = now(rows.fetch()).unwrap();
        let columns: Vec<_> = split
            .iter()
            .map(|events| on_grid(events, steps, fill))
            .collect();
        let mut times: Vec<i64> = columns.iter().flatten().map(|(at, ..)| *at).collect();
        times.sort_unstable();
        times.dedup();
        let found_times: Vec<_> = found.iter().map(|row| row.at.as_micros()).collect();
        assert_eq!(found_times, times);
        for row in &found {
            for (value, column) in row.values.iter().zip(&columns) {
                let point = column.iter().find(|(at, ..)| *at == row.at.as_micros());
                let (wanted, bound) =
                    point.map_or((None, 0.0), |(_, value, bound, _)| (*value, *bound));
                assert_near(*value, wanted, bound, &(row, &all));
            }
        }
    });
}
