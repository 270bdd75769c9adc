//! The cost of windows: the sum, minimum, maximum and mean of each minute of 2,000,000 events in
//! memory, compared with a fold by hand and with the plain stream; and of the same events from a
//! query.
//!
//! `cargo bench -p bigtable-model-tests --bench series`
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark may panic")]

mod support;

use std::hint::black_box;

use bigtable_model::series::{
    self, Length, SeriesExt as _, Windows, max, mean, min, quantile, sum,
};
use bigtable_model::{BackendExt as _, Error, MemoryBackend, Model as _, Timestamp};
use bigtable_model_tests::quote::Quote;
use criterion::{Criterion, criterion_group};
use futures::{Stream, TryStreamExt as _};
use support::{compare, timed, way};
use tokio::runtime::{Builder, Runtime};

const EVENTS: u32 = 2_000_000;
const QUOTES: u32 = 100_000;

/// A sample every 250 ms: 240 in a minute.
#[derive(Debug, Clone, Copy)]
struct Sample {
    at: Timestamp,
    value: f64,
}

fn sample(number: u32) -> Sample {
    Sample {
        at: Timestamp::from_millis(1_426_535_580_000 + i64::from(number) * 250),
        value: f64::from(black_box(number) % 1_000) + 0.5,
    }
}

fn feed() -> impl Stream<Item = Result<Sample, Error>> + Unpin {
    series::of((0..EVENTS).map(sample))
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

async fn alone<E>(mut feed: impl Stream<Item = Result<E, Error>> + Unpin) -> u32 {
    let mut count = 0;
    while let Some(event) = feed.try_next().await.unwrap() {
        black_box(&event);
        count += 1;
    }
    count
}

async fn windows<E>(
    feed: impl Stream<Item = Result<E, Error>> + Unpin,
    at: impl Fn(&E) -> Timestamp,
    value: impl Fn(&E) -> f64 + Copy,
    windows: Windows,
) -> f64 {
    let aggregates = (sum(value), min(value), max(value), mean(value));
    let mut windows = feed.timed(at).windows(windows).aggregate(aggregates);
    let mut all = 0.0;
    while let Some(window) = windows.try_next().await.unwrap() {
        all += black_box(window).value.0;
    }
    all
}

/// Code without windows.
async fn by_hand<E>(
    mut feed: impl Stream<Item = Result<E, Error>> + Unpin,
    at: impl Fn(&E) -> Timestamp,
    value: impl Fn(&E) -> f64,
) -> f64 {
    let (mut minute, mut count, mut all) = (None, 0_u32, 0.0);
    let (mut sum, mut min, mut max) = (0.0, f64::INFINITY, f64::NEG_INFINITY);
    while let Some(event) = feed.try_next().await.unwrap() {
        let of = at(&event).as_micros().div_euclid(60_000_000);
        if minute.is_some_and(|minute| minute != of) {
            all += black_box((sum, min, max, sum / f64::from(count))).0;
            (sum, min, max, count) = (0.0, f64::INFINITY, f64::NEG_INFINITY, 0);
        }
        let value = value(&event);
        minute = Some(of);
        count += 1;
        sum += value;
        min = min.min(value);
        max = max.max(value);
    }
    all + sum
}

fn minutes() -> Windows {
    Windows::tumbling(Length::minutes(1))
}

async fn medians() -> f64 {
    let value = |sample: &Sample| sample.value;
    let timed = feed().timed(|sample| sample.at).windows(minutes());
    let mut windows = timed.aggregate(quantile(0.5, value));
    let mut all = 0.0;
    while let Some(window) = windows.try_next().await.unwrap() {
        all += window.value.unwrap();
    }
    all
}

async fn filled() -> MemoryBackend {
    let quotes: Vec<_> = (0..QUOTES)
        .map(|number| Quote {
            exchange: "NASDAQ".to_owned(),
            symbol: "ZXZZ".to_owned(),
            at: sample(number).at,
            bid: sample(number).value,
            bid_size: None,
        })
        .collect();
    let db = MemoryBackend::new();
    db.ensure_tables::<Quote>().await.unwrap();
    db.insert_many(&quotes).await.into_result().unwrap();
    db
}

fn of_quote(quote: &Quote) -> Timestamp {
    quote.at
}

fn series(criterion: &mut Criterion) {
    let runtime = runtime();
    let mut group = criterion.benchmark_group("series");
    group.sample_size(10);
    group.bench_function("windows", |bencher| {
        let (at, value) = (|sample: &Sample| sample.at, |sample: &Sample| sample.value);
        bencher.iter(|| runtime.block_on(windows(feed(), at, value, minutes())));
    });
    group.finish();
}

criterion_group!(benches, series);

/// The nanoseconds for each event that windows may add to their source.
const ABOVE_THE_FEED: f64 = 30.0;

fn main() {
    let runtime = runtime();
    let (at, value) = (|sample: &Sample| sample.at, |sample: &Sample| sample.value);
    let hopping = || Windows::hopping(Length::hours(1), Length::minutes(1));
    let sliding = || Windows::sliding(Length::minutes(10));
    let by_hand_sum = runtime.block_on(by_hand(feed(), at, value));
    assert_eq!(
        runtime.block_on(windows(feed(), at, value, minutes())),
        by_hand_sum
    );
    let [feed_alone, tumbling, ..] = compare(
        "sum, minimum, maximum and mean of each minute, an event",
        EVENTS,
        7,
        [
            way("the stream alone", || {
                timed(|| runtime.block_on(alone(feed())))
            }),
            way("tumbling windows", || {
                timed(|| runtime.block_on(windows(feed(), at, value, minutes())))
            }),
            way("folded by hand", || {
                timed(|| runtime.block_on(by_hand(feed(), at, value)))
            }),
            way("an hour each minute", || {
                timed(|| runtime.block_on(windows(feed(), at, value, hopping())))
            }),
            way("10 minutes up to each event", || {
                timed(|| runtime.block_on(windows(feed(), at, value, sliding())))
            }),
            way("the median of each minute", || {
                timed(|| runtime.block_on(medians()))
            }),
        ],
    );
    let db = runtime.block_on(filled());
    let read = || db.stream(&Quote::query().exchange("NASDAQ").symbol("ZXZZ"));
    let bid = |quote: &Quote| quote.bid;
    compare(
        "the same of a query in memory, an event",
        QUOTES,
        7,
        [
            way("the query alone", || {
                timed(|| runtime.block_on(alone(read())))
            }),
            way("tumbling windows", || {
                timed(|| runtime.block_on(windows(read(), of_quote, bid, minutes())))
            }),
            way("folded by hand", || {
                timed(|| runtime.block_on(by_hand(read(), of_quote, bid)))
            }),
        ],
    );
    let above = tumbling - feed_alone;
    assert!(
        above <= ABOVE_THE_FEED,
        "windows cost {above:.1} ns an event above their feed"
    );
    benches();
    Criterion::default().configure_from_args().final_summary();
}
