//! Compares several ways to do one thing in turns: ratios stay stable where absolute times drift.

use std::env;
use std::time::{Duration, Instant};

/// Times one run.
pub(crate) fn timed<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = run();
    let elapsed = start.elapsed();
    std::hint::black_box(result);
    elapsed
}

/// One way to do a thing. A run returns the measured time, without its preparation.
pub(crate) struct Way<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> Duration + 'a>,
    times: Vec<Duration>,
}

/// A way to do a thing.
pub(crate) fn way<'a>(name: &'static str, run: impl FnMut() -> Duration + 'a) -> Way<'a> {
    Way {
        name,
        run: Box::new(run),
        times: Vec::new(),
    }
}

impl Way<'_> {
    /// The fastest run, with the least interference by other work.
    fn best(&self) -> Duration {
        self.times.iter().min().copied().unwrap_or_default()
    }

    fn median(&mut self) -> Duration {
        self.times.sort_unstable();
        let middle = self.times.get(self.times.len() / 2);
        middle.copied().unwrap_or_default()
    }
}

/// Whether a way is run: all are, unless this variable selects some by a part of the name, for a
/// profiler.
fn is_wanted(name: &str) -> bool {
    env::var("BIGTABLE_MODEL_BENCH_WAY").map_or(true, |part| name.contains(&part))
}

/// Runs the ways in turns, `rounds` times each. Prints and returns the best time of each in
/// nanoseconds for one of `count` items of a run; the ratio is the speed relative to the first way,
/// followed by the ratio of the medians.
pub(crate) fn compare<const N: usize>(
    title: &str,
    count: u32,
    rounds: usize,
    mut ways: [Way<'_>; N],
) -> [f64; N] {
    if !measuring() {
        return [0.0; N];
    }
    for _ in 0..rounds {
        for way in ways.iter_mut().filter(|way| is_wanted(way.name)) {
            way.times.push((way.run)());
        }
    }
    let best = ways
        .each_ref()
        .map(|way| way.best().as_secs_f64() * 1e9 / f64::from(count));
    println!("\n{title}");
    let medians = ways.each_mut().map(|way| way.median().as_secs_f64());
    for ((way, nanos), median) in ways.iter().zip(best).zip(medians) {
        let (ratio, of_medians) = (best[0] / nanos, medians[0] / median);
        println!(
            "  {:<44} {nanos:>8.1} ns   ratio {ratio:.2}, of medians {of_medians:.2}",
            way.name
        );
    }
    best
}

/// Whether this is `cargo bench`, and not a test of the benchmark or a run for a profiler.
pub(crate) fn measuring() -> bool {
    let has = |name: &str| env::args().any(|argument| argument == name);
    has("--bench") && !has("--profile-time")
}
