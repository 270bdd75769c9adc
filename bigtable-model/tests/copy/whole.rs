//! Uninterrupted jobs: their reports and refusals.

use std::sync::{Arc, Mutex};

use bigtable_model::backend::faults::{FaultyBackend, Method};
use bigtable_model::copy::{CopyError, CopyJob, MemoryCheckpoint, Progress, Stage};
use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::{Backend, Error, Model};

use super::tables::{Flat, Reading, at, chain, meters, of_day, rows};

#[tokio::test]
async fn a_report_tells_what_was_done() {
    let db = meters().await;
    let report = of_day().run(&db).await.unwrap();
    assert_eq!((report.rows, report.events), (10, 20));
    assert_eq!((report.parts, report.resumed), (4, None));
    assert_eq!(report.table, "SENSOR_20170726");
    let copied = rows(&db, "SENSOR_20170726").await;
    let cells = copied.iter().flat_map(|row| {
        let cells = row.cells.iter();
        cells.map(|cell| cell.family.len() + cell.qualifier.len() + cell.value.len())
    });
    // Every event counts the key and the meter's number.
    let twice = 10 * ("0001#20170726".len() + "METER".len() + "ID".len() + 1);
    let keys = 10 * "0001#20170726".len();
    assert_eq!(
        report.bytes,
        u64::try_from(cells.sum::<usize>() + keys + twice).unwrap()
    );
    let again = of_day().run(&db).await.unwrap();
    assert_eq!(again, report);
}

#[tokio::test]
async fn progress_goes_up_to_all() {
    let db = meters().await;
    let told = Arc::new(Mutex::new(Vec::<Progress>::new()));
    let list = told.clone();
    let job = of_day().rows_per_write(1).unwrap();
    let job = job.on_progress(move |progress| list.lock().unwrap().push(*progress));
    let report = job.run(&db).await.unwrap();
    let told = told.lock().unwrap();
    for stage in [Stage::Copying, Stage::Verifying] {
        let of_stage: Vec<_> = told.iter().filter(|one| one.stage == stage).collect();
        for two in of_stage.windows(2) {
            assert!(
                two[0].share <= two[1].share && two[0].rows <= two[1].rows,
                "{two:?}"
            );
        }
        let last = of_stage.last().unwrap();
        assert_eq!((last.rows, last.events), (report.rows, report.events));
        assert_eq!((last.parts_done, last.share), (last.parts, 1.0));
    }
    let copying = told.iter().filter(|one| one.stage == Stage::Copying);
    assert_eq!(copying.clone().count(), 10);
    assert!(
        copying
            .clone()
            .any(|one| one.share > 0.2 && one.share < 0.8)
    );
}

#[tokio::test]
async fn parts_are_read_apart_and_writes_are_as_large_as_asked() {
    let db = FaultyBackend::new(meters().await, 1, Vec::new()).unwrap();
    let job = of_day().rows_per_write(2).unwrap().without_verification();
    let report = job.run(&db).await.unwrap();
    assert!(!report.verified);
    let count = |method| {
        db.calls()
            .iter()
            .filter(|call| call.method == method)
            .count()
    };
    assert_eq!(count(Method::ReadRows), 4);
    // Meters 0 and 1, 2 to 4, 5 to 7, 8 and 9.
    assert_eq!(count(Method::MutateRows), 1 + 2 + 2 + 1);
}

#[tokio::test]
async fn events_can_be_left_out() {
    let db = meters().await;
    let day = Reading::scan().at(at(0, 0)..at(1, 0));
    let odd = |reading: Reading| (reading.meter % 2 == 1).then(|| Flat::from(reading));
    let job = CopyJob::filter_map(&day, odd).rows_per_write(1).unwrap();
    let report = job
        .checkpoint(MemoryCheckpoint::new())
        .run(&db)
        .await
        .unwrap();
    assert_eq!((report.rows, report.events), (10, 10));
    assert_eq!(rows(&db, "FLAT").await.len(), 10);
}

#[tokio::test]
async fn a_query_of_one_meter_is_one_part() {
    let db = meters().await;
    let query = Reading::query().meter(7_u32).at(at(0, 0)..at(1, 0));
    let report = CopyJob::new(&query, Flat::from).run(&db).await.unwrap();
    assert_eq!((report.parts, report.events), (1, 2));
    let nothing = Reading::query().meter(7_u32).at(at(0, 0)..at(0, 0));
    let job = CopyJob::new(&nothing, Flat::from).into_table("NONE");
    let report = job.run(&db).await.unwrap();
    assert_eq!((report.parts, report.events, report.verified), (0, 0, true));
}

#[tokio::test]
async fn limits_and_copies_into_the_source_are_refused() {
    let db = meters().await;
    let query = Reading::scan().events().limit(5);
    let limited = CopyJob::new(&query, Flat::from).run(&db).await;
    assert!(matches!(limited, Err(CopyError::Limited { .. })));
    let same = of_day().into_table("SENSOR").run(&db).await;
    assert_eq!(
        same.unwrap_err().to_string(),
        "table SENSOR cannot be copied into itself: give the target another name"
    );
    assert_eq!(db.tables().list().await.unwrap(), ["SENSOR"]);
}

#[tokio::test]
async fn an_absent_source_is_told() {
    let db = meters().await;
    db.tables().delete("SENSOR").await.unwrap();
    let error = chain(&of_day().run(&db).await.unwrap_err());
    assert!(
        error.starts_with("table SENSOR: SampleRowKeys failed: the table is missing")
            && error.contains("NOT_FOUND"),
        "{error}"
    );
}

/// The job ends at a bad event, and continues after it is fixed.
#[tokio::test]
async fn a_bad_event_is_named_and_ends_the_job() {
    let db = meters().await;
    let cell = |value: &'static str| RowMutations {
        key: "0004#20170726".into(),
        mutations: vec![Mutation::SetCell {
            family: "METER".into(),
            qualifier: "2345".into(),
            timestamp_micros: at(0, 95).as_micros(),
            value: value.into(),
        }],
    };
    db.mutate_row("SENSOR", cell("many")).await.unwrap();
    let job = of_day()
        .parallelism(1)
        .unwrap()
        .rows_per_write(1)
        .unwrap()
        .checkpoint(MemoryCheckpoint::new());
    let error = chain(&job.run(&db).await.unwrap_err());
    let start = "table SENSOR: column METER:value of meter=4 at=2017-07-26T23:45:00Z is refused";
    assert!(error.starts_with(start), "{error}");
    db.mutate_row("SENSOR", cell("495")).await.unwrap();
    let report = job.run(&db).await.unwrap();
    assert_eq!(
        report
            .resumed
            .map(|resumed| (resumed.rows, resumed.parts_done)),
        Some((4, 1))
    );
    assert_eq!(report.events, 20);
}

#[tokio::test]
async fn an_event_that_the_target_can_t_hold_names_the_target() {
    let db = meters().await;
    let day = Reading::scan().at(at(0, 0)..at(1, 0));
    let wide = |reading: Reading| Reading {
        meter: reading.meter + 10_000,
        ..reading
    };
    let job = CopyJob::new(&day, wide).into_table("SENSOR_20170726");
    let error = job.run(&db).await.unwrap_err();
    let CopyError::Operation(Error::Key { table, .. }) = &error else {
        panic!("{error}");
    };
    assert_eq!(table, "SENSOR_20170726");
}

#[tokio::test]
#[should_panic(expected = "a conversion may panic")]
async fn a_panic_of_the_conversion_is_passed_on() {
    let db = meters().await;
    let day = Reading::scan().at(at(0, 0)..at(1, 0));
    let job = CopyJob::new(&day, |_: Reading| -> Flat {
        panic!("a conversion may panic")
    });
    drop(job.run(&db).await);
}

#[test]
fn numbers_that_cannot_work_are_refused() {
    let refused = of_day().parallelism(0).unwrap_err();
    let words = "CopyJob::parallelism is 0: give at least 1";
    assert_eq!(refused.to_string(), words);
    for rows in [0, 1_001, usize::MAX] {
        let refused = of_day().rows_per_write(rows).unwrap_err();
        let words = format!("CopyJob::rows_per_write is {rows}: give 1 to 1000");
        assert_eq!(refused.to_string(), words);
    }
}
