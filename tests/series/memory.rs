//! Operations need the memory of a window, however many events there are.

use std::alloc::System;
use std::process::Command;
use std::time::Duration;

use bigtable_model::series::{
    self, AsOf, Fill, Length, SeriesExt as _, Windows, align, count, exponential_mean, last, max,
    mean, min, moving_mean, ohlc, quantiles, rate, std_dev, sum, time_weighted_mean,
};
use bigtable_model::{Error, Timestamp};
use futures::{Stream, StreamExt as _};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use crate::events::now;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Events a second apart.
type Event = (i64, f64);

fn at(event: &Event) -> Timestamp {
    Timestamp::from_seconds(event.0)
}

fn value(event: &Event) -> f64 {
    event.1
}

fn feed(events: u32) -> impl Stream<Item = Result<Event, Error>> + Unpin {
    series::of((0..events).map(|number| (i64::from(number), f64::from(number % 1_000) + 0.5)))
}

fn live() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// The peak memory while a stream is read: during the first tenth of it, and after that.
fn most_held<T>(mut results: impl Stream<Item = Result<T, Error>> + Unpin, of: u32) -> [usize; 2] {
    let before = live();
    let mut most = [0, 0];
    let mut read = 0;
    now(async {
        while let Some(result) = results.next().await {
            result.unwrap();
            let part = usize::from(read >= of / 10);
            read += 1;
            most[part] = most[part].max(live().saturating_sub(before));
        }
    });
    assert_eq!(read, of);
    most
}

/// Memory does not exceed that of the first tenth, nor that of a window.
fn assert_flat<T>(
    what: &str,
    results: impl Stream<Item = Result<T, Error>> + Unpin,
    of: u32,
    bytes: usize,
) {
    let [first, later] = most_held(results, of);
    println!("{what}: {first} bytes");
    assert!(later <= first, "{what}: {later} bytes after {first}");
    assert!(first <= bytes, "{what}: {first} bytes");
}

/// In a separate process, since allocations are counted for all threads.
#[test]
fn memory_is_that_of_a_window() {
    let this = std::env::current_exe().unwrap();
    let arguments = [
        "memory::in_a_process_of_its_own",
        "--exact",
        "--ignored",
        "--nocapture",
    ];
    let output = Command::new(this).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "run by the test before it"]
fn in_a_process_of_its_own() {
    const MANY: u32 = 10_000_000;
    const SOME: u32 = 500_000;
    let minutes = || Windows::tumbling(Length::minutes(1));
    let all = (
        (count(), sum(value), mean(value), std_dev(value)),
        (min(value), max(value), last(value), ohlc(value)),
        (rate(value), time_weighted_mean(value)),
    );
    let windows = feed(MANY).timed(at).windows(minutes()).aggregate(all);
    assert_flat("tumbling windows", windows, MANY.div_ceil(60), 16 << 10);

    let sketches = quantiles([0.5, 0.99], value);
    let windows = feed(SOME).timed(at).windows(minutes()).aggregate(sketches);
    assert_flat("quantiles", windows, SOME.div_ceil(60), 64 << 10);

    let hour = Windows::hopping(Length::hours(1), Length::minutes(1));
    let windows = feed(SOME).timed(at).windows(hour).aggregate(mean(value));
    assert_flat("hopping windows", windows, SOME.div_ceil(60) + 59, 32 << 10);

    let sliding = Windows::sliding(Length::minutes(10));
    let windows = feed(SOME).timed(at).windows(sliding).aggregate(mean(value));
    assert_flat("sliding windows", windows, SOME, 256 << 10);

    let hundreds = Windows::hopping(Length::events(100), Length::events(10));
    let windows = feed(SOME)
        .timed(at)
        .windows(hundreds)
        .aggregate(mean(value));
    assert_flat("windows by count", windows, SOME / 10, 16 << 10);

    // A window for each second, over a gap of 500,000 seconds.
    let gap = series::of([(0, 1.0), (i64::from(SOME) - 1, 2.0)]).timed(at);
    let windows = gap.windows(Windows::tumbling(Length::seconds(1)).with_empty());
    assert_flat("empty windows", windows.aggregate(count()), SOME, 16 << 10);

    let averages = (moving_mean(30, value), exponential_mean(30, value));
    let moved = feed(SOME).timed(at).moving(averages);
    assert_flat("moving averages", moved, SOME, 32 << 10);

    let points = || {
        feed(SOME)
            .timed(at)
            .resample(Duration::from_millis(250), Fill::Linear, value)
    };
    assert_flat("a grid", points(), SOME * 4 - 3, 16 << 10);
    assert_flat(
        "aligned series",
        align([points(), points()]),
        SOME * 4 - 3,
        16 << 10,
    );
    let gaps = feed(SOME)
        .timed(at)
        .gap_fill(Duration::from_millis(500), Fill::Previous, value);
    assert_flat("filled gaps", gaps, SOME * 2 - 1, 16 << 10);

    let other = || feed(SOME).timed(at);
    let joined = feed(SOME)
        .timed(at)
        .asof_join(other(), AsOf::Nearest, Duration::MAX);
    assert_flat("a join", joined, SOME, 16 << 10);
    let zipped = feed(SOME)
        .timed(at)
        .zip_by_time(other(), Duration::from_millis(1));
    assert_flat("pairs", zipped, SOME, 16 << 10);
}
