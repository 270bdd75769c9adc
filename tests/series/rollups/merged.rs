//! Columns of roll-ups compared with a brute-force computation over the same events in 10,000
//! random cases: NaN, values that were not measured, and parts of any length.

use bigtable_model::rollup::{Mean, Rollup};
use bigtable_model::{Model, Timestamp};
use fastrand::Rng;

use crate::events::{assert_near, assert_same, cases, events};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SAMPLE", family = "S", marker = "SAMPLE", rollup(Part))]
struct Sample {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "us")]
    at: Timestamp,
    value: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "PART", family = "P", marker = "PART")]
#[rollup(of = Sample, every = "1h")]
struct Part {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[rollup(count)]
    samples: u64,
    #[rollup(count(value))]
    known: u64,
    #[rollup(sum(value))]
    sum: Option<f64>,
    #[rollup(mean(value))]
    mean: Mean,
    #[rollup(min(value))]
    least: Option<f64>,
    #[rollup(max(value))]
    greatest: Option<f64>,
    #[rollup(first(value))]
    first: Option<f64>,
    #[rollup(last(value))]
    last: Option<f64>,
}

/// The aggregate of samples, merged from parts of parts.
fn merged(samples: &[Sample], rng: &mut Rng) -> Part {
    match samples {
        [one] => Part::of(one, one.at),
        samples => {
            let (earlier, later) = samples.split_at(rng.usize(1..samples.len()));
            let mut whole = merged(earlier, rng);
            let later = merged(later, rng).starting(whole.start);
            whole.merge(&later).unwrap();
            whole
        }
    }
}

#[test]
fn columns_of_parts_are_those_of_the_whole() {
    cases(|rng| {
        let sample = |event: &crate::events::Event| Sample {
            sensor: "a".to_owned(),
            at: event.at,
            value: event.value,
        };
        let samples: Vec<_> = events(rng, 60, 20).iter().map(sample).collect();
        if samples.is_empty() {
            return;
        }
        let found = merged(&samples, rng);
        let values: Vec<f64> = samples.iter().filter_map(|one| one.value).collect();
        assert_eq!(found.start, samples[0].at);
        assert_eq!(found.samples, samples.len() as u64);
        assert_eq!(
            (found.known, found.mean.count),
            (values.len() as u64, values.len() as u64)
        );
        assert_same(found.first, values.first().copied(), &values);
        assert_same(found.last, values.last().copied(), &values);
        // A NaN is the minimum and the maximum.
        let picked = |one: f64, other: f64, takes: bool| match (one.is_nan(), other.is_nan()) {
            (true, _) => one,
            (_, true) => other,
            _ if takes => other,
            _ => one,
        };
        let known = || values.iter().copied();
        let least = known().reduce(|one, other| picked(one, other, other < one));
        let greatest = known().reduce(|one, other| picked(one, other, other > one));
        assert_same(found.least, least, &values);
        assert_same(found.greatest, greatest, &values);
        let sum = (!values.is_empty()).then(|| known().sum::<f64>());
        let magnitude: f64 = known().map(f64::abs).sum();
        // Both sums are within the bound of the exact sum.
        let bound = 2.0 * values.len() as f64 * f64::EPSILON * magnitude;
        assert_near(found.sum, sum, bound, &values);
        let mean = sum.map(|sum| sum / values.len() as f64);
        assert_near(found.mean.value(), mean, bound, &values);
    });
}

/// A macro that takes a field from its caller, so that name and type have the caller's hygiene.
macro_rules! of_field {
    ($(#[$time:meta])* $start:ident: $type:ty, $(#[$by:meta])* $column:ident: $number:ty) => {
        #[derive(Debug, Clone, PartialEq, Model, Rollup)]
        #[bigtable(table = "TAKEN", family = "P")]
        #[rollup(of = Taken, every = "1h")]
        struct Given {
            #[bigtable(key)]
            sensor: String,
            $(#[$time])*
            $start: $type,
            $(#[$by])*
            $column: $number,
        }
    };
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TAKEN_FROM", family = "S", rollup(Given))]
struct Taken {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "us")]
    at: Timestamp,
    value: i64,
}

of_field!(#[bigtable(time, unit = "s")] start: Timestamp, #[rollup(max)] value: i64);

#[test]
fn a_macro_gives_the_fields_of_its_caller() {
    let at = Timestamp::from_seconds(7_200);
    let taken = Taken {
        sensor: "a".to_owned(),
        at,
        value: 3,
    };
    let given = Given::of(&taken, at).starting(Timestamp::from_seconds(3_600));
    assert_eq!((given.start.as_seconds(), given.value), (3_600, 3));
}
