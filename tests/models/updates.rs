//! Updates of some columns, and deletes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bigtable_model::data::CheckAndMutateRow;
use bigtable_model::model::IntoUpdate;
use bigtable_model::{BackendExt, Code, Error, MemoryBackend, Model, Timestamp};
use futures::FutureExt as _;
use rust_decimal::Decimal;

use crate::market::{Quote, quote};
use crate::samples::{Valued as _, value_qualifiers::Value};
use crate::support::{at, backends, cells, deleted, rows};
use crate::watched::Watched;

#[tokio::test]
async fn an_update_leaves_other_columns_alone() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Quote>().await.unwrap();
    db.insert(&quote()).await.unwrap();
    let key = quote().key();
    let update = Quote::update(&key)
        .bid(Decimal::new(60056, 2))
        .ask_size(None);
    db.send(update).await.unwrap();
    let expected = Quote {
        bid: Decimal::new(60056, 2),
        ask_size: None,
        ..quote()
    };
    assert_eq!(db.get::<Quote>(&key).await.unwrap(), Some(expected));
}

#[test]
fn an_update_is_data_before_it_is_sent() {
    let row = Quote::update(&quote().key())
        .bid_size(7)
        .ask_size(None)
        .into_update()
        .to_mutations(Timestamp::now())
        .unwrap();
    assert_eq!(&row.key[..], b"NASDAQ#ZXZZT#1426535612156");
    assert_eq!(
        cells(&row),
        [(
            "MD:BIDSIZE".to_owned(),
            "7".to_owned(),
            1_426_535_612_156_000
        )]
    );
    assert_eq!(deleted(&row), ["MD:ASKSIZE"]);
}

#[tokio::test]
async fn an_update_that_can_not_be_stored_sends_nothing() {
    let db = MemoryBackend::new();
    let empty = db.send(Quote::update(&quote().key())).await.unwrap_err();
    assert!(matches!(empty, Error::EmptyUpdate { .. }), "{empty:?}");
    let mut key = quote().key();
    key.exchange = "NASDAQ OMX".to_owned();
    let refused = db.send(Quote::update(&key).bid_size(7)).await.unwrap_err();
    assert!(matches!(refused, Error::Key { .. }), "{refused:?}");
}

#[tokio::test]
async fn a_cell_and_a_row_are_deleted() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Quote>().await.unwrap();
    db.insert(&quote()).await.unwrap();
    let key = quote().key();
    db.delete_cell::<Quote, _>(&key, Quote::FIELDS.bid_size)
        .await
        .unwrap();
    let read = db.get::<Quote>(&key).await.unwrap().unwrap();
    assert_eq!((read.bid_size, read.ask_size), (None, Some(1500)));
    db.delete::<Quote>(&key).await.unwrap();
    assert_eq!(db.get::<Quote>(&key).await.unwrap(), None);
}

/// Wind, a day in a row; an event has a cell for each of two fields.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "WIND", family = "W", layout = "cells")]
struct Wind {
    #[bigtable(key)]
    mast: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    speed: f64,
    gust: Option<f64>,
}

/// An update in a row of many events changes only the cells of one event.
#[tokio::test]
async fn an_update_touches_its_own_event() {
    for db in backends("updates", "cells") {
        db.ensure_tables::<Wind>().await.unwrap();
        let wind = |second: i64| Wind {
            mast: "m1".to_owned(),
            at: Timestamp::from_seconds(1_500_000_000 + second),
            speed: 1.0,
            gust: Some(2.0),
        };
        let winds: Vec<_> = (0..3).map(wind).collect();
        db.insert_many(&winds).await.into_result().unwrap();
        let update = Wind::update(&wind(1).key()).gust(None);
        db.send(update).await.unwrap();
        let update = Wind::update(&wind(2).key()).speed(3.0);
        db.send(update).await.unwrap();
        let expected = [
            wind(0),
            Wind {
                gust: None,
                ..wind(1)
            },
            Wind {
                speed: 3.0,
                ..wind(2)
            },
        ];
        let found = db.fetch(&Wind::query().mast("m1")).await.unwrap();
        assert_eq!(found, expected);
    }
}

/// A value as qualifier, with a copy of the key in another family at the bucket's beginning.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PRESSURE", family = "P", layout = "qualifiers")]
struct Pressure {
    #[bigtable(key, column = "LOCATION", family = "ROW")]
    location: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    #[bigtable(text)]
    pressure: u32,
}

#[tokio::test]
async fn an_update_replaces_a_value_that_is_a_qualifier() {
    for db in backends("updates", "qualifiers") {
        db.ensure_tables::<Pressure>().await.unwrap();
        // At the bucket's beginning, where the copy of the key has the same timestamp.
        let midnight = at("2021-03-05T00:00:00Z");
        let of = |pressure, seconds: i64| Pressure {
            location: "us-west2".to_owned(),
            at: Timestamp::from_micros(midnight.as_micros() + 1_000_000 * seconds),
            pressure,
        };
        let key = of(0, 0).key();
        let none = Pressure::update(&key).pressure(1_u32);
        db.send(none).await.unwrap();
        for one in [of(94_558, 0), of(7, 1)] {
            db.insert(&one).await.unwrap();
        }
        let all = Pressure::query().location("us-west2");
        assert_eq!(
            db.count(&all).await.unwrap(),
            3,
            "values of one identity are kept"
        );
        let update = Pressure::update(&key).pressure(3_u32).pressure(2_u32);
        db.send(update).await.unwrap();
        assert_eq!(db.fetch(&all).await.unwrap(), [of(2, 0), of(7, 1)]);
        let again = Pressure::update(&key).pressure(2_u32);
        db.send(again).await.unwrap();
        assert_eq!(db.fetch(&all).await.unwrap(), [of(2, 0), of(7, 1)]);
        let families = rows(&*db, "PRESSURE").await.remove(0).cells;
        assert!(families.iter().any(|cell| cell.family == "ROW"));
        let data = Pressure::update(&key).pressure(1_u32).into_update();
        let data = data.to_mutations(Timestamp::now());
        assert!(matches!(data, Err(Error::Value { .. })), "{data:?}");
    }
}

/// Lets others change the event before the first conditional writes.
async fn meddled(times: usize) -> (Watched, Arc<AtomicUsize>) {
    let db = MemoryBackend::new();
    db.ensure_tables::<Value>().await.unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let mut db = Watched::new(db);
    let others = db.inner.clone();
    db.before_conditional = Some(Arc::new(move |request: &CheckAndMutateRow| {
        let call = count.fetch_add(1, Ordering::Relaxed);
        if call < times {
            let other = Value::of(&("a".to_owned(), 0, 100 + i64::try_from(call).unwrap()));
            // Memory answers immediately.
            let deleted = others.delete::<Value>(&other.key()).now_or_never();
            deleted.unwrap().unwrap();
            others.insert(&other).now_or_never().unwrap().unwrap();
        }
        assert_eq!(request.table, "VALUE");
    }));
    (db, calls)
}

#[tokio::test]
async fn an_update_that_is_overtaken_begins_anew() {
    let (db, calls) = meddled(3).await;
    let value = Value::of(&("a".to_owned(), 0, 1));
    db.insert(&value).await.unwrap();
    Value::set_level(&db, &value.key(), 2).await.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 4);
    let stored = Value::all(&db).await.unwrap();
    assert_eq!(stored, [Value::of(&("a".to_owned(), 0, 2))]);
}

#[tokio::test]
async fn an_update_that_is_overtaken_each_time_is_told_so() {
    let (db, calls) = meddled(usize::MAX).await;
    let value = Value::of(&("a".to_owned(), 0, 1));
    let refused = Value::set_level(&db, &value.key(), 2).await.unwrap_err();
    assert_eq!(calls.load(Ordering::Relaxed), 8);
    assert!(refused.is_retryable());
    let Error::Backend { source, .. } = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(source.code, Code::Aborted);
    // The values written by others are stored.
    assert_eq!(Value::all(&db).await.unwrap().len(), 1);
}
