//! A job that leaves the cluster to others.

use std::time::Duration;

use bigtable_model::rollup::{Rollup, RollupJob};
use bigtable_model::{BackendExt as _, MemoryBackend, Model, Timestamp};
use tokio::time::Instant;

#[derive(Debug, Model)]
#[bigtable(table = "READING", family = "R", rollup(Hour))]
struct Reading {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    celsius: f64,
}

#[derive(Debug, Model, Rollup)]
#[bigtable(table = "READING_HOUR", family = "R")]
#[rollup(of = Reading, every = "1h")]
struct Hour {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[rollup(count)]
    readings: u64,
}

#[tokio::test(start_paused = true)]
async fn buckets_take_their_turns() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Reading>().await.unwrap();
    let in_hour = |hour: i64| Reading {
        sensor: "attic".to_owned(),
        at: Timestamp::from_seconds(1_700_000_000 + hour * 3_600),
        celsius: 20.0,
    };
    let written = db.insert_many((0..6).map(in_hour)).await;
    assert_eq!(written.into_result().unwrap(), 6);
    assert!(RollupJob::<Hour>::new().buckets_per_second(0).is_err());
    let job = RollupJob::<Hour>::new().buckets_per_second(2).unwrap();
    let begun = Instant::now();
    // Young marks take no turn.
    assert_eq!(job.run(&db).await.unwrap().into_result().unwrap(), 0);
    assert_eq!(begun.elapsed(), Duration::ZERO);
    let job = job.settle(Duration::ZERO);
    assert_eq!(job.run(&db).await.unwrap().into_result().unwrap(), 6);
    assert_eq!(begun.elapsed().as_millis(), 2_500);
}
