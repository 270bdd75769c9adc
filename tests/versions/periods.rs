//! A former layout with tables by period: open ranges of time list its tables.

use std::time::Duration;

use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, Timestamp, former};

macro_rules! model {
    ($name:ident, [$($on_struct:tt)*], [$($on_time:tt)*]) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(family = "R", $($on_struct)*)]
        struct $name {
            #[bigtable(key)]
            sensor: String,
            #[bigtable(time, $($on_time)*)]
            at: Timestamp,
            celsius: f64,
        }
    };
}

macro_rules! current {
    ($name:ident, $former:ident, [$($on_struct:tt)*], [$($on_time:tt)*]) => {
        model!($name, [was($former), $($on_struct)*], [$($on_time)*]);

        impl From<$former> for $name {
            fn from($former { sensor, at, celsius }: $former) -> Self {
                Self { sensor, at, celsius }
            }
        }
    };
}

model!(OfMonths, [table = "OLD_{at:%Y%m}"], [unit = "s"]);
model!(OneTable, [table = "OLD"], [unit = "s"]);
current!(
    Cells,
    OfMonths,
    [table = "CELLS", layout = "cells"],
    [bucket = "day", unit = "s"]
);
current!(
    Reversed,
    OfMonths,
    [table = "REVERSED"],
    [unit = "s", reverse]
);
current!(OfDays, OfMonths, [table = "DAYS_{at:%Y%m%d}"], [unit = "s"]);
current!(
    OfDaysOfOne,
    OneTable,
    [table = "DAYS_{at:%Y%m%d}"],
    [unit = "s"]
);

const DAY: i64 = 86_400;

/// Days around the end of a month.
fn day(number: i64) -> Timestamp {
    Timestamp::from_seconds(1_706_400_000 + number * DAY)
}

macro_rules! check {
    ($db:ident, $model:ident, $key:ident) => {{
        let db: &dyn Backend = &$db;
        let of = |number: i64| $model {
            sensor: "a".to_owned(),
            at: day(number),
            celsius: 20.5,
        };
        // The former layout has the days 0 to 7, the current one day 8 and a tombstone of day 2.
        db.insert(&of(8)).await.unwrap();
        let key = $key {
            sensor: "a".to_owned(),
            at: day(2),
        };
        db.delete::<$model>(&key).await.unwrap();
        let expected: Vec<_> = [0, 1, 3, 4, 5, 6, 7, 8].map(of).into();
        let mut backwards = expected.clone();
        backwards.reverse();
        for copied in [false, true] {
            if copied {
                assert_eq!(former::copy::<$model>(db).await.unwrap().copied, 7);
            }
            let query = || $model::query().sensor("a");
            assert_eq!(db.fetch(&query()).await.unwrap(), expected);
            assert_eq!(
                db.fetch(&query().events().newest_first().limit(3))
                    .await
                    .unwrap(),
                backwards[..3]
            );
            assert_eq!(
                db.fetch(&query().at(day(6)..)).await.unwrap(),
                expected[5..]
            );
            assert_eq!(
                db.fetch(&query().at(..day(1))).await.unwrap(),
                expected[..1]
            );
            assert_eq!(db.count(&query()).await.unwrap(), 8);
            let scan = || $model::scan();
            assert_eq!(db.count(&scan()).await.unwrap(), 8);
            assert_eq!(db.count(&scan().events().unordered()).await.unwrap(), 8);
            assert_eq!(db.series(&scan()).await.unwrap(), ["a"]);
            let each = db.latest_each(&scan(), 2).await.unwrap();
            assert_eq!(each, [("a".to_owned(), backwards[..2].to_vec())]);
            let before = db.latest_before(&scan(), day(3)).await.unwrap();
            assert_eq!(before, [("a".to_owned(), of(1))]);
            let closed = query().at(day(0)..day(5));
            assert_eq!(
                db.latest_before(&closed, day(3)).await.unwrap(),
                [("a".to_owned(), of(1))]
            );
            let plan = db.plan(&query()).await.unwrap();
            assert!(!plan.sources[0].plan.scans.is_empty());
            for newest_first in [false, true] {
                let mut found = Vec::new();
                let mut token = None;
                loop {
                    let page = match newest_first {
                        false => db.page(&query(), 3, token.as_ref()).await.unwrap(),
                        true => db
                            .page(&query().events().newest_first(), 3, token.as_ref())
                            .await
                            .unwrap(),
                    };
                    found.extend(page.events);
                    token = page.next;
                    if token.is_none() {
                        break;
                    }
                }
                assert_eq!(
                    found,
                    if newest_first {
                        backwards.clone()
                    } else {
                        expected.clone()
                    }
                );
            }
        }
        assert_eq!(former::finish::<$model>(db).await.unwrap().deleted, 8);
        assert_eq!(
            db.fetch(&$model::query().sensor("a")).await.unwrap(),
            expected
        );
    }};
}

#[tokio::test]
async fn open_ranges_list_the_former_tables() {
    macro_rules! run {
        ($ensure:ident $model:ident $key:ident of $former:ident) => {{
            let db = MemoryBackend::new();
            let times = day(0)..day(9);
            match $former::SCHEMA.table.by_period() {
                Some(_) => db.ensure_periods::<OfMonths>(times.clone()).await.map(drop),
                None => db.ensure_tables::<OneTable>().await.map(drop),
            }
            .unwrap();
            run!($ensure $model db times);
            let old = |number| $former {
                sensor: "a".to_owned(),
                at: day(number),
                celsius: 20.5,
            };
            let old: Vec<_> = (0..8).map(old).collect();
            db.insert_many(&old).await.into_result().unwrap();
            check!(db, $model, $key);
        }};
        (table $model:ident $db:ident $times:ident) => {
            $db.ensure_tables::<$model>().await.unwrap()
        };
        (periods $model:ident $db:ident $times:ident) => {
            $db.ensure_periods::<$model>($times).await.unwrap()
        };
    }
    run!(table Cells CellsKey of OfMonths);
    run!(table Reversed ReversedKey of OfMonths);
    run!(periods OfDays OfDaysKey of OfMonths);
    run!(periods OfDaysOfOne OfDaysOfOneKey of OneTable);
}

current!(
    Short,
    OneTable,
    [table = "SHORT", gc(max_age = "30d")],
    [unit = "s"]
);
current!(
    Few,
    OneTable,
    [
        table = "FEW",
        layout = "cells",
        gc(max_versions = 2),
        allow(dropped_events, wide_rows)
    ],
    [bucket = "year", unit = "s"]
);

/// The rules of the current layout delete what it would hold: it is not copied, and does not keep
/// the former layout from being emptied.
#[tokio::test]
async fn events_that_the_current_rules_delete() {
    let db = MemoryBackend::new();
    db.ensure_tables::<OneTable>().await.unwrap();
    db.ensure_tables::<Short>().await.unwrap();
    let old = |at| OneTable {
        sensor: "a".to_owned(),
        at,
        celsius: 1.0,
    };
    let now = Timestamp::from_seconds(Timestamp::now().as_seconds());
    let ages = [400, 40, 31, 29, 1];
    let events: Vec<_> = ages
        .map(|days| old(now - Duration::from_secs(86_400 * days)))
        .into();
    db.insert_many(&events).await.into_result().unwrap();
    let copied = former::copy::<Short>(&db).await.unwrap();
    assert_eq!((copied.events, copied.copied), (5, 2));
    db.run_gc(Timestamp::now());
    let finished = former::finish::<Short>(&db).await.unwrap();
    assert_eq!((finished.deleted, finished.tombstones), (5, 0));
    assert_eq!(db.count(&Short::scan()).await.unwrap(), 2);
    assert_eq!(db.count(&OneTable::scan()).await.unwrap(), 0);
}

/// Events that were copied before the rule deleted them.
#[tokio::test]
async fn events_that_newer_ones_push_out() {
    let db = MemoryBackend::new();
    db.ensure_tables::<OneTable>().await.unwrap();
    db.ensure_tables::<Few>().await.unwrap();
    let events: Vec<_> = (0..5)
        .map(|number| OneTable {
            sensor: "a".to_owned(),
            at: day(50) + Duration::from_secs(number),
            celsius: 1.0,
        })
        .collect();
    db.insert_many(&events).await.into_result().unwrap();
    former::copy::<Few>(&db).await.unwrap();
    db.run_gc(Timestamp::now());
    let finished = former::finish::<Few>(&db).await.unwrap();
    assert_eq!(finished.deleted, 5);
    let left = db.fetch(&Few::scan()).await.unwrap();
    assert_eq!(left.len(), 2);
}

model!(Same, [table = "OLD_ONE"], [unit = "s"]);
current!(SameNow, Same, [table = "NEW_ONE"], [unit = "s"]);

/// Names that a backend maps to one table, which no build can know: nothing is deleted.
#[tokio::test]
async fn a_table_of_both_layouts_is_not_emptied() {
    let memory = MemoryBackend::new();
    let db = memory.with_tables(|name: &str| name.replace("OLD", "NEW"));
    db.ensure_tables::<SameNow>().await.unwrap();
    for number in 0..3 {
        let event = SameNow {
            sensor: "a".to_owned(),
            at: day(number),
            celsius: 1.0,
        };
        db.insert(&event).await.unwrap();
    }
    let error = former::finish::<SameNow>(&db).await.unwrap_err();
    assert!(
        error.to_string().contains("OLD_ONE") && format!("{error:?}").contains("SharedTable"),
        "{error:?}"
    );
    assert_eq!(db.count(&SameNow::scan()).await.unwrap(), 3);
}

/// Without the table of its time there is no place for a tombstone: the event would stay.
#[tokio::test]
async fn a_delete_without_its_table_is_an_error() {
    let db = MemoryBackend::new();
    db.ensure_tables::<OneTable>().await.unwrap();
    let event = OneTable {
        sensor: "a".to_owned(),
        at: day(0),
        celsius: 1.0,
    };
    db.insert(&event).await.unwrap();
    let key = OfDaysOfOneKey {
        sensor: "a".to_owned(),
        at: day(0),
    };
    let error = db.delete::<OfDaysOfOne>(&key).await.unwrap_err();
    assert!(matches!(error, Error::MissingTable { .. }), "{error:?}");
    let deleted = db.delete_many::<OfDaysOfOne>([&key]).await;
    assert_eq!((deleted.deleted(), deleted.not_deleted()), (0, 1));
    let all = OfDaysOfOne::query().sensor("a");
    assert_eq!(db.delete_all(&all).await.deleted(), 0);
    assert_eq!(db.count(&all).await.unwrap(), 1);
    let error = former::copy::<OfDaysOfOne>(&db).await.unwrap_err();
    assert!(matches!(error, Error::MissingTable { .. }), "{error:?}");
    db.ensure_periods::<OfDaysOfOne>(day(0)..day(1))
        .await
        .unwrap();
    db.delete::<OfDaysOfOne>(&key).await.unwrap();
    assert_eq!(db.count(&all).await.unwrap(), 0);
}
