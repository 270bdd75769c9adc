//! What the comparison with the target detects.

use std::sync::Arc;

use bigtable_model::copy::{CopyError, CopyJob, MemoryCheckpoint, Mismatch};
use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};

use super::tables::{Flat, Reading, at, meters, of_day};

const TARGET: &str = "SENSOR_20170726";

/// The result of running a finished job again after this change to its target.
async fn after(key: &'static str, mutation: Mutation) -> Box<Mismatch> {
    let db = meters().await;
    let job = of_day().checkpoint(MemoryCheckpoint::new());
    job.run(&db).await.unwrap();
    let row = RowMutations {
        key: key.into(),
        mutations: vec![mutation],
    };
    db.mutate_row(TARGET, row).await.unwrap();
    mismatch(&db, &job).await
}

async fn mismatch(db: &Arc<MemoryBackend>, job: &CopyJob<Reading, Reading>) -> Box<Mismatch> {
    match job.run(db).await {
        Err(CopyError::Mismatch(mismatch)) => mismatch,
        other => panic!("{other:?}"),
    }
}

fn set(qualifier: &'static str, time: Timestamp, value: &'static str) -> Mutation {
    Mutation::SetCell {
        family: "METER".into(),
        qualifier: qualifier.into(),
        timestamp_micros: time.as_micros(),
        value: value.into(),
    }
}

fn delete(qualifier: &'static str) -> Mutation {
    Mutation::DeleteFromColumn {
        family: "METER".into(),
        qualifier: qualifier.into(),
        start_micros: 0,
        end_micros: 0,
    }
}

#[tokio::test]
async fn a_missing_event_is_found_in_its_part() {
    let told = after("0003#20170726", delete("2345")).await;
    assert_eq!((told.copied.events, told.found.events), (20, 19));
    assert_eq!(told.differences.len(), 1);
    assert_eq!(
        told.to_string(),
        "table SENSOR_20170726 does not hold what was copied: 20 events were written, 19 are there; from meter=2 \
         at=2017-07-26T00:00:00Z to meter=4 at=2017-07-26T00:00:00Z 6 were written, 5 are there"
    );
}

#[tokio::test]
async fn a_missing_row_is_found() {
    let told = after("0009#20170726", Mutation::DeleteFromRow).await;
    assert_eq!((told.copied.events, told.found.events), (20, 18));
    assert_eq!(told.differences[0].last, "meter=9 at=2017-07-26T00:00:00Z");
}

#[tokio::test]
async fn a_changed_value_is_found() {
    let told = after("0003#20170726", set("2345", at(0, 95), "7")).await;
    assert_eq!((told.copied.events, told.found.events), (20, 20));
    assert_ne!(told.copied.checksum, told.found.checksum);
    assert_eq!(told.differences.len(), 1);
    assert!(
        told.to_string()
            .contains("20 are there, with another checksum; from meter=2")
    );
}

#[tokio::test]
async fn a_row_that_is_not_the_job_s_is_found() {
    let told = after("0012#20170726", set("2345", at(0, 95), "7")).await;
    assert_eq!((told.copied.events, told.found.events), (20, 21));
    assert_eq!(told.differences, []);
    assert!(
        told.to_string()
            .ends_with("; meter=12 at=2017-07-26T00:00:00Z is not a row of the copy")
    );
    // Between rows of one part it counts as one of its events.
    let told = after("0003#20170725", set("2345", at(-1, 95), "7")).await;
    assert_eq!(told.differences[0].found.events, 7);
    // A key that is not the model's.
    let told = after("total", set("2345", at(0, 95), "7")).await;
    assert_eq!(told.stray.as_deref(), Some("\"total\""));
}

#[tokio::test]
async fn cells_that_are_no_event_s_are_found() {
    let changes = [
        ("an older version", set("2345", at(0, 1), "7")),
        ("a column of no event", set("note", at(0, 0), "7")),
        ("another number of the meter", set("ID", at(0, 0), "7")),
        ("another time of it", set("ID", at(0, 1), "3")),
        ("no number of the meter", delete("ID")),
    ];
    for (change, mutation) in changes {
        let told = after("0003#20170726", mutation).await;
        assert_eq!(told.found.events, 20, "{change}");
        assert_eq!(told.differences.len(), 1, "{change}");
    }
    // A row with only a meter's number.
    let told = after("0012#20170726", set("ID", at(0, 0), "12")).await;
    assert_eq!(told.found.events, 20);
    assert!(told.stray.is_some());
}

/// The checkpoint says that everything is done, but the target is missing.
#[tokio::test]
async fn a_target_that_was_deleted_is_found() {
    let db = meters().await;
    let job = of_day().checkpoint(MemoryCheckpoint::new());
    job.run(&db).await.unwrap();
    db.tables().delete(TARGET).await.unwrap();
    let told = mismatch(&db, &job).await;
    assert_eq!(told.found.events, 0);
    assert!(
        told.to_string().ends_with("; 1 more parts differ"),
        "{told}"
    );
}

#[tokio::test]
async fn events_that_become_one_are_found() {
    let db = meters().await;
    let day = Reading::scan().at(at(0, 0)..at(1, 0));
    let same_time = |reading: Reading| Reading {
        at: at(0, 0),
        ..reading
    };
    let job = CopyJob::new(&day, same_time).into_table(TARGET);
    let told = mismatch(&db, &job).await;
    assert_eq!((told.copied.events, told.found.events), (20, 10));
}

/// Parts whose rows are interleaved in the target cannot be distinguished.
#[tokio::test]
async fn without_an_order_only_the_sums_are_known() {
    let db = meters().await;
    let day = Reading::scan().at(at(0, 0)..at(1, 0));
    let shuffled = |reading: Reading| Reading {
        meter: (reading.meter * 7) % 10,
        ..reading
    };
    let job = CopyJob::new(&day, shuffled).into_table(TARGET);
    let job = job.checkpoint(MemoryCheckpoint::new());
    job.run(&db).await.unwrap();
    let stray = Reading {
        meter: 5,
        at: at(0, 3),
        value: 1,
    };
    let row = bigtable_model::model::insert_mutations(&stray, at(0, 0)).unwrap();
    db.mutate_row(TARGET, row).await.unwrap();
    let told = mismatch(&db, &job).await;
    assert_eq!((told.copied.events, told.found.events), (20, 21));
    assert_eq!((told.differences.len(), &told.stray), (0, &None));
}

/// Cells have the time of their write: older versions of earlier rows stay and do not count.
#[tokio::test]
async fn older_versions_below_a_write_do_not_count() {
    let db = meters().await;
    let day = Reading::scan().at(at(0, 0)..at(1, 0));
    let job = CopyJob::new(&day, Flat::from);
    db.ensure_tables::<Flat>().await.unwrap();
    let before = Flat {
        meter: 3,
        at: at(0, 95),
        value: 0,
        odd: Some(false),
    };
    db.insert(&before).await.unwrap();
    assert!(job.run(&db).await.unwrap().verified);
}
