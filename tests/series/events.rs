//! Random events, and their aggregates by brute force.

use std::fmt::Debug;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bigtable_model::Timestamp;
use bigtable_model_tests::runs::nightly;
use fastrand::Rng;

/// The number of random cases for each operation.
pub(crate) fn seeds() -> std::ops::Range<u64> {
    0..nightly(20_000, 2_000)
}

/// Values are multiples of 2^-30, so integers can sum them exactly.
const SCALE: f64 = (1_u64 << 30) as f64;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Event {
    pub(crate) at: Timestamp,
    pub(crate) value: Option<f64>,
    /// Its position in the stream.
    pub(crate) number: u64,
    pub(crate) series: u8,
}

/// Runs a check for each seed, and names the failing one.
pub(crate) fn cases(check: impl Fn(&mut Rng)) {
    for seed in seeds() {
        let run = catch_unwind(AssertUnwindSafe(|| check(&mut Rng::with_seed(seed))));
        if let Err(panic) = run {
            eprintln!("seed {seed}");
            resume_unwind(panic);
        }
    }
}

/// The result of a future that never waits.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

/// Times of clock changes in the zones of [`ZONES`], and others.
const STARTS: &[i64] = &[
    0,
    -86_400,
    951_782_400,   // 2000-02-29
    1_301_752_800, // Lord Howe goes back by half an hour
    1_325_240_000, // Apia leaves out a day
    1_383_458_400, // New York goes back
    1_394_348_400, // New York goes forward
    1_413_687_600, // Sao Paulo leaves out midnight
    1_424_570_400, // Sao Paulo has the hour before midnight twice
    1_711_846_800, // London goes forward
];

pub(crate) const ZONES: &[&str] = &[
    "UTC",
    "America/New_York",
    "America/Sao_Paulo",
    "Pacific/Apia",
    "Australia/Lord_Howe",
    "Europe/London",
    "Asia/Kathmandu",
];

/// Events in time order, at irregular times with ties and long gaps; `nan` of a thousand values are
/// NaN.
pub(crate) fn events(rng: &mut Rng, most: usize, nan: u32) -> Vec<Event> {
    let start = STARTS[rng.usize(..STARTS.len())] + rng.i64(-200_000..200_000);
    let mut micros = start * 1_000_000;
    // The steps of a case have one magnitude, so windows of any length are sometimes full and
    // sometimes empty.
    let step = 10_i64.pow(rng.u32(3..12));
    let wide = rng.bool();
    (0..rng.usize(..=most))
        .map(|number| {
            micros += match rng.u8(..10) {
                0..3 => 0,
                3..8 => rng.i64(0..step),
                8 => rng.i64(0..=step / 60_000_000 + 1) * 60_000_000,
                _ => rng.i64(0..step * 10),
            };
            Event {
                at: Timestamp::from_micros(micros),
                value: (rng.u8(..8) > 0).then(|| value(rng, wide, nan)),
                number: number as u64,
                series: rng.u8(..4),
            }
        })
        .collect()
}

fn value(rng: &mut Rng, wide: bool, nan: u32) -> f64 {
    if rng.u32(..1_000) < nan {
        return f64::NAN;
    }
    let value = if wide {
        let mantissa = rng.i64(-(1 << 53)..(1 << 53)) as f64;
        mantissa * 2_f64.powi(rng.i32(-30..30))
    } else {
        f64::from(rng.i32(-20..20)) / 4.0
    };
    if rng.u8(..20) == 0 { 0.0 } else { value }
}

/// A sum without rounding, and the sum of the magnitudes.
pub(crate) fn exact_sum(values: &[f64]) -> (i128, f64) {
    let scaled = values.iter().map(|value| (value * SCALE) as i128);
    let magnitude = values.iter().map(|value| value.abs()).sum();
    (scaled.sum(), magnitude)
}

/// Checks that a sum is within the documented bound; a NaN among the values makes it NaN.
pub(crate) fn assert_sum(found: f64, values: &[f64]) {
    if values.iter().any(|value| value.is_nan()) {
        assert!(found.is_nan(), "{found} of {values:?}");
        return;
    }
    let (exact, magnitude) = exact_sum(values);
    let off = ((found * SCALE) as i128 - exact).abs() as f64 / SCALE;
    let (n, eps) = (values.len() as f64, f64::EPSILON);
    let bound = eps * (exact as f64 / SCALE).abs() + n * n * eps * eps * magnitude;
    assert!(
        off <= bound,
        "{found} is off by {off}, {bound} is allowed: {values:?}"
    );
}

/// Checks that a mean is within the documented bound.
pub(crate) fn assert_mean(found: Option<f64>, values: &[f64]) {
    let Some(found) = found else {
        assert!(values.is_empty(), "no mean of {values:?}");
        return;
    };
    if values.iter().any(|value| value.is_nan()) {
        assert!(found.is_nan(), "{found} of {values:?}");
        return;
    }
    let (exact, magnitude) = exact_sum(values);
    let n = values.len() as f64;
    let exact = exact as f64 / SCALE / n;
    let eps = f64::EPSILON;
    // One more rounding, and one of the mean that it is compared with.
    let bound = 3.0 * eps * exact.abs() + n * eps * eps * magnitude;
    assert!(
        (found - exact).abs() <= bound,
        "{found}, not {exact}: {values:?}"
    );
}

/// Checks that two floats are equal; NaN equals NaN.
pub(crate) fn assert_same<T: Debug>(found: Option<f64>, wanted: Option<f64>, of: &T) {
    let is_same = match (found, wanted) {
        (Some(one), Some(other)) => one == other || one.is_nan() && other.is_nan(),
        (one, other) => one == other,
    };
    assert!(is_same, "{found:?}, not {wanted:?}: {of:?}");
}

/// Checks that a float is within a bound of another; NaN equals NaN.
pub(crate) fn assert_near<T: Debug>(found: Option<f64>, wanted: Option<f64>, bound: f64, of: &T) {
    let is_near = match (found, wanted) {
        (Some(one), Some(other)) if !other.is_nan() => (one - other).abs() <= bound,
        (Some(one), Some(_)) => one.is_nan(),
        (one, other) => one == other,
    };
    assert!(is_near, "{found:?}, not {wanted:?} within {bound}: {of:?}");
}
