//! Jobs that are killed at any point, or failed by the backend, and run again.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, Method, When};
use bigtable_model::copy::{CopyJob, CopyReport, MemoryCheckpoint};
use bigtable_model::data::Row;
use bigtable_model::{BackendExt, Code, MemoryBackend, Model, Projection, Status, Timestamp};
use bytes::Bytes;
use proptest::prelude::*;

use super::mortal::{Life, Mortal, MortalCheckpoint};
use super::tables::{Flat, Reading, at, database, of_day, rows};

/// What is copied, in how many parts, and the steps after which each run is killed.
#[derive(Debug, Clone)]
pub struct Case {
    /// Meter, day, quarter of an hour, value.
    readings: Vec<(u32, i64, i64, i64)>,
    splits: Vec<u32>,
    parallelism: usize,
    rows_per_write: usize,
    kills: Vec<u64>,
}

pub fn case() -> impl Strategy<Value = Case> {
    let reading = (0..12_u32, -1..=1_i64, 0..96_i64, -9..100_i64);
    (
        prop::collection::vec(reading, 0..60),
        prop::collection::btree_set(0..12_u32, 0..5),
        1..5_usize,
        1..5_usize,
        prop::collection::vec(0..90_u64, 0..8),
    )
        .prop_map(
            |(readings, splits, parallelism, rows_per_write, kills)| Case {
                readings,
                splits: splits.into_iter().collect(),
                parallelism,
                rows_per_write,
                kills,
            },
        )
}

impl Case {
    pub fn readings(&self) -> Vec<Reading> {
        let readings = self.readings.iter();
        let reading = |&(meter, day, quarter, value)| Reading {
            meter,
            at: at(day, quarter),
            value,
        };
        readings.map(reading).collect()
    }

    pub fn splits(&self) -> Vec<Bytes> {
        let splits = self.splits.iter();
        splits.map(|meter| format!("{meter:04}").into()).collect()
    }

    /// Runs a job, killed as the case says, and then to its end; returns the total number of
    /// written rows.
    pub async fn copy<P: Projection, T: Model>(
        &self,
        db: &Arc<MemoryBackend>,
        job: CopyJob<P, T>,
    ) -> (CopyReport, u64) {
        let saved = MemoryCheckpoint::new();
        let mut written = 0;
        for steps in self.kills.iter().copied().chain([u64::MAX]) {
            let life = Life::of(steps);
            let mortal = Mortal {
                inner: db.clone(),
                life: life.clone(),
            };
            let job = job
                .clone()
                .parallelism(self.parallelism)
                .unwrap()
                .rows_per_write(self.rows_per_write)
                .unwrap()
                .checkpoint(MortalCheckpoint {
                    inner: saved.clone(),
                    life: life.clone(),
                });
            let outcome = life.outlived_by(job.run(&mortal)).await;
            written += life.rows_written.load(Ordering::Relaxed);
            if let Some(report) = outcome {
                return (report.unwrap(), written);
            }
        }
        panic!("a life without end ended");
    }
}

/// The rows of a table after writing these events at once.
pub async fn plain<T: Model>(events: impl Iterator<Item = T>) -> Vec<Row> {
    let db = MemoryBackend::new();
    db.ensure_tables::<T>().await.unwrap();
    let events: Vec<T> = events.collect();
    db.insert_many(&events).await.into_result().unwrap();
    rows(&db, T::SCHEMA.table.fixed().unwrap()).await
}

fn is_of_day(at_time: Timestamp) -> bool {
    (at(0, 0)..at(1, 0)).contains(&at_time)
}

pub fn in_runtime<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(test)
}

/// The rows without the times of their cells.
fn untimed(mut rows: Vec<Row>) -> Vec<Row> {
    for cell in rows.iter_mut().flat_map(|row| &mut row.cells) {
        cell.timestamp_micros = 0;
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_day_in_rows_of_its_own(case in case()) {
        in_runtime(async {
            let readings = case.readings();
            let db = database(&readings, case.splits()).await;
            let (report, written) = case.copy(&db, of_day()).await;
            let wanted = plain(readings.iter().filter(|one| is_of_day(one.at)).cloned()).await;
            let copied = rows(&db, "SENSOR_20170726").await;
            assert_eq!(copied, wanted);
            assert_eq!(report.rows, u64::try_from(wanted.len()).unwrap());
            assert!(report.verified);
            let again = case.kills.len() * case.parallelism * case.rows_per_write;
            assert!(written <= report.rows + u64::try_from(again).unwrap());
        });
    }

    /// Cells have the time at which the job was first started, whenever they are written.
    #[test]
    fn rows_of_many_events_to_rows_of_one(case in case()) {
        in_runtime(async {
            let readings = case.readings();
            let db = database(&readings, case.splits()).await;
            let day = Reading::scan().at(at(0, 0)..at(1, 0));
            let (report, _) = case.copy(&db, CopyJob::new(&day, Flat::from)).await;
            let flat = readings.into_iter().filter(|one| is_of_day(one.at)).map(Flat::from);
            let copied = rows(&db, "FLAT").await;
            assert_eq!(u64::try_from(copied.len()).unwrap(), report.events);
            let mut times: Vec<_> = copied.iter().flat_map(|row| &row.cells).map(|cell| cell.timestamp_micros).collect();
            times.dedup();
            assert!(times.len() <= 1, "{times:?}");
            // A plain copy keeps every version of events with the same key.
            let mut latest: Vec<Flat> = Vec::new();
            for one in flat {
                latest.retain(|other| (other.meter, other.at) != (one.meter, one.at));
                latest.push(one);
            }
            assert_eq!(untimed(copied), untimed(plain(latest.into_iter()).await));
        });
    }

    /// Several parts write to one row, and each of them writes the row's own column.
    #[test]
    fn rows_of_one_event_to_rows_of_many(case in case(), cuts in prop::collection::btree_set((0..12_u32, 0..96_i64), 0..4)) {
        in_runtime(async {
            let readings = case.readings();
            let flat: Vec<Flat> = readings.iter().cloned().map(Flat::from).collect();
            let cuts = cuts.into_iter().map(|(meter, quarter)| {
                format!("{meter:04}#{}", at(0, quarter).as_seconds()).into()
            });
            let db = database(&flat, cuts.collect()).await;
            let day = Flat::scan().at(at(0, 0)..at(1, 0));
            let (report, _) = case.copy(&db, CopyJob::new(&day, Reading::from)).await;
            let wanted = plain(readings.into_iter().filter(|one| is_of_day(one.at))).await;
            assert_eq!(rows(&db, "SENSOR").await, wanted);
            assert!(report.verified);
        });
    }

    #[test]
    fn a_job_that_fails_is_run_again(case in case(), seed: u64) {
        in_runtime(async {
            let readings = case.readings();
            let db = database(&readings, case.splits()).await;
            let failing = FaultyBackend::new(db.clone(), seed, faults()).unwrap();
            let job = of_day()
                .parallelism(case.parallelism).unwrap()
                .rows_per_write(case.rows_per_write).unwrap()
                .checkpoint(MemoryCheckpoint::new());
            let mut runs = 0;
            let report = loop {
                runs += 1;
                // The job must end despite these faults.
                failing.set_active(runs < 200);
                match job.run(&failing).await {
                    Ok(report) => break report,
                    Err(error) => assert!(error.is_retryable(), "{error}"),
                }
            };
            let wanted = plain(readings.into_iter().filter(|one| is_of_day(one.at))).await;
            assert_eq!(rows(&db, "SENSOR_20170726").await, wanted);
            assert_eq!(report.resumed.is_some(), runs > 1);
        });
    }
}

fn faults() -> Vec<FaultRule> {
    let moving = || Status::new(Code::Unavailable, "the tablet is moving");
    let fail = |applied| Fault::FailEntry {
        applied,
        status: moving(),
    };
    let cut = Fault::CutRead {
        after_rows: 1,
        inside_row: false,
        status: moving(),
    };
    let rule = |fault, chance| FaultRule::new(fault).when(When::Probability(chance));
    vec![
        rule(Fault::Error(moving()), 0.05).method(Method::MutateRows),
        rule(Fault::LoseAnswer(moving()), 0.1).method(Method::MutateRows),
        rule(cut, 0.1),
        rule(fail(true), 0.05),
        rule(fail(false), 0.05),
    ]
}
