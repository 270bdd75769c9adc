//! Deletes of a query's events, and of many events by key: what is deleted, what stays, and what is
//! reported.

use std::collections::BTreeMap;
use std::sync::Arc;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, When};
use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::{
    Backend, BackendExt, Code, Error, MemoryBackend, Model, Projection, QueryError, Status,
    Timestamp,
};

use crate::support::{at, backends, rows};

/// A reading of a meter, whose row stores the meter's number once.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SENSOR", family = "METER", layout = "columns")]
struct Reading {
    #[bigtable(key, width = 10, column = "ID", text)]
    meter: u32,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    #[bigtable(text)]
    value: f64,
}

/// Metrics of a machine, some with run-time names.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METRIC", family = "M")]
struct Metric {
    #[bigtable(key)]
    machine: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    load: f64,
    #[bigtable(columns, family = "REST")]
    rest: BTreeMap<String, u64>,
}

/// Two fields of a tick, a day in a row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "TICK",
    family = "T",
    layout = "cells",
    salt(shards = 3, of(symbol))
)]
struct Tick {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    bid: f64,
    ask: Option<f64>,
}

#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = Tick)]
struct Ask {
    ask: Option<f64>,
}

fn reading(meter: u32, hour: i64) -> Reading {
    let midnight = at("2017-07-26T00:00:00Z").as_micros();
    Reading {
        meter,
        at: Timestamp::from_micros(midnight + hour * 3_600_000_000),
        value: 28.9,
    }
}

fn metric(machine: &str, second: i64) -> Metric {
    Metric {
        machine: machine.to_owned(),
        at: Timestamp::from_seconds(1_500_000_000 + second),
        load: 0.5,
        rest: [("CPU1".to_owned(), 1), ("CPU2".to_owned(), 2)].into(),
    }
}

fn tick(symbol: &str, second: i64) -> Tick {
    Tick {
        symbol: symbol.to_owned(),
        at: Timestamp::from_seconds(1_500_000_000 + second),
        bid: 600.55,
        ask: (second % 2 == 0).then_some(600.60),
    }
}

fn texts(row: &bigtable_model::data::Row) -> Vec<String> {
    let cells = row.cells.iter();
    let names = cells.map(|cell| format!("{}:{}", cell.family, cell.qualifier.escape_ascii()));
    names.collect()
}

#[tokio::test]
async fn columns_of_the_row_stay_and_are_no_event() {
    for db in backends("deletes", "columns") {
        db.ensure_tables::<Reading>().await.unwrap();
        let readings: Vec<_> = (0..30).map(|hour| reading(7, hour)).collect();
        db.insert_many(&readings).await.into_result().unwrap();
        let first_day = Reading::query()
            .meter(7_u32)
            .at(reading(7, 0).at..reading(7, 24).at);
        let outcome = db.delete_all(&first_day).await;
        assert_eq!((outcome.deleted(), outcome.not_deleted()), (24, 0));
        assert!(outcome.failed().is_empty());
        let stored = rows(&*db, "SENSOR").await;
        assert_eq!(stored.len(), 2);
        assert_eq!(texts(&stored[0]), ["METER:ID"]);
        assert_eq!(db.fetch(&first_day).await.unwrap(), []);
        let all = Reading::scan();
        assert_eq!(db.count(&all).await.unwrap(), 6);
        let series = db.series(&all);
        assert_eq!(series.await.unwrap().len(), 1);
        assert_eq!(db.delete_all(&all).await.into_result().unwrap(), 6);
        assert_eq!(db.series(&all).await.unwrap().len(), 0);
    }
}

#[tokio::test]
async fn columns_named_at_run_time_go_with_their_event() {
    for db in backends("deletes", "metrics") {
        db.ensure_tables::<Metric>().await.unwrap();
        for second in 0..5 {
            db.insert(&metric("a", second)).await.unwrap();
            db.insert(&metric("b", second)).await.unwrap();
        }
        let times = metric("a", 1).at..metric("a", 4).at;
        let some = Metric::query().machine("a").at(times);
        assert_eq!(db.delete_all(&some).await.into_result().unwrap(), 3);
        assert_eq!(rows(&*db, "METRIC").await.len(), 7);
        let left = db.fetch(&Metric::query().machine("a")).await.unwrap();
        assert_eq!(left, [metric("a", 0), metric("a", 4)]);
    }
}

#[tokio::test]
async fn a_limit_and_the_order_hold() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Tick>().await.unwrap();
    let ticks: Vec<_> = ["A", "B"]
        .iter()
        .flat_map(|symbol| (0..10).map(|second| tick(symbol, second)))
        .collect();
    db.insert_many(&ticks).await.into_result().unwrap();
    let newest = Tick::query()
        .symbol(["A", "B"])
        .events()
        .newest_first()
        .limit(5);
    // A projection reads less, but whole events are deleted.
    let deleted = db.delete_all(&newest.select::<Ask>()).await;
    assert_eq!(deleted.into_result().unwrap(), 5);
    let left = db.fetch(&Tick::query().symbol(["A", "B"])).await.unwrap();
    assert_eq!(left.len(), 15);
    let seconds = |symbol: &str| {
        let of_symbol = left.iter().filter(|tick| tick.symbol == symbol);
        of_symbol.map(|tick| tick.at).max().unwrap()
    };
    // Ties are ordered by symbol: of the third pair from the end, the last one is deleted.
    assert_eq!(
        (seconds("A"), seconds("B")),
        (tick("A", 7).at, tick("B", 6).at)
    );
    let oldest = Tick::query().symbol("A").events().limit(3);
    assert_eq!(db.delete_all(&oldest).await.into_result().unwrap(), 3);
    let left = db.fetch(&Tick::query().symbol("A")).await.unwrap();
    assert_eq!(left.first(), Some(&tick("A", 3)));
}

async fn put(
    db: &dyn Backend,
    table: &str,
    key: &str,
    family: &'static str,
    qualifier: &'static str,
) {
    let cell = Mutation::SetCell {
        family: family.into(),
        qualifier: qualifier.into(),
        timestamp_micros: tick("A", 0).at.as_micros(),
        value: "bad".into(),
    };
    let row = RowMutations {
        key: key.to_owned().into(),
        mutations: vec![cell],
    };
    db.mutate_row(table, row).await.unwrap();
}

#[tokio::test]
async fn rows_of_others_are_left_alone_and_told() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Metric>().await.unwrap();
    db.ensure_tables::<Tick>().await.unwrap();
    db.insert(&metric("a", 0)).await.unwrap();
    db.insert(&tick("A", 0)).await.unwrap();
    put(&db, "METRIC", "something else", "M", "load").await;
    put(&db, "TICK", "9#A#20170714", "T", "bid").await;
    let outcome = db.delete_all(&Metric::scan()).await;
    assert_eq!((outcome.deleted(), outcome.not_deleted()), (1, 1));
    let failed = &outcome.failed()[0];
    assert_eq!((failed.key.as_deref(), failed.events.len()), (None, 1));
    assert!(matches!(&failed.error, Error::ForeignKey { key, .. } if key == "something else"));
    let outcome = db.delete_all(&Tick::scan()).await;
    assert_eq!((outcome.deleted(), outcome.not_deleted()), (1, 1));
    assert!(matches!(
        outcome.into_result(),
        Err(Error::ForeignKey { .. })
    ));
    assert_eq!(
        (
            rows(&db, "METRIC").await.len(),
            rows(&db, "TICK").await.len()
        ),
        (1, 1)
    );
}

#[tokio::test]
async fn cells_that_are_no_events_stay_and_events_of_bad_bytes_go() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Tick>().await.unwrap();
    db.insert(&tick("A", 0)).await.unwrap();
    let key = rows(&db, "TICK").await.remove(0).key;
    let key = std::str::from_utf8(&key).unwrap();
    put(&db, "TICK", key, "T", "bid").await;
    put(&db, "TICK", key, "T", "of others").await;
    // Columns without a bid are not an event.
    db.delete_cell(&tick("A", 0).key(), Tick::FIELDS.ask)
        .await
        .unwrap();
    db.insert(&tick("A", 2)).await.unwrap();
    db.delete_cell(&tick("A", 2).key(), Tick::FIELDS.bid)
        .await
        .unwrap();
    let query = Tick::query().symbol("A");
    assert!(db.fetch(&query).await.is_err());
    assert_eq!(db.delete_all(&query).await.into_result().unwrap(), 1);
    assert_eq!(texts(&rows(&db, "TICK").await[0]), ["T:ask", "T:of others"]);
}

async fn faulty(fault: Fault, when: When) -> FaultyBackend {
    let rule = FaultRule::new(fault).when(when);
    let db = FaultyBackend::new(Arc::new(MemoryBackend::new()), 7, vec![rule]).unwrap();
    db.set_active(false);
    db.ensure_tables::<Reading>().await.unwrap();
    for meter in 0..6 {
        for hour in 0..3 {
            db.insert(&reading(meter, hour)).await.unwrap();
        }
    }
    db.set_active(true);
    db
}

fn busy() -> Status {
    Status::new(Code::Unavailable, "the tablet is moving")
}

#[tokio::test]
async fn failures_are_told_by_row() {
    let applied = false;
    let status = busy();
    let db = faulty(Fault::FailEntry { applied, status }, When::Every(3)).await;
    let meters: Vec<u32> = (0..6).collect();
    let query = Reading::query().meter(&meters[..]);
    let outcome = db.delete_all(&query).await;
    assert_eq!((outcome.deleted(), outcome.not_deleted()), (12, 6));
    let failed: Vec<_> = outcome
        .failed()
        .iter()
        .map(|failed| (failed.key.clone().unwrap(), failed.events.len()))
        .collect();
    let [(first, 3), (second, 3)] = &failed[..] else {
        panic!("{failed:?}")
    };
    for key in [first, second] {
        assert!(
            key.starts_with("meter=") && key.contains(" at=2017-07-26"),
            "{key}"
        );
    }
    assert!(outcome.failed()[0].error.is_retryable());
    assert!(outcome.into_result().is_err());
    db.set_active(false);
    // The same call continues where this one ended.
    assert_eq!(db.delete_all(&query).await.into_result().unwrap(), 6);
    assert_eq!(db.count(&Reading::scan()).await.unwrap(), 0);
}

#[tokio::test]
async fn a_read_that_breaks_is_a_failure_after_what_was_deleted() {
    let status = busy();
    let cut = Fault::CutRead {
        after_rows: 2,
        inside_row: false,
        status,
    };
    let db = faulty(cut, When::Always).await;
    let outcome = db.delete_all(&Reading::scan()).await;
    assert_eq!((outcome.deleted(), outcome.not_deleted()), (6, 1));
    assert!(matches!(
        outcome.failed(),
        [failed] if failed.key.is_none() && failed.error.is_retryable()
    ));
}

#[tokio::test]
async fn what_can_not_be_asked_deletes_nothing() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Tick>().await.unwrap();
    db.insert(&tick("A", 0)).await.unwrap();
    let refused = db.delete_all(&Tick::query().symbol("A#")).await;
    assert_eq!((refused.deleted(), refused.not_deleted()), (0, 1));
    let Err(Error::Query { source, .. }) = refused.into_result() else {
        panic!("it is refused")
    };
    assert!(matches!(source, QueryError::Key(_)), "{source:?}");
    assert_eq!(db.count(&Tick::scan()).await.unwrap(), 1);
}

/// More changes than one request may have, all in one row.
#[tokio::test]
async fn a_row_of_many_events_is_deleted_in_several_requests() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Tick>().await.unwrap();
    let ticks: Vec<_> = (0..40_000)
        .map(|second| Tick {
            ask: Some(600.60),
            at: Timestamp::from_millis(1_500_000_000_000 + second),
            ..tick("A", 0)
        })
        .chain((0..30_000).map(|second| tick("B", 2 * second)))
        .collect();
    db.insert_many(&ticks).await.into_result().unwrap();
    let all = Tick::query().symbol(["A", "B"]);
    assert_eq!(db.delete_all(&all).await.into_result().unwrap(), 70_000);
    assert_eq!(rows(&db, "TICK").await, []);
}

#[tokio::test]
async fn many_keys_have_an_outcome_each() {
    let applied = false;
    let status = busy();
    let db = faulty(Fault::FailEntry { applied, status }, When::Nth(2)).await;
    let key = |meter, hour| reading(meter, hour).key();
    let no_key = ReadingKey {
        at: at("2017-07-26T00:00:01Z"),
        ..key(1, 0)
    };
    // Two of one row, an invalid one, and a missing one.
    let keys = [
        key(0, 0),
        key(1, 0),
        no_key,
        key(1, 2),
        key(9, 0),
        key(2, 1),
    ];
    let outcome = db.delete_many::<Reading>(&keys).await;
    assert_eq!((outcome.deleted(), outcome.not_deleted()), (3, 3));
    let failed: Vec<_> = outcome
        .failed()
        .iter()
        .map(|failed| (failed.key.is_some(), failed.events.clone()))
        .collect();
    assert_eq!(failed, [(true, vec![1, 3]), (false, vec![2])]);
    assert!(matches!(outcome.failed()[1].error, Error::Key { .. }));
    db.set_active(false);
    assert_eq!(db.count(&Reading::scan()).await.unwrap(), 16);
}
