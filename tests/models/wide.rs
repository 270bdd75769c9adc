//! Writes and deletes of single events in rows of many.

use std::error::Error as _;
use std::sync::Arc;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend};
use bigtable_model::model::IntoUpdate;
use bigtable_model::{BackendExt, Code, MemoryBackend, Model, Status, Timestamp};

use crate::support::{at, rows};

/// The same model and test, for each layout with several fields.
macro_rules! wind {
    ($module:ident, $layout:tt) => {
        mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "WIND", family = "M", layout = $layout)]
            struct Wind {
                #[bigtable(key, column = "MAST", text)]
                mast: String,
                #[bigtable(time, bucket = "day", unit = "ms", truncate)]
                at: Timestamp,
                speed: f64,
                gust: Option<f64>,
            }

            fn wind(time: &str, speed: f64) -> Wind {
                Wind {
                    mast: "a".into(),
                    at: at(time),
                    speed,
                    gust: Some(speed + 1.0),
                }
            }

            async fn all(db: &MemoryBackend) -> Vec<Wind> {
                db.fetch(&Wind::query().mast("a")).await.unwrap()
            }

            #[tokio::test]
            async fn one_event_of_a_row_changes() {
                let db = MemoryBackend::new();
                db.ensure_tables::<Wind>().await.unwrap();
                let [first, mut second] = [
                    wind("2026-04-01T00:15:00Z", 1.0),
                    wind("2026-04-01T00:15:00.001Z", 2.0),
                ];
                // A time between two milliseconds is rounded down.
                let again = Wind {
                    at: at("2026-04-01T00:15:00.000999Z"),
                    ..first.clone()
                };
                for event in [&first, &second, &again] {
                    db.insert(event).await.unwrap();
                }
                assert_eq!(all(&db).await, [first.clone(), second.clone()]);
                assert_eq!(
                    db.get::<Wind>(&again.key()).await.unwrap().as_ref(),
                    Some(&first)
                );

                db.send(Wind::update(&second.key()).speed(3.0))
                    .await
                    .unwrap();
                second.speed = 3.0;
                assert_eq!(all(&db).await, [first.clone(), second.clone()]);

                db.delete_cell::<Wind, _>(&second.key(), Wind::FIELDS.gust)
                    .await
                    .unwrap();
                second.gust = None;
                assert_eq!(all(&db).await, [first.clone(), second.clone()]);

                db.delete::<Wind>(&again.key()).await.unwrap();
                assert_eq!(all(&db).await, [second.clone()]);

                // Without its presence column the event is gone; the meter's name stays in the row.
                db.delete_cell::<Wind, _>(&second.key(), Wind::FIELDS.speed)
                    .await
                    .unwrap();
                assert!(all(&db).await.is_empty());
                let row = rows(&db, "WIND").await.pop().unwrap();
                assert_eq!(row.cells.len(), 1);
                assert_eq!(row.cells[0].qualifier, "MAST");
                assert_eq!(row.cells[0].time(), at("2026-04-01T00:00:00Z"));
            }

            #[tokio::test]
            async fn a_bulk_write_has_an_entry_for_each_row() {
                let memory = MemoryBackend::new();
                memory.ensure_tables::<Wind>().await.unwrap();
                let events = [
                    wind("2026-04-01T00:15:00Z", 1.0),
                    wind("2026-04-02T00:15:00Z", 2.0),
                    wind("2026-04-01T00:30:00Z", 3.0),
                    wind("2026-04-01T00:15:00Z", 4.0),
                ];
                super::fails_with_its_row(&memory, &events).await;
                let outcome = memory.insert_many(&events).await;
                assert_eq!(outcome.written(), 4);
                let [_, second, third, last] = events;
                assert_eq!(all(&memory).await, [last, third, second]);
            }
        }
    };
}

wind!(cells, "cells");
wind!(columns, "columns");

/// The first row's entry fails, and so do its three events; the other event is written.
async fn fails_with_its_row<M: Model>(memory: &MemoryBackend, events: &[M]) {
    let fault = Fault::FailEntry {
        applied: false,
        status: Status::new(Code::Unavailable, "busy"),
    };
    let rule = FaultRule::new(fault).key(&b"a#20260401"[..]);
    let db = FaultyBackend::new(Arc::new(memory.clone()), 7, vec![rule]).unwrap();
    let outcome = db.insert_many(events).await;
    assert_eq!(outcome.written(), 1);
    let failed: Vec<_> = outcome.failed().iter().map(|one| one.index).collect();
    assert_eq!(failed, [0, 2, 3]);
}

/// Its values are qualifiers.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SPEED", family = "M", layout = "qualifiers")]
struct Speed {
    #[bigtable(key)]
    mast: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    #[bigtable(text)]
    speed: f64,
}

#[tokio::test]
async fn values_that_are_qualifiers() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Speed>().await.unwrap();
    let speed = |minute: i64, speed| Speed {
        mast: "a".into(),
        at: Timestamp::from_seconds(1_775_001_600 + 60 * minute),
        speed,
    };
    let events = [speed(2, 1.5), speed(1, 2.5), speed(1, 0.5), speed(2, 1.5)];
    assert_eq!(db.insert_many(&events).await.into_result().unwrap(), 4);
    let all = || async { db.fetch(&Speed::query().mast("a")).await.unwrap() };
    // Both values of one time are kept; a repeated value is one event.
    assert_eq!(all().await, [speed(1, 0.5), speed(1, 2.5), speed(2, 1.5)]);
    assert_eq!(
        db.get::<Speed>(&events[1].key()).await.unwrap(),
        Some(speed(1, 0.5))
    );

    let update = || Speed::update(&events[0].key()).speed(1.0);
    let error = update()
        .into_update()
        .to_mutations(Timestamp::now())
        .unwrap_err();
    assert_eq!(
        format!("{error}: {}", error.source().unwrap()),
        "table SPEED: column M:speed of mast=a at=2026-04-01T00:02:00Z is refused: the value cannot be written as an update: in layout `qualifiers` the old value is a qualifier, which has to be read first: `send` does that"
    );
    db.send(update()).await.unwrap();
    let changed = speed(2, 1.0);
    assert_eq!(all().await, [speed(1, 0.5), speed(1, 2.5), changed.clone()]);
    db.delete::<Speed>(&events[1].key()).await.unwrap();
    assert_eq!(all().await, [changed]);
    db.delete::<Speed>(&events[1].key()).await.unwrap();
    db.delete_cell::<Speed, _>(&events[0].key(), Speed::FIELDS.speed)
        .await
        .unwrap();
    assert!(rows(&db, "SPEED").await.is_empty());
}

#[tokio::test]
async fn a_bad_value_is_an_error_of_its_event() {
    use bigtable_model::Backend;
    use bigtable_model::data::{Mutation, RowMutations};
    use futures::StreamExt;

    let db = MemoryBackend::new();
    db.ensure_tables::<Speed>().await.unwrap();
    let cell = |qualifier: &'static str, minute: i64| Mutation::SetCell {
        family: "M".into(),
        qualifier: qualifier.as_bytes().into(),
        timestamp_micros: 1_775_001_600_000_000 + 60_000_000 * minute,
        value: Vec::new().into(),
    };
    let row = RowMutations {
        key: "a#20260401".into(),
        mutations: vec![cell("1.5", 3), cell("fast", 2), cell("0.5", 1)],
    };
    db.mutate_row("SPEED", row).await.unwrap();
    let found: Vec<_> = db.stream(&Speed::query().mast("a")).collect().await;
    let speeds: Vec<_> = found
        .iter()
        .map(|one| {
            one.as_ref()
                .map(|event| event.speed)
                .map_err(|error| error.to_string())
        })
        .collect();
    let refused = "table SPEED: column M:speed of mast=a at=2026-04-01T00:02:00Z is refused";
    assert_eq!(speeds, [Ok(0.5), Err(refused.to_owned()), Ok(1.5)]);
}
