//! The number of rows that windows read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bigtable_model::backend::{RowBatches, Wrapper};
use bigtable_model::data::ReadRows;
use bigtable_model::query::{ByTime, Erased, Query};
use bigtable_model::rollup::{Level, Rollup, RollupError, RollupJob, at_most, every, mark_events};
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use futures::StreamExt as _;

/// Counts the rows that are read.
#[derive(Debug, Clone)]
struct Counted {
    inner: Arc<dyn Backend>,
    rows: Arc<AtomicU64>,
}

impl Wrapper for Counted {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        let rows = Arc::clone(&self.rows);
        let count = move |row: &_| {
            let _: &Result<bigtable_model::data::Row, _> = row;
            rows.fetch_add(1, Ordering::Relaxed);
        };
        RowBatches::of_rows(self.inner.read_rows(request).rows().inspect(count))
    }
}

/// A reading every minute.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING", family = "R", rollup(Hour))]
struct Reading {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    value: i64,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING_HOUR", family = "R")]
struct Hour {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    readings: u64,
    sum: i64,
}

impl Rollup for Hour {
    type Source = Reading;
    const LEVELS: &'static [Level] = &[Level::hours(1), Level::days(1).in_table("READING_DAY")];

    fn of(reading: &Reading, start: Timestamp) -> Self {
        Self {
            sensor: reading.sensor.clone(),
            start,
            readings: 1,
            sum: reading.value,
        }
    }

    fn merge(&mut self, later: &Self) -> Result<(), RollupError> {
        self.readings += later.readings;
        self.sum += later.sum;
        Ok(())
    }

    fn starting(self, start: Timestamp) -> Self {
        Self { start, ..self }
    }
}

/// 2023-01-01T00:00:00Z, in milliseconds.
const YEAR: i64 = 1_672_531_200_000;

const MINUTES: i64 = 365 * 1_440;

fn of(from: i64, to: i64) -> Query<Reading, Erased<ByTime>, Reading> {
    let at = Timestamp::from_millis;
    Reading::query()
        .sensor("attic")
        .at(at(from)..at(to))
        .events()
        .erase()
}

#[tokio::test]
async fn a_year_of_minutes_by_the_hour_takes_a_fiftieth_of_the_rows() {
    let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    memory.ensure_tables::<Reading>().await.unwrap();
    let readings = (0..MINUTES).map(|minute| Reading {
        sensor: "attic".to_owned(),
        at: Timestamp::from_millis(YEAR + minute * 60_000 + 500),
        value: minute % 997,
    });
    memory.insert_many(readings).await.into_result().unwrap();
    let job = RollupJob::<Hour>::new().settle(Duration::ZERO);
    let computed = job.run(&*memory).await.unwrap().into_result().unwrap();
    assert_eq!(computed, 8_760 + 365);

    let counted = Counted {
        inner: memory,
        rows: Arc::default(),
    };
    let db = counted.handle();
    let year = of(YEAR, YEAR + MINUTES * 60_000);
    let hours = year.resolution::<Hour>(every(Duration::from_secs(3_600)));
    let found = db.fetch(&hours).await.unwrap();
    assert_eq!(found.len(), 8_760);
    assert!(found.iter().all(|hour| hour.readings == 60));
    let sum: i64 = found.iter().map(|hour| hour.sum).sum();
    assert_eq!(sum, (0..MINUTES).map(|minute| minute % 997).sum::<i64>());
    let rows = counted.rows.swap(0, Ordering::Relaxed);
    // Only hours: those of whole days could not come from the table of days.
    assert_eq!(rows, 8_760);
    assert!(rows <= 525_600 / 50);

    // If a span ends inside buckets, the hours of partial days and the rows of partial hours are
    // read.
    let ragged = of(YEAR + 1, YEAR + MINUTES * 60_000 - 1);
    let days = ragged.resolution::<Hour>(at_most(400));
    let found = db.fetch(&days).await.unwrap();
    assert_eq!(found.len(), 365);
    assert!(found.iter().all(|day| day.readings == 1_440));
    let rows = counted.rows.swap(0, Ordering::Relaxed);
    assert_eq!(rows, 363 + 2 * (23 + 60), "{}", days.explain().unwrap());
}

/// Buckets of other times are left out by the server, although the series are not known.
#[tokio::test]
async fn an_open_identifier_takes_the_rows_of_the_time() {
    let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    memory.ensure_tables::<Reading>().await.unwrap();
    let readings = (0..50 * 48).map(|number| Reading {
        sensor: format!("sensor{}", number % 50),
        at: Timestamp::from_millis(YEAR + number / 50 * 3_600_000),
        value: number,
    });
    memory.insert_many(readings).await.into_result().unwrap();
    let at = |hour: i64| Timestamp::from_millis(YEAR + hour * 3_600_000);
    let asked = Reading::scan().at(at(5)..at(7)).events();
    let hours = asked.resolution::<Hour>(every(Duration::from_secs(3_600)));
    let counted = Counted {
        inner: memory,
        rows: Arc::default(),
    };
    let db = counted.handle();
    let marked = db.fetch(&hours).await.unwrap();
    let job = RollupJob::<Hour>::new().settle(Duration::ZERO);
    job.run(&*db).await.unwrap().into_result().unwrap();
    counted.rows.store(0, Ordering::Relaxed);
    let found = db.fetch(&hours).await.unwrap();
    assert_eq!(found, marked);
    assert_eq!(found.len(), 2 * 50);
    assert!(found.iter().all(|hour| hour.readings == 1));
    assert_eq!(counted.rows.load(Ordering::Relaxed), 2 * 50);
    // All buckets are marked again, each of them at most once.
    let all = Reading::scan().at(at(5)..at(7));
    assert_eq!(mark_events(&all, &*db).await.unwrap(), 2 * 50);
    assert_eq!(job.run(&*db).await.unwrap().computed, 2 * 50 + 50);
}
