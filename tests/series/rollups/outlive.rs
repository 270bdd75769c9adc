//! Roll-ups that outlive their events: once some of a bucket's events are deleted for their age, or
//! with their table, no write and no job makes the bucket smaller.

use std::time::Duration;

use bigtable_model::backend::memory::ManualClock;
use bigtable_model::rollup::{Rollup, RollupError, RollupJob, every, mark_events};
use bigtable_model::series::Length;
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, Timestamp};

use super::{hours, run};

/// 2024-03-10T00:00:00Z.
const START: i64 = 1_710_028_800;

const HOUR: i64 = 3_600;

const DAY: i64 = 86_400;

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(START + second)
}

fn clocked() -> (MemoryBackend, ManualClock) {
    let clock = ManualClock::new(at(0));
    (MemoryBackend::builder().clock(clock.clone()).build(), clock)
}

/// Moves the clock, and collects garbage if asked to.
fn pass(db: &MemoryBackend, clock: &ManualClock, second: i64, collect: bool) {
    clock.set(at(second));
    if collect {
        db.run_gc(clock.now());
    }
}

/// Kept for a day.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SHORT", family = "R", gc(max_age = "1d"), rollup(Long))]
struct Short {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: i64,
}

/// Kept for ever.
#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "LONG", family = "R")]
#[rollup(of = Short, every = "1h", longer(every = "month", table = "LONG_MONTH"))]
struct Long {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[rollup(count)]
    events: u64,
    #[rollup(sum)]
    value: i64,
}

fn short(second: i64) -> Short {
    Short {
        sensor: "a".to_owned(),
        at: at(second),
        value: 1,
    }
}

/// How many events the windows from the start on hold, for 20 days.
async fn windows(db: &dyn Backend, length: impl Into<Length>) -> Vec<u64> {
    let month = Short::query().sensor("a").at(at(-9 * DAY)..at(22 * DAY));
    let found = db
        .fetch(&month.events().resolution::<Long>(every(length)))
        .await;
    found.unwrap().iter().map(|one| one.events).collect()
}

async fn outlives(collect: bool) {
    let (db, clock) = clocked();
    db.ensure_tables::<Short>().await.unwrap();
    let events = (0..100).map(|event| short(event * 30));
    db.insert_many(events).await.into_result().unwrap();
    assert_eq!(run::<Long>(&db).await.computed, 2);

    pass(&db, &clock, 10 * DAY, collect);
    let key = ShortKey {
        sensor: "a".to_owned(),
        at: at(0),
    };
    for write in 0..6 {
        match write {
            0 => drop(db.insert(&short(0)).await.unwrap()),
            1 => drop(db.insert(&short(7)).await.unwrap()),
            2 => drop(db.insert_if_absent(&short(30)).await.unwrap()),
            3 => db.send(Short::update(&key).value(9)).await.unwrap(),
            4 => db.delete::<Short>(&key).await.unwrap(),
            _ => {
                let hour = Short::query().sensor("a").at(at(0)..at(HOUR));
                db.delete_all(&hour).await.into_result().unwrap();
                let all = Short::query().sensor("a").at(at(0)..at(HOUR));
                mark_events(&all, &db).await.unwrap();
            }
        }
        assert_eq!(windows(&db, hours()).await, [100], "{write}");
        assert_eq!(windows(&db, Length::months(1)).await, [100], "{write}");
        let report = run::<Long>(&db).await;
        // The month is computed from hours, all of which are stored.
        assert_eq!((report.computed, report.kept), (1, 1), "{write}");
        let [Error::Rollup { table, key, source }] = &report.incomplete[..] else {
            panic!("{report:?}");
        };
        assert_eq!(
            (&**table, &**key),
            ("LONG", "sensor=a start=2024-03-10T00:00:00Z")
        );
        let before = at(9 * DAY);
        assert_eq!(*source, RollupError::Expired { before });
        assert_eq!(windows(&db, hours()).await, [100], "{write}");
        assert_eq!(windows(&db, Length::months(1)).await, [100], "{write}");
    }

    // Events that are not old are still counted, even in a month that began long ago.
    db.insert(&short(10 * DAY)).await.unwrap();
    for _ in 0..2 {
        assert_eq!(windows(&db, hours()).await, [100, 1]);
        assert_eq!(windows(&db, Length::months(1)).await, [101]);
        let report = run::<Long>(&db).await;
        assert!(report.incomplete.is_empty(), "{report:?}");
    }
}

#[tokio::test]
async fn a_bucket_outlives_its_expired_events() {
    outlives(false).await;
    outlives(true).await;
}

/// A late event of an hour that had none: nothing is destroyed, and nothing stays marked.
#[tokio::test]
async fn a_bucket_that_never_was_is_no_bucket() {
    let (db, clock) = clocked();
    db.ensure_tables::<Short>().await.unwrap();
    db.insert(&short(0)).await.unwrap();
    assert_eq!(run::<Long>(&db).await.computed, 2);
    pass(&db, &clock, 10 * DAY, true);
    db.insert(&short(5 * HOUR)).await.unwrap();
    let report = run::<Long>(&db).await;
    assert_eq!(
        (report.computed, report.kept, report.incomplete.len()),
        (2, 0, 1)
    );
    assert_eq!(windows(&db, hours()).await, [1]);
    assert_eq!(windows(&db, Length::months(1)).await, [1]);
    assert_eq!(run::<Long>(&db).await.computed, 0);
}

/// A bucket that no job computed in time is computed from what is left.
#[tokio::test]
async fn a_late_job_computes_what_is_left() {
    let (db, clock) = clocked();
    db.ensure_tables::<Short>().await.unwrap();
    db.insert_many([short(0), short(HOUR - 1)])
        .await
        .into_result()
        .unwrap();
    pass(&db, &clock, DAY + HOUR / 2, true);
    let report = run::<Long>(&db).await;
    assert_eq!(
        (report.computed, report.kept, report.incomplete.len()),
        (2, 0, 1)
    );
    assert_eq!(windows(&db, hours()).await, [1]);
    pass(&db, &clock, 2 * DAY, true);
    db.insert(&short(1)).await.unwrap();
    assert_eq!(run::<Long>(&db).await.kept, 1);
    assert_eq!(windows(&db, hours()).await, [1]);
}

/// `settle` is more than clocks differ, so a bucket counts as old by as much earlier.
#[tokio::test]
async fn a_bucket_is_kept_before_its_first_event_may_expire_by_another_clock() {
    let (db, clock) = clocked();
    db.ensure_tables::<Short>().await.unwrap();
    db.insert(&short(0)).await.unwrap();
    run::<Long>(&db).await.into_result().unwrap();
    db.insert(&short(1)).await.unwrap();
    pass(&db, &clock, DAY - 1, false);
    tokio::time::sleep(Duration::from_millis(20)).await;
    let job = RollupJob::<Long>::new().settle(Duration::from_millis(5));
    let report = job.run(&db).await.unwrap();
    assert_eq!((report.computed, report.kept), (2, 0));
    pass(&db, &clock, DAY, false);
    db.insert(&short(2)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    let report = job.run(&db).await.unwrap();
    assert_eq!((report.computed, report.kept), (1, 1));
}

macro_rules! by_period {
    ($module:ident, $source:literal, $table:literal, $($level:tt)*) => {
        mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = $source, family = "R", rollup(Totals))]
            pub(super) struct Daily {
                #[bigtable(key)]
                pub(super) sensor: String,
                #[bigtable(time, unit = "s")]
                pub(super) at: Timestamp,
                pub(super) value: i64,
            }

            #[derive(Debug, Clone, PartialEq, Model, Rollup)]
            #[bigtable(table = $table, family = "R")]
            #[rollup(of = Daily, $($level)*)]
            pub(super) struct Totals {
                #[bigtable(key)]
                pub(super) sensor: String,
                #[bigtable(time, unit = "s")]
                pub(super) start: Timestamp,
                #[rollup(count)]
                pub(super) events: u64,
            }

            pub(super) fn event(second: i64) -> Daily {
                Daily {
                    sensor: "a".to_owned(),
                    at: at(second),
                    value: 1,
                }
            }

            pub(super) async fn windows(db: &dyn Backend, length: Length) -> Vec<u64> {
                let month = Daily::query().sensor("a").at(at(-9 * DAY)..at(22 * DAY));
                let found = db.fetch(&month.events().resolution::<Totals>(every(length))).await;
                found.unwrap().iter().map(|one| one.events).collect()
            }
        }
    };
}

by_period!(hourly, "HOURLY_{at:%Y%m%d}", "HOURLY", every = "1h");
by_period!(monthly, "MONTHLY_{at:%Y%m%d}", "MONTHLY", every = "month");

/// A write that fails, because the table of its day was dropped, harms no bucket.
#[tokio::test]
async fn a_bucket_outlives_its_dropped_table() {
    use hourly::{Daily, DailyKey, Totals, event, windows};
    let (db, _) = clocked();
    db.ensure_tables::<Daily>().await.unwrap();
    db.ensure_periods::<Daily>(at(0)..at(2 * DAY))
        .await
        .unwrap();
    let events = (0..100).map(|one| event(one * 30)).chain([event(DAY)]);
    db.insert_many(events).await.into_result().unwrap();
    run::<Totals>(&db).await.into_result().unwrap();
    db.drop_tables_before::<Daily>(at(DAY)).await.unwrap();

    let key = DailyKey {
        sensor: "a".to_owned(),
        at: at(0),
    };
    for write in 0..4 {
        match write {
            0 => {
                let failed = db.insert(&event(5)).await.unwrap_err();
                assert!(matches!(failed, Error::MissingTable { .. }), "{failed}");
            }
            1 => drop(db.insert_many([event(5)]).await.into_result().unwrap_err()),
            2 => drop(db.insert_if_absent(&event(30)).await.unwrap_err()),
            _ => db.delete::<Daily>(&key).await.unwrap(),
        }
        assert_eq!(windows(&db, hours()).await, [100, 1], "{write}");
        let report = run::<Totals>(&db).await;
        assert_eq!((report.computed, report.kept), (0, 1), "{write}");
        let [Error::Rollup { source, .. }] = &report.incomplete[..] else {
            panic!("{report:?}");
        };
        let table = "HOURLY_20240310".to_owned();
        assert_eq!(*source, RollupError::MissingTable { table });
        assert_eq!(windows(&db, hours()).await, [100, 1], "{write}");
    }
    // An hour without a bucket: the failed write leaves nothing.
    drop(db.insert(&event(9 * HOUR)).await.unwrap_err());
    assert_eq!(run::<Totals>(&db).await.computed, 1);
    assert_eq!(windows(&db, hours()).await, [100, 1]);
}

/// A bucket of many tables knows which of them it was computed from: a table that never existed, or
/// does not exist yet, does not keep it from being computed again.
#[tokio::test]
async fn a_bucket_of_many_tables_outlives_one_of_them() {
    use monthly::{Daily, Totals, event, windows};
    let (db, _) = clocked();
    db.ensure_tables::<Daily>().await.unwrap();
    for day in [0, 1, 3] {
        let day = at(day * DAY)..at((day + 1) * DAY);
        db.ensure_periods::<Daily>(day).await.unwrap();
    }
    let month = || Length::months(1);
    for (day, events) in [(0, 1), (1, 2), (3, 3)] {
        db.insert(&event(day * DAY)).await.unwrap();
        assert_eq!(windows(&db, month()).await, [events]);
        let report = run::<Totals>(&db).await;
        assert_eq!((report.computed, report.incomplete.len()), (1, 0));
        assert_eq!(windows(&db, month()).await, [events]);
    }
    // A table that came later, and went before a job saw it, is not missed.
    let fifth = at(5 * DAY)..at(6 * DAY);
    db.ensure_periods::<Daily>(fifth).await.unwrap();
    db.insert(&event(5 * DAY)).await.unwrap();
    db.tables().delete("MONTHLY_20240315").await.unwrap();
    assert_eq!(run::<Totals>(&db).await.computed, 1);
    assert_eq!(windows(&db, month()).await, [3]);

    db.drop_tables_before::<Daily>(at(DAY)).await.unwrap();
    db.insert(&event(DAY + 1)).await.unwrap();
    assert_eq!(windows(&db, month()).await, [3]);
    let report = run::<Totals>(&db).await;
    assert_eq!(
        (report.computed, report.kept, report.incomplete.len()),
        (0, 1, 1)
    );
    assert_eq!(windows(&db, month()).await, [3]);
}
