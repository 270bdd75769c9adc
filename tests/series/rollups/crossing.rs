//! Shorter buckets that cross the edges of longer ones.

use std::time::Duration;

use bigtable_model::rollup::{Rollup, RollupJob, every};
use bigtable_model::series::Length;
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING", family = "R", rollup(Sum))]
struct Reading {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: i64,
}

/// Days of India begin half an hour after an hour does.
#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "HOUR", family = "R")]
#[rollup(of = Reading, every = "1h", longer(every = "day", zone = "Asia/Kolkata", table = "DAY"))]
struct Sum {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[rollup(count)]
    readings: u64,
}

/// 2024-03-10T18:30:00Z, midnight in India.
const MIDNIGHT: i64 = 1_710_095_400;

async fn insert(db: &dyn Backend, seconds: &[i64]) {
    for second in seconds {
        let at = Timestamp::from_seconds(MIDNIGHT + second);
        let sensor = "a".to_owned();
        db.insert(&Reading {
            sensor,
            at,
            value: 1,
        })
        .await
        .unwrap();
    }
}

async fn days(db: &dyn Backend) -> Vec<u64> {
    let at = |second| Timestamp::from_seconds(MIDNIGHT + second);
    let asked = Reading::query().sensor("a").at(at(-86_400)..at(86_400));
    let length = Length::days(1).zone("Asia/Kolkata");
    let found = db
        .fetch(&asked.events().resolution::<Sum>(every(length)))
        .await;
    found.unwrap().iter().map(|one| one.readings).collect()
}

/// Two marked days are computed one by one: an hour of both belongs to none.
#[tokio::test]
async fn an_hour_around_midnight_is_in_no_day() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Reading>().await.unwrap();
    insert(&db, &[-7_200, -60, 60, 120, 7_200]).await;
    assert_eq!(days(&db).await, [2, 3]);
    let job = RollupJob::<Sum>::new().settle(Duration::ZERO);
    job.run(&db).await.unwrap().into_result().unwrap();
    assert_eq!(days(&db).await, [2, 3]);
    insert(&db, &[-7_201, 7_201]).await;
    assert_eq!(days(&db).await, [3, 4]);
}
