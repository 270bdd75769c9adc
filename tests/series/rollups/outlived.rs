//! Roll-ups that their events outlive: where a rule has deleted shorter buckets, longer ones and
//! windows are computed from events.

use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::memory::ManualClock;
use bigtable_model::rollup::{Rollup, RollupError, every};
use bigtable_model::series::Length;
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, Timestamp};
use bigtable_model_tests::aging::{Act, Between};
use futures::FutureExt as _;

use super::{hours, run};

/// 2024-03-01T00:00:00Z.
const START: i64 = 1_709_251_200;

const HOUR: i64 = 3_600;

const DAY: i64 = 24 * HOUR;

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(START + second)
}

fn clocked() -> (MemoryBackend, ManualClock) {
    let clock = ManualClock::new(at(0));
    (MemoryBackend::builder().clock(clock.clone()).build(), clock)
}

fn month() -> Length {
    Length::months(1)
}

/// A model with hours and months that are kept for three days.
macro_rules! model {
    ($module:ident, [$($model:tt)*] [$($time:tt)*]) => {
        mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(family = "R", rollup(Sum), $($model)*)]
            pub(super) struct Reading {
                #[bigtable(key)]
                sensor: String,
                #[bigtable($($time)*)]
                at: Timestamp,
                value: i64,
            }

            #[derive(Debug, Clone, PartialEq, Model, Rollup)]
            #[bigtable(table = "HOUR", family = "R", gc(max_age = "3d"))]
            #[rollup(of = Reading, every = "1h", longer(every = "month", table = "MONTH"))]
            pub(super) struct Sum {
                #[bigtable(key)]
                sensor: String,
                #[bigtable(time, unit = "s")]
                start: Timestamp,
                #[rollup(count)]
                readings: u64,
                #[rollup(sum)]
                value: i64,
            }

            pub(super) fn reading(second: i64) -> Reading {
                Reading { sensor: "a".to_owned(), at: at(second), value: 1 }
            }

            pub(super) async fn windows(
                db: &dyn Backend,
                times: std::ops::Range<i64>,
                length: Length,
            ) -> Vec<u64> {
                let asked = Reading::query().sensor("a").at(at(times.start)..at(times.end));
                let found = db.fetch(&asked.events().resolution::<Sum>(every(length))).await;
                found.unwrap().iter().map(|one| one.readings).collect()
            }
        }
    };
}

model!(aging, [table = "READING", gc(max_age = "20d")] [time, unit = "s"]);
model!(daily, [table = "READING_{at:%Y%m%d}"] [time, unit = "s"]);
model!(newest, [table = "READING", layout = "cells", gc(max_versions = 2), allow(dropped_events)] [time, bucket = "hour"]);

/// Ten days with a reading every half hour.
async fn ten_days(collect: bool) -> (MemoryBackend, ManualClock) {
    let (db, clock) = clocked();
    db.ensure_tables::<aging::Reading>().await.unwrap();
    for day in 0..10 {
        clock.set(at((day + 1) * DAY));
        let readings = (0..48).map(|half| aging::reading(day * DAY + half * HOUR / 2));
        db.insert_many(readings).await.into_result().unwrap();
        run::<aging::Sum>(&db).await.into_result().unwrap();
        if collect {
            db.run_gc(clock.now());
        }
    }
    (db, clock)
}

async fn grows(collect: bool) {
    use aging::{Reading, ReadingKey, Sum, reading, windows};
    let (db, clock) = ten_days(collect).await;
    let whole = 0..31 * DAY;
    for late in 1..4 {
        // Its hour is gone.
        db.insert(&reading(late)).await.unwrap();
        for _ in 0..2 {
            assert_eq!(
                windows(&db, whole.clone(), month()).await,
                [480 + late.unsigned_abs()]
            );
            let report = run::<Sum>(&db).await;
            assert_eq!((report.kept, report.incomplete.len()), (0, 0), "{report:?}");
        }
    }
    let key = ReadingKey {
        sensor: "a".to_owned(),
        at: at(1),
    };
    db.delete::<Reading>(&key).await.unwrap();
    db.send(Reading::update(&ReadingKey { at: at(2), ..key }).value(9))
        .await
        .unwrap();
    assert_eq!(windows(&db, whole.clone(), month()).await, [482]);
    run::<Sum>(&db).await.into_result().unwrap();
    assert_eq!(windows(&db, whole.clone(), month()).await, [482]);

    // Windows too are computed from events, whose buckets are gone.
    let mut each = vec![2; 240];
    each[0] = 4;
    assert_eq!(windows(&db, whole.clone(), hours()).await, each);
    // From the sixth hour's middle on.
    let part = 5 * HOUR + HOUR / 2..31 * DAY;
    assert_eq!(windows(&db, part, month()).await, [480 - 11]);

    // Now events are gone as well.
    clock.set(at(25 * DAY));
    db.run_gc(clock.now());
    db.insert(&reading(20 * DAY)).await.unwrap();
    assert_eq!(windows(&db, whole.clone(), month()).await, [482]);
    let report = run::<Sum>(&db).await;
    let [Error::Rollup { source, .. }] = &report.incomplete[..] else {
        panic!("{report:?}");
    };
    let before = at(5 * DAY);
    assert_eq!(*source, RollupError::Expired { before });
    assert_eq!(windows(&db, whole, month()).await, [482]);
}

#[tokio::test]
async fn a_month_grows_from_events_after_its_hours_are_gone() {
    grows(false).await;
    grows(true).await;
}

/// At any call, hours expire that a computation was about to read.
#[tokio::test]
async fn an_hour_that_expires_before_it_is_read_is_not_missed() {
    use aging::{Sum, reading, windows};
    let whole = 0..31 * DAY;
    for is_job in [true, false] {
        let mut call = 0;
        loop {
            let (db, clock) = ten_days(true).await;
            db.insert(&reading(9 * DAY + 1)).await.unwrap();
            let memory = db.clone();
            let pass = async move {
                clock.set(at(10 * DAY + 7 * HOUR + 1));
                memory.run_gc(clock.now());
            };
            let slow = Between::new(db.handle(), call, Act::Run(pass.boxed()), |_| false);
            match is_job {
                true => drop(run::<Sum>(&slow).await),
                false => assert_eq!(windows(&slow, whole.clone(), month()).await, [481]),
            }
            assert_eq!(windows(&db, whole.clone(), month()).await, [481], "{call}");
            if !slow.has_acted() {
                break;
            }
            call += 1;
        }
        assert!(call > 3, "{call}");
    }
}

/// Each call takes an hour, so that hours expire however often they are read.
#[tokio::test]
async fn a_slow_read_ends() {
    use aging::{Reading, Sum, reading, windows};
    use bigtable_model::backend::{RowBatches, Wrapper};
    use bigtable_model::data::ReadRows;

    #[derive(Debug, Clone)]
    struct Slow(MemoryBackend, ManualClock);

    impl Wrapper for Slow {
        fn inner(&self) -> &dyn Backend {
            &self.0
        }

        fn read_rows(&self, request: ReadRows) -> RowBatches {
            let now = self.1.now().saturating_add(Duration::from_secs(3_600));
            self.1.set(now);
            self.0.run_gc(now);
            self.0.read_rows(request)
        }
    }

    let (db, clock) = ten_days(true).await;
    db.insert(&reading(9 * DAY + 1)).await.unwrap();
    let slow: Arc<dyn Backend> = Arc::new(Slow(db.clone(), clock.clone()));
    assert_eq!(windows(&*slow, 0..31 * DAY, month()).await, [481]);
    assert_eq!(windows(&*slow, 0..10 * DAY, hours()).await.len(), 240);
    run::<Sum>(&*slow).await.into_result().unwrap();
    let stored = clock.now();
    assert_eq!(windows(&db, 0..31 * DAY, month()).await, [481]);
    assert!(stored < at(20 * DAY), "{stored}");
    assert_eq!(db.count(&Reading::scan()).await.unwrap(), 481);
}

/// A month that was computed from an hour needs the hour's table once the hour has expired.
#[tokio::test]
async fn a_table_that_only_hours_were_computed_from_is_missed() {
    use daily::{Reading, Sum, reading, windows};
    let (db, clock) = clocked();
    db.ensure_tables::<Reading>().await.unwrap();
    db.ensure_periods::<Reading>(at(0)..at(31 * DAY))
        .await
        .unwrap();
    for day in 0..6 {
        db.insert(&reading(day * DAY)).await.unwrap();
        clock.set(at(day * DAY + HOUR));
        run::<Sum>(&db).await.into_result().unwrap();
    }
    db.insert(&reading(4 * DAY + 1)).await.unwrap();
    run::<Sum>(&db).await.into_result().unwrap();
    let whole = 0..31 * DAY;
    assert_eq!(windows(&db, whole.clone(), month()).await, [7]);

    // From the events of the first two days, and later hours: that of the fifth day stays.
    let table = "READING_20240305".to_owned();
    db.tables().delete(&table).await.unwrap();
    db.insert(&reading(1)).await.unwrap();
    let report = run::<Sum>(&db).await;
    assert!(report.incomplete.is_empty(), "{report:?}");
    assert_eq!(windows(&db, whole.clone(), month()).await, [8]);

    clock.set(at(10 * DAY));
    db.run_gc(clock.now());
    db.insert(&reading(2)).await.unwrap();
    assert_eq!(windows(&db, whole.clone(), month()).await, [8]);
    let report = run::<Sum>(&db).await;
    let [Error::Rollup { source, .. }] = &report.incomplete[..] else {
        panic!("{report:?}");
    };
    assert_eq!(*source, RollupError::MissingTable { table });
    assert_eq!(windows(&db, whole, month()).await, [8]);
}

/// Nobody knows how many events a rule by number has deleted.
#[tokio::test]
async fn events_that_are_deleted_for_their_number_replace_no_hours() {
    use newest::{Reading, Sum, reading, windows};
    let (db, clock) = clocked();
    db.ensure_tables::<Reading>().await.unwrap();
    for second in 0..3 {
        db.insert(&reading(second)).await.unwrap();
        run::<Sum>(&db).await.into_result().unwrap();
    }
    let before = windows(&db, 0..31 * DAY, month()).await;
    clock.set(at(10 * DAY));
    db.run_gc(clock.now());
    db.insert(&reading(10 * DAY)).await.unwrap();
    assert_eq!(windows(&db, 0..31 * DAY, month()).await, before);
    let report = run::<Sum>(&db).await;
    assert_eq!((report.computed, report.kept), (1, 1));
    assert_eq!(windows(&db, 0..31 * DAY, month()).await, before);
}
