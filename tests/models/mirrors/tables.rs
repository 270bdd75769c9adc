//! The outcome in each table when one fails, and refusals before anything is sent.

use std::sync::Arc;

use bigtable_model::backend::faults::When;
use bigtable_model::mirror::MirrorOf;
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, Timestamp};
use futures::stream;

use super::{failing, faulty};
use crate::support::rows;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING", family = "R", mirror(ByPlace, Alarm))]
struct Reading {
    #[bigtable(key)]
    sensor: u32,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    place: String,
    value: i64,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING_BY_PLACE", family = "R")]
struct ByPlace {
    #[bigtable(key)]
    place: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(key)]
    sensor: u32,
    value: i64,
}

/// Only exceptional values.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ALARM", family = "A")]
struct Alarm {
    #[bigtable(key)]
    sensor: u32,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    value: i64,
}

impl From<&Reading> for ByPlace {
    fn from(reading: &Reading) -> Self {
        let Reading {
            sensor,
            at,
            place,
            value,
        } = reading.clone();
        Self {
            place,
            at,
            sensor,
            value,
        }
    }
}

impl MirrorOf<Reading> for Alarm {
    fn mirror_of(reading: &Reading) -> Option<Self> {
        let &Reading {
            sensor, at, value, ..
        } = reading;
        (value > 90).then_some(Self { sensor, at, value })
    }

    fn source_key(&self) -> Option<ReadingKey> {
        None
    }
}

fn reading(millis: i64, place: &str, value: i64) -> Reading {
    Reading {
        sensor: 4,
        at: Timestamp::from_millis(millis),
        place: place.into(),
        value,
    }
}

async fn tables(rules: Vec<bigtable_model::backend::faults::FaultRule>) -> impl Backend {
    let db = faulty(Arc::new(MemoryBackend::new()), 1, rules);
    db.ensure_tables::<Reading>().await.unwrap();
    db.set_active(true);
    db
}

async fn counts(db: &dyn Backend) -> [usize; 3] {
    [
        rows(db, "READING").await.len(),
        rows(db, "READING_BY_PLACE").await.len(),
        rows(db, "ALARM").await.len(),
    ]
}

#[tokio::test]
async fn an_event_goes_to_the_tables_that_take_it() {
    let db = tables(Vec::new()).await;
    db.insert(&reading(1, "hall", 50)).await.unwrap();
    assert_eq!(counts(&db).await, [1, 1, 0]);
    db.insert(&reading(2, "hall", 95)).await.unwrap();
    // The same again.
    db.insert(&reading(2, "hall", 95)).await.unwrap();
    assert_eq!(counts(&db).await, [2, 2, 1]);
}

#[tokio::test]
async fn a_copy_that_fails_holds_up_no_other_and_is_named() {
    let db = tables(vec![failing("READING_BY_PLACE", When::First(2))]).await;
    let first = db.insert(&reading(1, "hall", 95)).await.unwrap_err();
    assert_eq!(first.table(), "READING_BY_PLACE");
    let error = db.insert(&reading(1, "hall", 95)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "table READING: the event was written, but a copy of it was not"
    );
    assert_eq!(
        (error.table(), error.is_retryable()),
        ("READING_BY_PLACE", true)
    );
    assert_eq!(counts(&db).await, [1, 0, 1]);
    db.insert(&reading(1, "hall", 95)).await.unwrap();
    assert_eq!(counts(&db).await, [1, 1, 1]);
}

#[tokio::test]
async fn no_copy_is_written_before_its_event() {
    let db = tables(vec![failing("READING", When::First(1))]).await;
    let refused = db.insert(&reading(1, "hall", 95)).await.unwrap_err();
    assert!(matches!(refused, Error::Backend { .. }));
    assert_eq!(refused.table(), "READING");
    assert_eq!(counts(&db).await, [0, 0, 0]);
}

#[tokio::test]
async fn a_copy_that_can_not_be_made_is_found_before_anything_is_sent() {
    let db = tables(Vec::new()).await;
    // A string segment of the key cannot contain the separator; a column can.
    let error = db.insert(&reading(1, "hall#2", 95)).await.unwrap_err();
    assert!(matches!(error, Error::Key { .. }), "{error:?}");
    assert_eq!(error.table(), "READING_BY_PLACE");
    let events = [
        reading(1, "hall", 1),
        reading(2, "hall#2", 95),
        reading(3, "roof", 99),
    ];
    let outcome = db.insert_many(&events).await;
    assert_eq!(outcome.written(), 2);
    let failed: Vec<_> = outcome.failed().iter().map(|one| one.index).collect();
    assert_eq!(failed, [1]);
    assert_eq!(counts(&db).await, [2, 2, 1]);
}

#[tokio::test]
async fn many_events_tell_which_table_lacks_which_copy() {
    let db = tables(vec![
        failing("READING_BY_PLACE", When::Nth(2)),
        failing("ALARM", When::Nth(1)),
    ])
    .await;
    // Two requests for each table of readings.
    let events: Vec<_> = (0..1_500)
        .map(|at| reading(at, "hall", if at % 500 == 0 { 99 } else { 5 }))
        .collect();
    let outcome = db.insert_many(&events).await;
    let of = |table: &str| -> Vec<usize> {
        let failed = outcome.failed().iter();
        let failed = failed.filter(|one| one.error.table() == table);
        failed.map(|one| one.index).collect()
    };
    assert!(of("READING").is_empty());
    assert_eq!(of("READING_BY_PLACE"), (1_000..1_500).collect::<Vec<_>>());
    assert_eq!(of("ALARM"), [0, 500]);
    assert_eq!(outcome.written(), 998);
    assert_eq!(counts(&db).await, [1_500, 1_000, 1]);

    let report = db.repair(&Reading::query().sensor(4_u32)).await.unwrap();
    assert!(report.is_clean());
    assert_eq!((report.events, report.written()), (1_500, 502));
    assert_eq!(counts(&db).await, [1_500, 1_500, 3]);
    let again = db.repair(&Reading::query().sensor(4_u32)).await.unwrap();
    assert_eq!(again.written(), 0);
    assert_eq!(
        again.to_string(),
        "1500 events\n\
         table READING_BY_PLACE: 1500 copies checked, 0 written, 0 deleted, 0 failed\n\
         table ALARM: 3 copies checked, 0 written, 0 deleted, 0 failed"
    );
}

#[tokio::test]
async fn a_stream_of_events_is_written_with_its_copies() {
    let db = tables(vec![failing("READING_BY_PLACE", When::Nth(3))]).await;
    let events = (0..2_500).map(|at| match at {
        // This event has no valid copy.
        700 => reading(at, "hall#2", 5),
        _ => reading(at, "hall", if at % 500 == 0 { 99 } else { 5 }),
    });
    let mut told = Vec::new();
    let inserts = db.insert_stream(stream::iter(events));
    let inserts = inserts.requests_in_flight(2).unwrap();
    let inserts = inserts.on_progress(|now| told.push((now.written, now.failed)));
    let outcome = inserts.await;
    // The third thousand lacks the copies of one table.
    assert_eq!(told, [(999, 1), (1_999, 1), (1_999, 501)]);
    assert_eq!(outcome.written(), 1_999);
    let failed: Vec<_> = outcome.failed().iter().map(|one| one.index).collect();
    let expected: Vec<_> = [700].into_iter().chain(2_000..2_500).collect();
    assert_eq!(failed, expected);
    let mut failed = outcome.failed().iter();
    assert!(failed.all(|one| one.error.table() == "READING_BY_PLACE"));
    assert_eq!(counts(&db).await, [2_499, 1_999, 5]);
}

#[tokio::test]
async fn an_event_that_lacks_several_copies_is_returned_once() {
    let db = tables(vec![
        failing("READING_BY_PLACE", When::Always),
        failing("ALARM", When::Always),
    ])
    .await;
    // The third has no valid copy.
    let events = [
        reading(1, "hall", 99),
        reading(2, "hall", 5),
        reading(3, "hall#2", 95),
    ];
    let (mut dead, mut told) = (Vec::new(), Vec::new());
    let inserts = db.insert_many(events.clone());
    let inserts = inserts.on_progress(|now| told.push((now.written, now.failed)));
    let written = inserts.give_back(|letter| dead.push(letter));
    let written = written.await;
    assert_eq!((written.written, written.failed), (0, 3));
    assert_eq!(told, [(0, 3)]);
    dead.sort_by_key(|letter| letter.index);
    let returned: Vec<_> = dead.iter().map(|letter| letter.event.clone()).collect();
    assert_eq!(returned, events);
    let mut dead = dead.iter();
    assert!(dead.all(|letter| letter.error.table() == "READING_BY_PLACE"));
    assert_eq!(rows(&db, "READING").await.len(), 2);
}

#[tokio::test]
async fn a_repair_is_of_the_querys_events_and_counts_what_it_can_not_do() {
    let db = tables(vec![failing("ALARM", When::Nth(1))]).await;
    let events = [reading(1, "hall", 99), reading(2, "hall", 98)];
    let outcome = db.insert_many(&events).await;
    assert_eq!(outcome.failed().len(), 2);
    let from = Timestamp::from_millis(2);
    let query = || Reading::query().sensor(4_u32).at(from..);
    assert_eq!(db.repair(&query()).await.unwrap().written(), 1);
    assert_eq!(counts(&db).await, [2, 2, 1]);
    // A copy that differs is rewritten.
    let key = Alarm::mirror_of(&events[1]).unwrap().key();
    db.send(Alarm::update(&key).value(7)).await.unwrap();
    assert_eq!(db.repair(&query()).await.unwrap().written(), 1);
    assert_eq!(db.get::<Alarm>(&key).await.unwrap().unwrap().value, 98);
}

#[tokio::test]
async fn what_a_repair_can_not_reach_is_in_its_report() {
    let db = tables(vec![failing("ALARM", When::Always)]).await;
    let _ = db.insert(&reading(1, "hall", 99)).await;
    let report = db.repair(&Reading::query().sensor(4_u32)).await.unwrap();
    assert!(!report.is_clean());
    let alarms = &report.tables[1];
    assert_eq!(
        (alarms.table.as_str(), alarms.written, alarms.failed),
        ("ALARM", 0, 1)
    );
    assert_eq!(alarms.errors[0].table(), "ALARM");
}

#[tokio::test]
async fn an_event_is_deleted_with_its_copies() {
    let db = tables(vec![failing("ALARM", When::Nth(2))]).await;
    let event = reading(1, "hall", 99);
    db.insert(&event).await.unwrap();
    let refused = db.delete_mirrored(&event).await.unwrap_err();
    assert_eq!(refused.table(), "ALARM");
    assert_eq!(counts(&db).await, [1, 0, 1]);
    db.delete_mirrored(&event).await.unwrap();
    assert_eq!(counts(&db).await, [0, 0, 0]);
}
