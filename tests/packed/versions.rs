//! Packed rows together with the layout in which events were stored before.

use std::time::Duration;

use bigtable_model::backend::memory::ManualClock;
use bigtable_model::packed::{self, PackJob};
use bigtable_model::{Backend, BackendExt as _, Error, MemoryBackend, Model, Timestamp, former};
use futures::future::BoxFuture;

use crate::kinds::{Kind, emptied};
use crate::world::{Event, Events, at, backends, event, rows};

macro_rules! before {
    ($name:ident, $now:ident, { $($on_model:tt)* }, { $($on_time:tt)* }) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(family = "M", $($on_model)*)]
        pub struct $name {
            #[bigtable(key)]
            meter: String,
            #[bigtable(time, $($on_time)*)]
            at: Timestamp,
            watts: f64,
            volts: Option<f32>,
            state: Option<String>,
            turns: Option<i64>,
            on: Option<bool>,
            raw: Option<Vec<u8>>,
        }

        impl From<$name> for $now {
            fn from(before: $name) -> Self {
                let $name { meter, at, watts, volts, state, turns, on, raw } = before;
                Self { meter, at, watts, volts, state, turns, on, raw }
            }
        }

        impl $name {
            fn begun<'a>(db: &'a dyn Backend, events: &'a Events) -> BoxFuture<'a, ()> {
                Box::pin(async move {
                    emptied::<$now>(db).await;
                    emptied::<$name>(db).await;
                    let events = events.values().cloned().map(|event| {
                        let Event { meter, at, watts, volts, state, turns, on, raw } = event;
                        Self { meter, at, watts, volts, state, turns, on, raw }
                    });
                    let written = db.handle().insert_many(events).await;
                    written.into_result().unwrap();
                    if let Ok(job) = PackJob::new(Self::SCHEMA) {
                        job.run(db).await.unwrap();
                    }
                })
            }
        }
    };
}

before!(InRowsBefore, InCellsNow, { table = "IN_ROWS_BEFORE" }, {
    unit = "s"
});
before!(
    InCellsBefore,
    InColumnsNow,
    { table = "IN_CELLS_BEFORE", layout = "cells", pack(after = "1h") },
    { unit = "s", bucket = "week" }
);

kind!(
    InCellsNow,
    CellsNowWatts,
    "IN_CELLS_NOW",
    { layout = "cells", was(InRowsBefore) },
    { unit = "s", bucket = "day" },
    { alias = "running" },
    {
        fn begun<'a>(db: &'a dyn Backend, before: &'a Events) -> BoxFuture<'a, ()> {
            InRowsBefore::begun(db, before)
        }
    }
);
kind!(
    InColumnsNow,
    ColumnsNowWatts,
    "IN_COLUMNS_NOW",
    { layout = "columns", was(InCellsBefore) },
    { unit = "s", bucket = "hour" },
    { column = "on" },
    {
        fn begun<'a>(db: &'a dyn Backend, before: &'a Events) -> BoxFuture<'a, ()> {
            InCellsBefore::begun(db, before)
        }
    }
);

/// Events of seconds of one meter.
fn events(seconds: impl IntoIterator<Item = i64>) -> Events {
    let mut rng = fastrand::Rng::with_seed(5);
    let events = seconds
        .into_iter()
        .map(|second| event(&mut rng, "a", at(second)));
    events.map(|one| (one.identity(), one)).collect()
}

/// Events that are in blocks are known to a copy, and those that were deleted there stay deleted.
#[tokio::test]
async fn a_copy_knows_the_events_of_blocks() {
    async fn check<K: Kind>() {
        let db = MemoryBackend::new();
        let mut expected = events(0..20);
        K::begun(&db, &expected).await;
        let corrected = events((0..20).step_by(3));
        let written = packed::insert(&db, corrected.values().map(K::of)).await;
        written.unwrap().into_result().unwrap();
        expected.extend(corrected);
        // In a block and in the layout before, and only in that.
        for second in [3, 4] {
            db.delete::<K>(&K::key_of("a", at(second))).await.unwrap();
            expected.remove(&("a".to_owned(), at(second)));
        }
        let job = PackJob::new(K::SCHEMA).unwrap();
        assert_eq!(job.run(&db).await.unwrap().changed, 1);
        let expected: Vec<Event> = expected.into_values().collect();
        assert_eq!(K::asked_all(&db, "a").await, expected);

        let copied = former::copy::<K>(&db).await.unwrap();
        assert_eq!((copied.events, copied.copied), (20, 12));
        assert_eq!(K::asked_all(&db, "a").await, expected);
        assert_eq!(job.run(&db).await.unwrap().changed, 1);
        let finished = former::finish::<K>(&db).await.unwrap();
        assert_eq!((finished.deleted, finished.tombstones), (20, 1));
        assert_eq!(K::asked_all(&db, "a").await, expected);
        let table = K::SCHEMA.table.to_string();
        let row = rows(&db, &table).await.remove(0);
        let names: Vec<u8> = row.cells.iter().map(|one| one.qualifier[0]).collect();
        assert_eq!(names, b"bg");
    }
    check::<InCellsNow>().await;
    check::<InColumnsNow>().await;
}

/// Copies of one row do not hinder each other.
#[tokio::test]
async fn many_events_of_a_row_are_copied_over_the_wire() {
    for (name, db) in backends("versions").await {
        println!("{name}");
        let expected = events(0..300);
        InCellsNow::begun(&*db, &expected).await;
        let copied = former::copy::<InCellsNow>(&*db).await.unwrap();
        assert_eq!((copied.events, copied.copied), (300, 300));
        let found = InCellsNow::asked_all(&*db, "a").await;
        assert_eq!(found, expected.into_values().collect::<Vec<_>>());
        let again = former::copy::<InCellsNow>(&*db).await.unwrap();
        assert_eq!((again.events, again.copied), (300, 0));
    }
}

#[tokio::test]
async fn conditional_writes_are_refused() {
    let db = MemoryBackend::new();
    InCellsNow::begun(&db, &Events::new()).await;
    let event = InCellsNow::of(&Event::new("a", at(0)));
    let refused = db.insert_if_absent(&event).await.unwrap_err();
    assert!(matches!(refused, Error::Condition { .. }), "{refused:?}");
    assert!(rows(&db, "IN_CELLS_NOW").await.is_empty());
}

mod aging {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "AGED_BEFORE", family = "M")]
    pub(super) struct Before {
        #[bigtable(key)]
        pub(super) meter: String,
        #[bigtable(time, unit = "s")]
        pub(super) at: Timestamp,
        pub(super) watts: f64,
    }

    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(
        table = "AGED_NOW",
        family = "M",
        layout = "cells",
        pack(after = "1h"),
        gc(max_age = "3d"),
        was(Before)
    )]
    pub(super) struct Now {
        #[bigtable(key)]
        pub(super) meter: String,
        #[bigtable(time, unit = "s", bucket = "day")]
        pub(super) at: Timestamp,
        pub(super) watts: f64,
    }

    impl From<Before> for Now {
        fn from(Before { meter, at, watts }: Before) -> Self {
            Self { meter, at, watts }
        }
    }
}

/// Events of a block that a rule would have deleted are neither found nor copied again.
#[tokio::test]
async fn what_has_expired_is_not_copied() {
    use aging::{Before, Now};
    let clock = ManualClock::new(at(86_400 + 7_200));
    let db = MemoryBackend::builder().clock(clock.clone()).build();
    db.ensure_tables::<Before>().await.unwrap();
    db.ensure_tables::<Now>().await.unwrap();
    let times = [0, 40_000, 80_000].map(at);
    let before = times.map(|at| Before {
        meter: "a".to_owned(),
        at,
        watts: 1.0,
    });
    db.insert_many(&before).await.into_result().unwrap();
    let own = Now {
        meter: "a".to_owned(),
        at: times[1],
        watts: 2.0,
    };
    let written = packed::insert(&db, [own]).await.unwrap();
    written.into_result().unwrap();
    let query = Now::query().meter("a");
    let watts = |found: Vec<Now>| found.iter().map(|one| one.watts).collect::<Vec<_>>();
    assert_eq!(watts(db.fetch(&query).await.unwrap()), [1.0, 2.0, 1.0]);
    clock.set(at(20_000) + Duration::from_secs(3 * 86_400));
    assert_eq!(watts(db.fetch(&query).await.unwrap()), [2.0, 1.0]);
    assert_eq!(db.count(&query).await.unwrap(), 2);
    let copied = former::copy::<Now>(&db).await.unwrap();
    assert_eq!((copied.events, copied.copied), (3, 1));
    clock.set(at(60_000) + Duration::from_secs(3 * 86_400));
    assert_eq!(watts(db.fetch(&query).await.unwrap()), [1.0]);
    let finished = former::finish::<Now>(&db).await.unwrap();
    assert_eq!(finished.deleted, 3);
    assert_eq!(watts(db.fetch(&query).await.unwrap()), [1.0]);
}
