//! Roll-ups with a rule of their own: a bucket is as old as its end.

use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::Wrapper;
use bigtable_model::backend::memory::ManualClock;
use bigtable_model::data::RowDeletion;
use bigtable_model::rollup::{Rollup, RollupJob, every, recount};
use bigtable_model::series::Length;
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};

/// 2024-01-01T00:00:00Z.
const JANUARY: i64 = 1_704_067_200;

const HOUR: i64 = 3_600;

const DAY: i64 = 86_400;

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(JANUARY + second)
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING", family = "R", gc(max_age = "30d"), rollup(Stock))]
struct Reading {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: i64,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "STOCK", family = "R", gc(max_age = "30d"))]
#[rollup(of = Reading, every = "1h", longer(every = "month", table = "STOCK_MONTH"))]
struct Stock {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[rollup(count)]
    readings: u64,
}

async fn windows(db: &dyn Backend, length: Length) -> Vec<u64> {
    let year = Reading::query().sensor("a").at(at(0)..at(366 * DAY));
    let found = db
        .fetch(&year.events().resolution::<Stock>(every(length)))
        .await;
    found.unwrap().iter().map(|one| one.readings).collect()
}

fn reading(second: i64) -> Reading {
    Reading {
        sensor: "a".to_owned(),
        at: at(second),
        value: 1,
    }
}

async fn run<R: Rollup>(db: &dyn Backend) {
    let report = RollupJob::<R>::new().settle(Duration::ZERO).run(db).await;
    report.unwrap().into_result().unwrap();
}

#[tokio::test]
async fn a_month_is_there_until_its_last_day_is_old() {
    let clock = ManualClock::new(at(30 * DAY + HOUR / 2));
    let db = MemoryBackend::builder().clock(clock.clone()).build();
    db.ensure_tables::<Reading>().await.unwrap();
    let readings = (0..48).map(|hour| reading(28 * DAY + hour * HOUR));
    db.insert_many(readings).await.into_result().unwrap();
    let month = || Length::months(1);
    assert_eq!(windows(&db, month()).await, [48]);
    run::<Stock>(&db).await;
    // The last month that still exists ends a month and 30 days after its beginning.
    for day in [30, 31, 60] {
        clock.set(at(day * DAY + HOUR / 2));
        db.run_gc(clock.now());
        assert_eq!(windows(&db, month()).await, [48], "{day}");
        let read = db.fetch(&Stock::scan()).await.unwrap();
        assert_eq!(
            read.len(),
            usize::try_from(48.min((60 - day) * 24)).unwrap()
        );
    }
    clock.set(at(61 * DAY + 1));
    assert_eq!(windows(&db, month()).await, [0; 0]);
    db.run_gc(clock.now());
    assert_eq!(windows(&db, month()).await, [0; 0]);
}

/// The mark of a bucket is not deleted before the bucket.
#[tokio::test]
async fn a_mark_lives_as_long_as_its_bucket() {
    let clock = ManualClock::new(at(DAY));
    let db = MemoryBackend::builder().clock(clock.clone()).build();
    db.ensure_tables::<Reading>().await.unwrap();
    db.insert(&reading(0)).await.unwrap();
    run::<Stock>(&db).await;
    db.insert(&reading(1)).await.unwrap();
    clock.set(at(29 * DAY));
    db.run_gc(clock.now());
    assert_eq!(windows(&db, Length::hours(1)).await, [2]);
    run::<Stock>(&db).await;
    assert_eq!(windows(&db, Length::hours(1)).await, [2]);
    assert_eq!(windows(&db, Length::months(1)).await, [2]);
}

/// A backend whose cells expire by a clock, unlike its tokens.
#[derive(Debug, Clone)]
struct Clocked {
    inner: MemoryBackend,
    clock: ManualClock,
}

impl Wrapper for Clocked {
    fn inner(&self) -> &dyn Backend {
        &self.inner
    }

    fn expiry_time(&self) -> Timestamp {
        self.clock.now()
    }
}

/// Requests of a day, counted by the server for 30 days.
#[derive(Debug, Clone, Model)]
#[bigtable(
    table = "REQUEST",
    family = "R",
    append_only,
    gc(max_age = "2d"),
    rollup(Traffic)
)]
struct Request {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    bytes: i64,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "TRAFFIC", family = "SUM", gc(max_age = "30d"))]
#[rollup(of = Request, every = "1h", longer(every = "month", table = "TRAFFIC_MONTH"), added)]
struct Traffic {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[bigtable(aggregate = "sum")]
    #[rollup(count)]
    requests: i64,
}

#[tokio::test]
async fn a_recount_leaves_what_it_cannot_count() {
    let clock = ManualClock::new(at(0));
    let memory = MemoryBackend::new();
    let db: Arc<dyn Backend> = Arc::new(Clocked {
        inner: memory.clone(),
        clock: clock.clone(),
    });
    db.ensure_tables::<Request>().await.unwrap();
    let request = |second: i64| Request {
        host: "a".to_owned(),
        at: at(second),
        bytes: 1,
    };
    let asked = || Request::query().host("a").at(at(0)..at(31 * DAY));
    let windows = async |length| {
        let found = db
            .fetch(&asked().events().resolution::<Traffic>(every(length)))
            .await;
        let found = found.unwrap();
        found.iter().map(|one| one.requests).collect::<Vec<_>>()
    };
    for second in [0, 1, 2, HOUR, 20 * DAY] {
        db.insert(&request(second)).await.unwrap();
    }
    clock.set(at(20 * DAY + HOUR));
    memory.run_gc(clock.now());
    // The events that the server counted are lost.
    db.tables()
        .drop_rows("REQUEST", RowDeletion::All)
        .await
        .unwrap();
    db.insert(&request(20 * DAY + 1)).await.unwrap();
    assert_eq!(windows(Length::hours(1)).await, [3, 1, 2]);
    assert_eq!(windows(Length::months(1)).await, [6]);

    let report = recount::<Traffic>(&asked(), &*db).await.unwrap();
    assert_eq!((report.kept, report.incomplete.len()), (2, 2), "{report:?}");
    assert_eq!(windows(Length::hours(1)).await, [3, 1, 1]);
    // From the hours, all of which are stored.
    assert_eq!(windows(Length::months(1)).await, [5]);

    clock.set(at(31 * DAY));
    memory.run_gc(clock.now());
    let report = recount::<Traffic>(&asked(), &*db).await.unwrap();
    assert_eq!(windows(Length::months(1)).await, [5], "{report:?}");
}
