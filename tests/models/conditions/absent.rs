//! An insert that must not overwrite changes no stored cell of the event: in every layout, even if
//! another column marked it, or none.

use std::collections::BTreeMap;
use std::sync::Arc;

use bigtable_model::condition::Condition;
use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::{Backend, BackendExt, Model, Timestamp};
use bytes::Bytes;

use super::{backends, second};
use crate::support::rows;

/// Writes a cell that belongs to no model of these tests.
async fn write_foreign(
    db: &dyn Backend,
    table: &str,
    key: Bytes,
    family: &str,
    qualifier: &'static str,
) {
    let cell = Mutation::SetCell {
        family: family.into(),
        qualifier: qualifier.into(),
        timestamp_micros: 1_500_000_004_000_000,
        value: "x".into(),
    };
    let mutations = vec![cell];
    db.mutate_row(table, RowMutations { key, mutations })
        .await
        .unwrap();
}

/// Three versions of a model: the first, one with its first required column renamed, and one with a
/// new required column in front.
macro_rules! in_layout {
    ($name:ident, $table:literal, ($($attributes:tt)*), ($($key:tt)*), ($($time:tt)*)) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = $table, family = "MD", $($attributes)*)]
            struct Quote {
                #[bigtable($($key)*)]
                symbol: String,
                #[bigtable(time, $($time)*)]
                at: Timestamp,
                bid: u32,
                ask: u32,
                #[bigtable(family = "NOTES")]
                note: Option<String>,
            }

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = $table, family = "MD", $($attributes)*)]
            struct Renamed {
                #[bigtable($($key)*)]
                symbol: String,
                #[bigtable(time, $($time)*)]
                at: Timestamp,
                #[bigtable(column = "BID")]
                bid: u32,
                ask: u32,
                #[bigtable(family = "NOTES")]
                note: Option<String>,
            }

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = $table, family = "MD", $($attributes)*)]
            struct Grown {
                #[bigtable($($key)*)]
                symbol: String,
                #[bigtable(time, $($time)*)]
                at: Timestamp,
                venue: u32,
                bid: u32,
                ask: u32,
                #[bigtable(family = "NOTES")]
                note: Option<String>,
            }

            fn quote(at: i64) -> Quote {
                let (symbol, at) = ("ZXZZT".to_owned(), second(at));
                Quote { symbol, at, bid: 1, ask: 2, note: None }
            }

            fn renamed(at: i64) -> Renamed {
                let Quote { symbol, at, .. } = quote(at);
                Renamed { symbol, at, bid: 9, ask: 9, note: None }
            }

            fn grown(at: i64) -> Grown {
                let Quote { symbol, at, .. } = quote(at);
                Grown { symbol, at, venue: 9, bid: 9, ask: 9, note: None }
            }

            async fn fresh(test: &str) -> Vec<Arc<dyn Backend>> {
                let backends = backends(&format!("absent-{}-{test}", stringify!($name))).await;
                for db in &backends {
                    db.ensure_tables::<Quote>().await.unwrap();
                }
                backends
            }

            #[tokio::test]
            async fn events_of_other_versions_stay() {
                for db in fresh("versions").await {
                    let stored = quote(4);
                    db.insert(&stored).await.unwrap();
                    let before = rows(&*db, $table).await;
                    assert!(!db.insert_if_absent(&renamed(4)).await.unwrap());
                    assert!(!db.insert_if_absent(&grown(4)).await.unwrap());
                    assert_eq!(rows(&*db, $table).await, before);
                    // Neither reads it as an event, so `exists` is false.
                    assert!(!db.delete_if::<Grown>(&grown(4).key(), Condition::exists()).await.unwrap());
                    // Another event of the row is not affected.
                    assert!(db.insert_if_absent(&renamed(5)).await.unwrap());
                    assert!(!db.insert_if_absent(&renamed(5)).await.unwrap());
                }
            }

            #[tokio::test]
            async fn columns_of_updates_stay() {
                for db in fresh("updates").await {
                    let key = quote(4).key();
                    let update = Quote::update(&key).note("kept".to_owned());
                    db.send(update).await.unwrap();
                    let before = rows(&*db, $table).await;
                    assert!(!db.insert_if_absent(&quote(4)).await.unwrap());
                    assert!(db.insert_if_absent(&quote(5)).await.unwrap());
                    db.delete::<Quote>(&quote(5).key()).await.unwrap();
                    let cells = |rows: &[bigtable_model::data::Row]| {
                        let cells = rows.iter().flat_map(|row| &row.cells);
                        cells.filter(|cell| cell.family == "NOTES").cloned().collect::<Vec<_>>()
                    };
                    assert_eq!(cells(&rows(&*db, $table).await), cells(&before));

                    // `exists` looks for the column that marks an event, and does not find it.
                    let other = Quote { ask: 7, ..quote(4) };
                    let none = Condition::exists().negate();
                    assert!(db.insert_if(&other, none.clone()).await.unwrap());
                    assert!(!db.insert_if(&other, none).await.unwrap());
                    assert_eq!(db.get::<Quote>(&key).await.unwrap(), Some(other));
                    db.delete::<Quote>(&key).await.unwrap();
                    // In a row of many events, the remaining copy of the symbol belongs to no
                    // event.
                    assert!(db.insert_if_absent(&quote(4)).await.unwrap());
                }
            }

            #[tokio::test]
            async fn cells_of_others_are_none_of_it() {
                for db in fresh("others").await {
                    let key: Bytes = quote(4).key().encode().unwrap().into();
                    write_foreign(&*db, $table, key.clone(), "MD", "spread").await;
                    write_foreign(&*db, $table, key, "NOTES", "notes").await;
                    assert!(db.insert_if_absent(&quote(4)).await.unwrap());
                    assert!(!db.insert_if_absent(&quote(4)).await.unwrap());
                    assert_eq!(db.get::<Quote>(&quote(4).key()).await.unwrap(), Some(quote(4)));
                }
            }
        }
    };
}

in_layout!(
    row,
    "ROW",
    (salt(shards = 3, of(symbol))),
    (key),
    (unit = "s")
);
in_layout!(
    cells,
    "CELLS",
    (layout = "cells"),
    (key, column = "SYMBOL"),
    (bucket = "hour")
);
in_layout!(
    columns,
    "COLUMNS",
    (layout = "columns", cell_time = "write"),
    (key, column = "SYMBOL"),
    (bucket = "hour", unit = "s")
);
in_layout!(
    latest,
    "LATEST",
    (layout = "latest"),
    (key, column = "SYMBOL"),
    (unit = "ms")
);

/// A day of events with one column: its name is not stored, so a rename changes nothing.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METER", family = "M", layout = "columns")]
struct Reading {
    #[bigtable(key, column = "ID")]
    meter: u16,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    #[bigtable(column = "other")]
    value: u32,
}

/// An event in one column, and the same model with separate columns.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "EVENT", family = "E", serialize(json))]
struct Whole {
    #[bigtable(key)]
    id: u32,
    value: u32,
}

/// Run-time columns, and a marker.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "HOST", family = "H", marker = "HOST")]
struct Host {
    #[bigtable(key)]
    host: String,
    load: Option<u32>,
    #[bigtable(columns, family = "C")]
    rest: BTreeMap<String, u32>,
}

/// The newest state of the same host.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "NEWEST", family = "H", marker = "HOST", layout = "latest")]
struct Newest {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(columns, family = "C")]
    rest: BTreeMap<String, u32>,
}

#[tokio::test]
async fn other_shapes() {
    for db in backends("absent-shapes").await {
        db.ensure_tables::<Reading>().await.unwrap();
        let reading = |at: i64| Reading {
            meter: 7,
            at: Timestamp::from_seconds(at * 900),
            value: 1,
        };
        let row = reading(0).key().encode().unwrap();
        write_foreign(&*db, "METER", row.into(), "M", "0015").await;
        assert!(!db.insert_if_absent(&reading(1)).await.unwrap());
        assert!(db.insert_if_absent(&reading(2)).await.unwrap());

        db.ensure_tables::<Whole>().await.unwrap();
        let whole = Whole { id: 1, value: 1 };
        let key = Bytes::from(whole.key().encode().unwrap());
        write_foreign(&*db, "EVENT", key, "E", "value").await;
        assert!(db.insert_if_absent(&whole).await.unwrap());
        assert!(
            !db.insert_if_absent(&Whole { value: 2, ..whole })
                .await
                .unwrap()
        );
    }
}

#[tokio::test]
async fn run_time_columns_and_markers() {
    let rest = || BTreeMap::from([("io".to_owned(), 1_u32)]);
    for db in backends("absent-maps").await {
        db.ensure_tables::<Host>().await.unwrap();
        let host = |host: &str| Host {
            host: host.to_owned(),
            load: None,
            rest: BTreeMap::new(),
        };
        // An event with only its marker.
        assert!(db.insert_if_absent(&host("a")).await.unwrap());
        assert!(!db.insert_if_absent(&host("a")).await.unwrap());
        // Only run-time columns: an insert would empty their family.
        let update = Host::update(&host("b").key()).rest(rest());
        db.send(update).await.unwrap();
        assert!(!db.insert_if_absent(&host("b")).await.unwrap());
        let update = Host::update(&host("c").key()).load(3_u32);
        db.send(update).await.unwrap();
        assert!(!db.insert_if_absent(&host("c")).await.unwrap());
        db.delete::<Host>(&host("c").key()).await.unwrap();
        assert!(db.insert_if_absent(&host("c")).await.unwrap());

        db.ensure_tables::<Newest>().await.unwrap();
        let newest = |at| Newest {
            host: "a".to_owned(),
            at: second(at),
            rest: BTreeMap::new(),
        };
        let update = Newest::update(&newest(1).key()).rest(rest());
        db.send(update).await.unwrap();
        assert!(!db.insert_if_absent(&newest(1)).await.unwrap());
        assert!(db.insert_if_absent(&newest(2)).await.unwrap());
        assert!(!db.insert_if_absent(&newest(2)).await.unwrap());
    }
}
