//! Costs and savings of layouts: the same events with one and with a hundred in a row, read from
//! memory and from Google's emulator; and a series over 16 shards compared with one.
//!
//! `cargo bench -p bigtable-model-tests --bench layouts`
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark may panic")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use bigtable_model_tests::emulator::Emulator;
use criterion::{Criterion, criterion_group};
use support::{compare, timed, way};
use tokio::runtime::{Builder, Runtime};

const EVENTS: u32 = 100_000;
const BATCH: usize = 1_000;

/// Sensors, each with a measurement every 600 ms: 100 in a minute.
const SENSORS: u32 = 10;

macro_rules! model {
    ($name:ident, $table:literal, [$($layout:tt)*], [$($time:tt)*]) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = $table, family = "M", $($layout)*)]
        struct $name {
            #[bigtable(key)]
            sensor: u32,
            #[bigtable(time, $($time)*)]
            at: Timestamp,
            value: f64,
        }

        impl $name {
            fn all(sensors: u32) -> Vec<Self> {
                (0..EVENTS)
                    .map(|number| Self {
                        sensor: number % sensors,
                        at: Timestamp::from_millis(1_426_535_580_000 + i64::from(number / sensors) * 600),
                        value: f64::from(number),
                    })
                    .collect()
            }

            async fn fill(db: &dyn Backend, sensors: u32) {
                db.ensure_tables::<Self>().await.unwrap();
                for events in Self::all(sensors).chunks(BATCH) {
                    db.insert_many(events).await.into_result().unwrap();
                }
            }

            /// All events of every sensor in time order.
            async fn read(db: &dyn Backend, sensors: u32) -> f64 {
                let mut sum = 0.0;
                for sensor in 0..sensors {
                    let mut events = db.stream(&Self::query().sensor(sensor));
                    while let Some(event) = events.try_next().await.unwrap() {
                        sum += event.value;
                    }
                }
                assert_eq!(sum, f64::from(EVENTS) * f64::from(EVENTS - 1) / 2.0);
                sum
            }
        }
    };
}

model!(Rows, "ROWS", [], [unit = "ms"]);
model!(Cells, "CELLS", [layout = "cells"], [bucket = "minute"]);
model!(
    Columns,
    "COLUMNS",
    [layout = "columns"],
    [bucket = "minute", unit = "ms"]
);
model!(
    Packed,
    "PACKED",
    [layout = "columns", serialize(postcard)],
    [bucket = "minute", unit = "ms"]
);
model!(Salted, "SALTED", [salt(shards = 16, of(at))], [unit = "ms"]);

macro_rules! quotes {
    ($name:ident, $table:literal, [$($salt:tt)*]) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = $table, family = "MD", $($salt)*)]
        struct $name {
            #[bigtable(key)]
            exchange: String,
            #[bigtable(key)]
            symbol: String,
            #[bigtable(time, unit = "ms")]
            at: Timestamp,
            bid: f64,
            bid_size: u32,
            ask: f64,
            ask_size: u32,
            last: f64,
            volume: u64,
        }

        impl $name {
            async fn fill(db: &dyn Backend, series: u32) {
                db.ensure_tables::<Self>().await.unwrap();
                let quote = |number| Self {
                    exchange: "NASDAQ".to_owned(),
                    symbol: format!("SYM{:02}", number % series),
                    at: Timestamp::from_millis(1_426_535_580_000 + i64::from(number / series) * 600),
                    bid: f64::from(number),
                    bid_size: number,
                    ask: 1.0,
                    ask_size: 3,
                    last: 2.0,
                    volume: 4,
                };
                let all: Vec<_> = (0..EVENTS).map(quote).collect();
                db.insert_many(&all).await.into_result().unwrap();
            }

            /// All quotes of every symbol in time order.
            async fn read(db: &dyn Backend, series: u32) -> f64 {
                let mut sum = 0.0;
                for number in 0..series {
                    let symbol = format!("SYM{number:02}");
                    let query = Self::query().exchange("NASDAQ").symbol(symbol);
                    let mut quotes = db.stream(&query);
                    while let Some(quote) = quotes.try_next().await.unwrap() {
                        sum += quote.bid;
                    }
                }
                assert_eq!(sum, f64::from(EVENTS) * f64::from(EVENTS - 1) / 2.0);
                sum
            }
        }
    };
}

quotes!(Quotes, "QUOTES", []);
quotes!(
    SaltedQuotes,
    "SALTED_QUOTES",
    [salt(shards = 16, of(symbol, at))]
);

/// The same events shard by shard: what it costs to read them without merging.
impl SaltedQuotes {
    async fn read_unmerged(db: &dyn Backend, series: u32) -> f64 {
        let mut sum = 0.0;
        for number in 0..series {
            let symbol = format!("SYM{number:02}");
            let query = Self::query()
                .exchange("NASDAQ")
                .symbol(symbol)
                .events()
                .unordered();
            let mut quotes = db.stream(&query);
            while let Some(quote) = quotes.try_next().await.unwrap() {
                sum += quote.bid;
            }
        }
        sum
    }
}

impl Salted {
    async fn read_unmerged(db: &dyn Backend) -> f64 {
        let mut sum = 0.0;
        let mut events = db.stream(&Self::query().sensor(0).events().unordered());
        while let Some(event) = events.try_next().await.unwrap() {
            sum += event.value;
        }
        sum
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

async fn filled(db: Arc<dyn Backend>) -> Arc<dyn Backend> {
    Rows::fill(&*db, SENSORS).await;
    Cells::fill(&*db, SENSORS).await;
    Columns::fill(&*db, SENSORS).await;
    Packed::fill(&*db, SENSORS).await;
    Salted::fill(&*db, SENSORS).await;
    db
}

fn ratios(runtime: &Runtime, title: &str, db: &dyn Backend, rounds: usize) {
    let read = |run: &mut dyn FnMut()| -> Duration { timed(run) };
    compare(
        title,
        EVENTS,
        rounds,
        [
            way("a row each", || {
                read(&mut || {
                    runtime.block_on(Rows::read(db, SENSORS));
                })
            }),
            way("cells, 100 a row", || {
                read(&mut || {
                    runtime.block_on(Cells::read(db, SENSORS));
                })
            }),
            way("columns, 100 a row", || {
                read(&mut || {
                    runtime.block_on(Columns::read(db, SENSORS));
                })
            }),
            way("columns of postcard, 100 a row", || {
                read(&mut || {
                    runtime.block_on(Packed::read(db, SENSORS));
                })
            }),
        ],
    );
}

/// The same events in one scan for each series, and in 16 that are merged or not: quotes of several
/// series, and all events in one series. Consecutive rows of a shard lie apart in memory, so
/// reading them takes longer, merged or not.
fn salted(runtime: &Runtime) {
    let db = MemoryBackend::new();
    runtime.block_on(Quotes::fill(&db, SENSORS));
    runtime.block_on(SaltedQuotes::fill(&db, SENSORS));
    compare(
        "quotes of ten symbols over 16 shards, memory",
        EVENTS,
        25,
        [
            way("one scan", || {
                timed(|| runtime.block_on(Quotes::read(&db, SENSORS)))
            }),
            way("16 scans, not merged", || {
                timed(|| runtime.block_on(SaltedQuotes::read_unmerged(&db, SENSORS)))
            }),
            way("16 scans, merged", || {
                timed(|| runtime.block_on(SaltedQuotes::read(&db, SENSORS)))
            }),
        ],
    );
    let db = MemoryBackend::new();
    runtime.block_on(Rows::fill(&db, 1));
    runtime.block_on(Salted::fill(&db, 1));
    compare(
        "a series of one column over 16 shards, alone in its table, memory",
        EVENTS,
        25,
        [
            way("one scan", || {
                timed(|| runtime.block_on(Rows::read(&db, 1)))
            }),
            way("16 scans, not merged", || {
                timed(|| runtime.block_on(Salted::read_unmerged(&db)))
            }),
            way("16 scans, merged", || {
                timed(|| runtime.block_on(Salted::read(&db, 1)))
            }),
        ],
    );
}

fn reads(criterion: &mut Criterion) {
    let runtime = runtime();
    let db = runtime.block_on(filled(Arc::new(MemoryBackend::new())));
    let mut group = criterion.benchmark_group("read 100,000 events from memory");
    group.sample_size(10);
    group.bench_function("a row each", |bencher| {
        bencher.iter(|| runtime.block_on(Rows::read(&*db, SENSORS)))
    });
    group.bench_function("cells, 100 a row", |bencher| {
        bencher.iter(|| runtime.block_on(Cells::read(&*db, SENSORS)))
    });
    group.bench_function("columns, 100 a row", |bencher| {
        bencher.iter(|| runtime.block_on(Columns::read(&*db, SENSORS)))
    });
    group.bench_function("salted", |bencher| {
        bencher.iter(|| runtime.block_on(Salted::read(&*db, SENSORS)))
    });
    group.finish();
}

criterion_group!(benches, reads);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    let runtime = runtime();
    let db = runtime.block_on(filled(Arc::new(MemoryBackend::new())));
    ratios(&runtime, "read, memory", &*db, 15);
    salted(&runtime);
    if let Some(emulator) = Emulator::shared() {
        let settings = GrpcSettings::new("layouts", "bench").emulator(emulator.address());
        let db: Arc<dyn Backend> = Arc::new(GrpcBackend::new(&settings).unwrap());
        let db = runtime.block_on(filled(db));
        ratios(&runtime, "read, emulator", &*db, 5);
    }
}
