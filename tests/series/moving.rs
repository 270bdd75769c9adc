//! Moving averages compared with brute force.

use std::time::Duration;

use bigtable_model::series::{
    self, SeriesExt as _, exponential_mean, exponential_mean_over, moving_mean,
};

use crate::events::{Event, assert_mean, assert_near, cases, events, now};

fn value(event: &Event) -> Option<f64> {
    event.value
}

#[test]
fn simple_averages() {
    cases(|rng| {
        let (short, long) = (rng.usize(1..5), rng.usize(1..40));
        let events = events(rng, 60, 10);
        let moved = series::of(events.clone()).timed(|event| event.at).moving((
            moving_mean(short as u32, value),
            moving_mean(long as u32, value),
        ));
        let found = now(moved.fetch()).unwrap();
        assert_eq!(found.len(), events.len());
        let mut values = Vec::new();
        for (found, event) in found.iter().zip(&events) {
            assert_eq!((found.event.number, found.at), (event.number, event.at));
            values.extend(event.value);
            for (mean, size) in [(found.value.0, short), (found.value.1, long)] {
                match values.len().checked_sub(size) {
                    Some(from) => assert_mean(mean, &values[from..]),
                    None => assert_eq!(mean, None),
                }
            }
        }
    });
}

#[test]
fn exponential_averages() {
    cases(|rng| {
        let (size, over) = (rng.u32(1..20), 10_u64.pow(rng.u32(3..12)));
        let events = events(rng, 40, 5);
        let moved = series::of(events.clone()).timed(|event| event.at).moving((
            exponential_mean(size, value),
            exponential_mean_over(Duration::from_micros(over), value),
        ));
        let found = now(moved.fetch()).unwrap();
        assert_eq!(found.len(), events.len());
        let mut values: Vec<(f64, f64)> = Vec::new();
        for (found, event) in found.iter().zip(&events) {
            values.extend(
                event
                    .value
                    .map(|value| (event.at.as_micros() as f64, value)),
            );
            let alpha = 2.0 / (f64::from(size) + 1.0);
            let (by_count, by_time) = found.value;
            assert_average(by_count, &values, |_| 1.0 - alpha);
            assert_average(by_time, &values, |micros| (-micros / over as f64).exp());
        }
    });
}

/// Each value weighted in closed form. `stays` is the part of the average that remains after a
/// time.
fn assert_average(found: Option<f64>, values: &[(f64, f64)], stays: impl Fn(f64) -> f64) {
    let mut average = None;
    let mut magnitude = 0.0;
    for (at, (micros, value)) in values.iter().enumerate() {
        let later = values[at..]
            .windows(2)
            .map(|pair| stays(pair[1].0 - pair[0].0));
        let left: f64 = later.product();
        let counts = match at.checked_sub(1) {
            Some(before) => 1.0 - stays(micros - values[before].0),
            None => 1.0,
        };
        average = Some(average.unwrap_or(0.0) + value * counts * left);
        magnitude += value.abs();
    }
    assert_near(found, average, magnitude * 1e-13, &values);
}
