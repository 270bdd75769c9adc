//! Windows and their aggregates compared with brute force.

use bigtable_model::Timestamp;
use bigtable_model::series::{
    self, Length, Ohlc, SeriesExt as _, Window, Windows, count, first, increase, last, max, mean,
    min, ohlc, quantiles, rate, std_dev, sum, time_weighted_mean,
};

use crate::cuts::{Cut, Expected};
use crate::events::{Event, assert_mean, assert_near, assert_same, assert_sum, cases, events, now};

const PARTS: [f64; 5] = [0.0, 0.25, 0.5, 0.99, 1.0];

fn value(event: &Event) -> Option<f64> {
    event.value
}

fn values(events: &[Event]) -> Vec<f64> {
    events.iter().filter_map(value).collect()
}

fn assert_window<V, K>(found: &Window<V, K>, wanted: &Expected) {
    assert_eq!((found.start, found.end), (wanted.start, wanted.end));
    assert_eq!(found.events, wanted.events.len() as u64, "{wanted:?}");
}

#[test]
fn what_is_picked() {
    cases(|rng| {
        let cut = Cut::random(rng);
        let events = events(rng, 60, 30);
        let windows = series::of(events.clone())
            .timed(|event| event.at)
            .windows(cut.windows())
            .aggregate((
                count(),
                min(value),
                max(value),
                first(|event: &Event| event.number),
                last(|event: &Event| event.number),
                ohlc(value),
            ));
        let found = now(windows.fetch()).unwrap();
        let wanted = cut.expected(&events, None);
        assert_eq!(found.len(), wanted.len(), "{cut:?} of {events:?}");
        for (found, wanted) in found.iter().zip(&wanted) {
            assert_window(found, wanted);
            assert_picked(found.value, &wanted.events);
        }
    });
}

type Picked = (
    u64,
    Option<f64>,
    Option<f64>,
    Option<u64>,
    Option<u64>,
    Option<Ohlc<f64>>,
);

fn assert_picked(found: Picked, events: &[Event]) {
    let (count, min, max, first, last, bar) = found;
    let values = values(events);
    let has_nan = values.iter().any(|value| value.is_nan());
    let end = |pick: fn(f64, f64) -> f64| {
        let end = values.iter().copied().reduce(pick);
        if has_nan { Some(f64::NAN) } else { end }
    };
    assert_eq!(count, events.len() as u64);
    assert_same(min, end(f64::min), &values);
    assert_same(max, end(f64::max), &values);
    assert_eq!(first, events.first().map(|event| event.number));
    assert_eq!(last, events.last().map(|event| event.number));
    assert_same(bar.map(|bar| bar.low), min, &values);
    assert_same(bar.map(|bar| bar.high), max, &values);
    assert_same(bar.map(|bar| bar.open), values.first().copied(), &values);
    assert_same(bar.map(|bar| bar.close), values.last().copied(), &values);
}

#[test]
fn sums_means_and_deviations() {
    cases(|rng| {
        let cut = Cut::random(rng);
        let events = events(rng, 60, 5);
        let windows = series::of(events.clone())
            .timed(|event| event.at)
            .windows(cut.windows())
            .aggregate((
                sum(value),
                mean(value),
                std_dev(value),
                sum(|event: &Event| u64::MAX - event.number),
                mean(|event: &Event| event.number),
            ));
        let found = now(windows.fetch()).unwrap();
        let wanted = cut.expected(&events, None);
        assert_eq!(found.len(), wanted.len(), "{cut:?} of {events:?}");
        for (found, wanted) in found.iter().zip(&wanted) {
            assert_window(found, wanted);
            let (sum, mean, deviation, exact, number) = found.value;
            let values = values(&wanted.events);
            assert_sum(sum, &values);
            assert_mean(mean, &values);
            assert_deviation(deviation, &values);
            let numbers = wanted.events.iter().map(|event| event.number);
            let wanted_sum: i128 = numbers
                .clone()
                .map(|number| i128::from(u64::MAX - number))
                .sum();
            assert_eq!(exact, wanted_sum);
            let (numbers, n) = (numbers.sum::<u64>() as f64, wanted.events.len() as f64);
            assert_eq!(number, Some(numbers / n));
        }
    });
}

/// Within n·ε times the square root of mean² + variance; the two-pass computation that it is
/// compared with is as exact.
fn assert_deviation(found: Option<f64>, values: &[f64]) {
    if values.len() < 2 {
        assert_eq!(found, None);
        return;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / (n - 1.0);
    let bound = 2.0 * n * f64::EPSILON * (mean * mean + variance).sqrt();
    assert_near(found, Some(variance.sqrt()), bound, &values);
}

#[test]
fn quantiles_of_a_sketch() {
    cases(|rng| {
        let cut = Cut::random(rng);
        let events = events(rng, 60, 2);
        let windows = series::of(events.clone())
            .timed(|event| event.at)
            .windows(cut.windows())
            .aggregate(quantiles(PARTS, value));
        let found = now(windows.fetch()).unwrap();
        let wanted = cut.expected(&events, None);
        assert_eq!(found.len(), wanted.len(), "{cut:?} of {events:?}");
        for (found, wanted) in found.iter().zip(&wanted) {
            assert_window(found, wanted);
            let mut values = values(&wanted.events);
            values.sort_by(f64::total_cmp);
            assert_eq!(found.value.is_some(), !values.is_empty());
            for (part, quantile) in PARTS.iter().zip(found.value.unwrap_or_default()) {
                if values.is_empty() {
                    continue;
                }
                let rank = (part * (values.len() - 1) as f64) as usize;
                let has_nan = values.iter().any(|value| value.is_nan());
                let exact = if has_nan { f64::NAN } else { values[rank] };
                let bound = series::QUANTILE_ERROR * exact.abs() * (1.0 + 1e-9);
                let bound = if *part == 0.0 || *part == 1.0 {
                    0.0
                } else {
                    bound
                };
                assert_near(Some(quantile), Some(exact), bound, &(part, &values));
            }
        }
    });
}

#[test]
fn rates_of_counters() {
    cases(|rng| {
        let cut = Cut::random(rng);
        let mut events = events(rng, 60, 0);
        let mut counter = 0_u32;
        for event in &mut events {
            counter = if rng.u8(..10) == 0 {
                rng.u32(..5)
            } else {
                counter + rng.u32(..1_000)
            };
            event.value = event.value.map(|_| f64::from(counter));
        }
        let windows = series::of(events.clone())
            .timed(|event| event.at)
            .windows(cut.windows())
            .aggregate((
                increase(value),
                rate(value),
                increase(|event: &Event| event.value.map(|value| value as u64)),
            ));
        let found = now(windows.fetch()).unwrap();
        let wanted = cut.expected(&events, None);
        assert_eq!(found.len(), wanted.len(), "{cut:?} of {events:?}");
        for (found, wanted) in found.iter().zip(&wanted) {
            assert_window(found, wanted);
            let (increase, rate, integers) = found.value;
            let samples = |events: &[Event]| -> Vec<(i64, f64)> {
                let samples = events
                    .iter()
                    .filter_map(|event| Some((event.at.as_micros(), event.value?)));
                samples.collect()
            };
            let mut samples_of = samples(&wanted.events);
            if samples_of.is_empty() {
                assert_eq!(found.value, (None, None, None));
                continue;
            }
            samples_of.splice(..0, samples(&wanted.before).last().copied());
            let grown = samples_of.windows(2).map(|pair| {
                let (before, after) = (pair[0].1, pair[1].1);
                if after < before {
                    after
                } else {
                    after - before
                }
            });
            let grown: f64 = grown.sum();
            assert_eq!((increase, integers), (Some(grown), Some(grown)));
            let seconds = (samples_of[samples_of.len() - 1].0 - samples_of[0].0) as f64 / 1e6;
            let wanted = (seconds > 0.0).then(|| grown / seconds);
            assert_near(rate, wanted, wanted.unwrap_or(0.0) * 1e-14, &samples_of);
        }
    });
}

/// A NaN makes the growth NaN, also if it is the only value of its window.
#[test]
fn a_nan_has_no_growth() {
    let of = |values: &[f64]| {
        let events: Vec<_> = (0..).zip(values).collect();
        let windows = series::of(events)
            .timed(|(second, _)| Timestamp::from_seconds(*second))
            .windows(Windows::tumbling(Length::days(1)))
            .aggregate((
                increase(|event: &(i64, &f64)| *event.1),
                rate(|event: &(i64, &f64)| *event.1),
            ));
        now(windows.fetch()).unwrap()[0].value
    };
    let (growth, rate) = of(&[f64::NAN]);
    assert!(growth.unwrap().is_nan() && rate.is_none());
    for values in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
        let (growth, rate) = of(&values);
        assert!(growth.unwrap().is_nan() && rate.unwrap().is_nan());
    }
    assert_eq!(of(&[f64::INFINITY]).0, Some(0.0));
}

#[test]
fn means_weighted_by_time() {
    cases(|rng| {
        let cut = Cut::random(rng);
        let events = events(rng, 40, 5);
        let empty = cut.is_of_time() && rng.bool() && is_short(&cut, &events);
        let windows = cut.windows();
        let windows = series::of(events.clone())
            .timed(|event| event.at)
            .windows(if empty { windows.with_empty() } else { windows })
            .aggregate(time_weighted_mean(value));
        let found = now(windows.fetch()).unwrap();
        let end = events.last().map(|event| event.at);
        let wanted = cut.expected(&events, end.filter(|_| empty));
        assert_eq!(found.len(), wanted.len(), "{cut:?} of {events:?}");
        for (found, wanted) in found.iter().zip(&wanted) {
            assert_window(found, wanted);
            assert_weighted(found.value, wanted);
        }
    });
}

fn assert_weighted(found: Option<f64>, wanted: &Expected) {
    let held = wanted.before.iter().rev().find_map(value);
    let measured = wanted
        .events
        .iter()
        .filter_map(|event| Some((event.at, event.value?)));
    let mut steps: Vec<(Timestamp, f64)> = held
        .map(|value| (wanted.start, value))
        .into_iter()
        .collect();
    steps.extend(measured);
    let Some((from, _)) = steps.first().copied() else {
        assert_eq!(found, None);
        return;
    };
    let micros = |from: Timestamp, to: Timestamp| (to.as_micros() - from.as_micros()) as f64;
    let ends = steps.iter().skip(1).map(|(at, _)| *at).chain([wanted.end]);
    let parts = steps
        .iter()
        .zip(ends)
        .map(|((at, value), end)| (*value, micros(*at, end)));
    let parts: Vec<_> = parts.filter(|(_, held)| *held > 0.0).collect();
    let all = micros(from, wanted.end);
    let (mean, bound) = if all > 0.0 {
        let area = parts.iter().map(|(value, held)| value * (held / all));
        let magnitude: f64 = parts
            .iter()
            .map(|(value, held)| value.abs() * (held / all))
            .sum();
        (area.sum(), magnitude * 1e-13)
    } else {
        (steps[steps.len() - 1].1, 0.0)
    };
    assert_near(found, Some(mean), bound, wanted);
}

/// Whether there are few enough windows between the first event and the last.
fn is_short(cut: &Cut, events: &[Event]) -> bool {
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return true;
    };
    let micros = last.at.as_micros() - first.at.as_micros();
    match cut {
        Cut::Every { size, step } => (micros + size) / step < 1_000,
        _ => micros < 1_000 * 86_400_000_000,
    }
}

#[test]
fn empty_windows() {
    cases(|rng| {
        let cut = Cut::random(rng);
        let events = events(rng, 30, 0);
        if !cut.is_of_time() || !is_short(&cut, &events) {
            return;
        }
        let windows = series::of(events.clone())
            .timed(|event| event.at)
            .windows(cut.windows().with_empty())
            .aggregate((count(), min(value), sum(value)));
        let found = now(windows.fetch()).unwrap();
        let wanted = cut.expected(&events, events.last().map(|event| event.at));
        assert_eq!(found.len(), wanted.len(), "{cut:?} of {events:?}");
        for (found, wanted) in found.iter().zip(&wanted) {
            assert_window(found, wanted);
            let (count, min, sum) = found.value;
            let values = values(&wanted.events);
            assert_eq!(count, wanted.events.len() as u64);
            assert_same(min, values.iter().copied().reduce(f64::min), &values);
            assert_sum(sum, &values);
        }
    });
}
