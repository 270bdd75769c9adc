//! Models with tables by period, as target and as source.

use std::collections::BTreeMap;
use std::sync::Arc;

use bigtable_model::copy::{CopyError, CopyJob, MemoryCheckpoint, Progress, Stage};
use bigtable_model::data::{Mutation, Row, RowMutations};
use bigtable_model::model::insert_mutations;
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use proptest::prelude::*;

use super::kills::{Case, case, in_runtime};
use super::tables::{DAY, Flat, Reading, at, database, meters, rows};

/// A reading in the table of its day.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SENSOR_{at:%Y%m%d}", family = "METER", layout = "columns")]
struct ReadingOfDay {
    #[bigtable(key, width = 4, column = "ID", text)]
    meter: u32,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    #[bigtable(text)]
    value: i64,
}

/// A row for each event in the table of its month; cells have the time of their write.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "FLAT_{at:%Y%m}", family = "F", cell_time = "write")]
struct FlatOfMonth {
    #[bigtable(key)]
    meter: u32,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: i64,
}

macro_rules! from {
    ($one:ident, $other:ident) => {
        impl From<$one> for $other {
            fn from($one { meter, at, value }: $one) -> Self {
                Self { meter, at, value }
            }
        }
    };
}

from!(Reading, ReadingOfDay);
from!(ReadingOfDay, Reading);
from!(ReadingOfDay, FlatOfMonth);

const TABLES: [&str; 3] = ["SENSOR_20170725", "SENSOR_20170726", "SENSOR_20170727"];

fn of_day() -> CopyJob<Reading, ReadingOfDay> {
    let day = Reading::scan().at(at(0, 0)..at(1, 0));
    CopyJob::new(&day, ReadingOfDay::from)
}

fn of_all() -> CopyJob<Reading, ReadingOfDay> {
    CopyJob::new(&Reading::scan(), ReadingOfDay::from)
}

/// Readings in the tables of their days.
async fn by_day(readings: &[Reading]) -> Arc<MemoryBackend> {
    let db = Arc::new(MemoryBackend::new());
    let days = at(-1, 0)..at(2, 0);
    db.ensure_periods::<ReadingOfDay>(days).await.unwrap();
    let readings: Vec<_> = readings.iter().cloned().map(ReadingOfDay::from).collect();
    db.insert_many(&readings).await.into_result().unwrap();
    db
}

/// All tables but the source, with their rows.
async fn tables(db: &dyn Backend, source: &str) -> BTreeMap<String, Vec<Row>> {
    let mut tables = BTreeMap::new();
    for table in db.tables().list().await.unwrap() {
        if table != source {
            let rows = rows(db, &table).await;
            tables.insert(table, rows);
        }
    }
    tables
}

#[tokio::test]
async fn a_day_is_copied_into_its_table() {
    let db = meters().await;
    let table = ReadingOfDay::SCHEMA.table_of(Some(at(0, 0))).unwrap();
    for job in [of_day().into_table(table), of_day()] {
        let report = job.run(&db).await.unwrap();
        assert_eq!((report.events, report.verified), (20, true));
        let copied = ReadingOfDay::scan().at(at(-1, 0)..at(2, 0));
        let copied = db.fetch(&copied).await.unwrap();
        let day = Reading::scan().at(at(0, 0)..at(1, 0));
        let source = db.fetch(&day).await.unwrap();
        let source: Vec<_> = source.into_iter().map(ReadingOfDay::from).collect();
        assert_eq!(copied, source);
        assert_eq!(db.tables().list().await.unwrap(), ["SENSOR", TABLES[1]]);
    }
}

#[tokio::test]
async fn every_event_goes_to_the_table_of_its_day() {
    let db = meters().await;
    let told = Arc::new(std::sync::Mutex::new(Vec::<Progress>::new()));
    let list = told.clone();
    let job = of_all().on_progress(move |progress| list.lock().unwrap().push(*progress));
    let report = job.run(&db).await.unwrap();
    assert_eq!(
        (report.rows, report.events, report.verified),
        (30, 60, true)
    );
    assert_eq!(report.table, "SENSOR_{at:%Y%m%d}");
    let tables = tables(&*db, "SENSOR").await;
    assert_eq!(
        tables.keys().collect::<Vec<_>>(),
        TABLES.iter().collect::<Vec<_>>()
    );
    assert!(tables.values().all(|rows| rows.len() == 10));
    let told = told.lock().unwrap();
    let last = told.last().unwrap();
    assert_eq!(
        (last.stage, last.rows, last.events),
        (Stage::Verifying, 30, 60)
    );
    assert_eq!((last.parts_done, last.share), (last.parts, 1.0));
}

/// The result of running a finished job again after this change to a table.
async fn after(table: &str, key: &'static str, mutation: Mutation) -> CopyError {
    let db = meters().await;
    let job = of_all().checkpoint(MemoryCheckpoint::new());
    job.run(&db).await.unwrap();
    let row = RowMutations {
        key: key.into(),
        mutations: vec![mutation],
    };
    db.mutate_row(table, row).await.unwrap();
    job.run(&db).await.unwrap_err()
}

#[tokio::test]
async fn every_table_is_compared() {
    let stray = Mutation::SetCell {
        family: "METER".into(),
        qualifier: "0015".into(),
        timestamp_micros: at(1, 1).as_micros(),
        value: "5".into(),
    };
    let lost = after(TABLES[0], "0003#20170725", Mutation::DeleteFromRow).await;
    let CopyError::Mismatch(lost) = lost else {
        panic!("{lost}");
    };
    assert_eq!((lost.copied.events, lost.found.events), (60, 58));
    assert_eq!(lost.differences.len(), 1);
    assert_eq!(lost.table, "SENSOR_{at:%Y%m%d}");
    let more = after(TABLES[2], "0044#20170727", stray).await;
    let CopyError::Mismatch(more) = more else {
        panic!("{more}");
    };
    assert_eq!((more.copied.events, more.found.events), (60, 61));
    assert!(
        more.to_string()
            .ends_with("; meter=44 at=2017-07-27T00:00:00Z is not a row of the copy")
    );
}

#[tokio::test]
async fn a_table_that_was_deleted_is_found() {
    let db = meters().await;
    let job = of_all().checkpoint(MemoryCheckpoint::new());
    job.run(&db).await.unwrap();
    db.tables().delete(TABLES[1]).await.unwrap();
    match job.run(&db).await {
        Err(CopyError::Mismatch(told)) => assert_eq!(told.found.events, 40),
        other => panic!("{other:?}"),
    }
}

/// Tables of other days are ignored.
#[tokio::test]
async fn tables_that_were_not_written_are_not_compared() {
    let db = meters().await;
    let other = ReadingOfDay {
        meter: 1,
        at: at(7, 0),
        value: 1,
    };
    db.ensure_periods::<ReadingOfDay>(other.at..at(8, 0))
        .await
        .unwrap();
    db.insert(&other).await.unwrap();
    let job = of_all().checkpoint(MemoryCheckpoint::new());
    assert!(job.run(&db).await.unwrap().verified);
    assert!(job.run(&db).await.unwrap().resumed.is_some());
}

/// A model with one table that is named like a table by period.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SENSOR_20170726", family = "METER", layout = "columns")]
struct OneDay {
    #[bigtable(key, width = 4, column = "ID", text)]
    meter: u32,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    #[bigtable(text)]
    value: i64,
}

from!(OneDay, ReadingOfDay);
from!(ReadingOfDay, OneDay);

#[tokio::test]
async fn copies_into_the_source_are_refused() {
    let one = OneDay {
        meter: 1,
        at: at(0, 1),
        value: 7,
    };
    let db = database(std::slice::from_ref(&one), Vec::new()).await;
    let day = || OneDay::scan();
    let into_itself = CopyJob::new(&day(), ReadingOfDay::from).run(&db).await;
    let the_day_after = CopyJob::new(&day(), |one| ReadingOfDay {
        at: at(1, 0),
        ..ReadingOfDay::from(one)
    });
    let days = || ReadingOfDay::scan().at(at(-1, 0)..at(2, 0));
    let same: fn(ReadingOfDay) -> ReadingOfDay = |reading| reading;
    let errors = [
        (into_itself.unwrap_err(), TABLES[1]),
        (
            CopyJob::new(&days(), OneDay::from)
                .run(&db)
                .await
                .unwrap_err(),
            TABLES[1],
        ),
        (
            CopyJob::new(&days(), same).run(&db).await.unwrap_err(),
            "SENSOR_{at:%Y%m%d}",
        ),
        (
            CopyJob::new(&days(), same)
                .into_table(TABLES[1])
                .run(&db)
                .await
                .unwrap_err(),
            TABLES[1],
        ),
    ];
    for (error, named) in errors {
        assert!(
            matches!(&error, CopyError::SameTable { table } if table == named),
            "{error}"
        );
    }
    assert_eq!(the_day_after.run(&db).await.unwrap().events, 1);
    let row = insert_mutations(&one, at(0, 0)).unwrap();
    assert_eq!(rows(&*db, TABLES[1]).await[0].key, row.key);
}

#[tokio::test]
async fn tables_by_period_are_copied_into_one() {
    let readings = super::tables::readings(10);
    let db = by_day(&readings).await;
    let whole = ReadingOfDay::scan();
    let two = ReadingOfDay::scan().at(at(0, 0)..at(700, 0));
    for (query, days) in [(whole, 3), (two, 2)] {
        let job = CopyJob::new(&query, Reading::from).checkpoint(MemoryCheckpoint::new());
        let report = job.run(&db).await.unwrap();
        assert_eq!((report.events, report.verified), (days * 20, true));
        let again = job.run(&db).await.unwrap();
        assert_eq!(again.resumed.unwrap().events, days * 20);
        db.tables().delete("SENSOR").await.unwrap();
    }
}

/// A missing table holds no events, before the first run and between two runs.
#[tokio::test]
async fn a_table_of_the_source_may_be_missing() {
    let readings = super::tables::readings(10);
    let db = by_day(&readings).await;
    db.tables().delete(TABLES[1]).await.unwrap();
    let query = ReadingOfDay::scan().at(at(-1, 0)..at(2, 0));
    let job = CopyJob::new(&query, Reading::from).checkpoint(MemoryCheckpoint::new());
    assert_eq!(job.run(&db).await.unwrap().events, 40);
    db.tables().delete(TABLES[0]).await.unwrap();
    assert!(job.run(&db).await.unwrap().verified);
}

/// The tables after a plain insert of all events.
async fn plainly(readings: &[Reading]) -> BTreeMap<String, Vec<Row>> {
    let db = by_day(readings).await;
    let mut tables = tables(&*db, "").await;
    tables.retain(|_, rows| !rows.is_empty());
    tables
}

async fn killed(case: &Case) -> Result<(), TestCaseError> {
    let readings = case.readings();
    let db = database(&readings, case.splits()).await;
    let (report, _) = case.copy(&db, of_all()).await;
    prop_assert!(report.verified);
    prop_assert_eq!(tables(&*db, "SENSOR").await, plainly(&readings).await);
    Ok(())
}

async fn killed_between_periods(case: &Case) -> Result<(), TestCaseError> {
    let db = by_day(&case.readings()).await;
    let days = ReadingOfDay::scan().at(..Timestamp::from_seconds(DAY + 90_000));
    let job = CopyJob::new(&days, FlatOfMonth::from);
    let (report, _) = case.copy(&db, job).await;
    prop_assert!(report.verified);
    let copied = db.fetch(&FlatOfMonth::scan()).await.unwrap();
    let source = db.fetch(&days).await.unwrap();
    let mut source: Vec<_> = source.into_iter().map(FlatOfMonth::from).collect();
    source.sort_by_key(|one| (one.meter, one.at));
    prop_assert_eq!(copied, source);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_killed_copy_into_tables_by_period_is_whole_in_the_end(case in case()) {
        in_runtime(killed(&case))?;
    }

    #[test]
    fn a_killed_copy_between_tables_by_period_is_whole_in_the_end(case in case()) {
        in_runtime(killed_between_periods(&case))?;
    }
}

/// Rows with one event; a bulk write holds rows of many tables.
#[tokio::test]
async fn a_bulk_write_may_go_to_many_tables() {
    let flat: Vec<Flat> = super::tables::readings(10)
        .into_iter()
        .map(Flat::from)
        .collect();
    let db = database(&flat, Vec::new()).await;
    let query = Flat::scan();
    let of_day = |flat: Flat| ReadingOfDay::from(Reading::from(flat));
    let job = CopyJob::new(&query, of_day).rows_per_write(1_000).unwrap();
    let report = job.run(&db).await.unwrap();
    assert_eq!((report.events, report.verified), (60, true));
    assert_eq!(tables(&*db, "FLAT").await.len(), 3);
}
