//! Events that are written into blocks at once.

use std::time::Duration;

use bigtable_model::backend::memory::ManualClock;
use bigtable_model::data::{Cell, Mutation, RowMutations};
use bigtable_model::dynamic::{AnyModel, AnyQuery, EventBatch, insert_packed};
use bigtable_model::packed::{self, PackJob};
use bigtable_model::rollup::{Rollup, RollupJob};
use bigtable_model::{
    Backend as _, BackendExt as _, Error, ErrorKind, MemoryBackend, Model, Timestamp,
};
use futures::TryStreamExt as _;

use crate::kinds::{InCells, InColumns, Kind, Local, Salted};
use crate::world::{Event, Events, at, event, rows};

const DAY: i64 = 86_400;

fn events(count: i64) -> Events {
    let mut rng = fastrand::Rng::with_seed(3);
    let events = (0..count).map(|minute| event(&mut rng, "a", at(60 * minute)));
    events.map(|one| (one.identity(), one)).collect()
}

#[tokio::test]
async fn rows_are_those_of_inserts_and_a_job() {
    async fn check<K: Kind>() {
        let (one, other) = (MemoryBackend::new(), MemoryBackend::new());
        let events = events(4_000);
        one.ensure_tables::<K>().await.unwrap();
        other.ensure_tables::<K>().await.unwrap();
        let outcome = one.insert_many(events.values().map(K::of)).await;
        outcome.into_result().unwrap();
        let job = PackJob::new(K::SCHEMA).unwrap();
        job.run(&one).await.unwrap();
        let written = packed::insert(&other, events.values().map(K::of)).await;
        assert_eq!(written.unwrap().into_result().unwrap(), 4_000);
        let table = K::SCHEMA.table.to_string();
        assert_eq!(rows(&one, &table).await, rows(&other, &table).await);
        assert_eq!(job.run(&other).await.unwrap().rows, 0);
    }
    check::<InCells>().await;
    check::<InColumns>().await;
    check::<Salted>().await;
    check::<Local>().await;
}

#[tokio::test]
async fn what_has_not_settled_is_refused_by_name() {
    // 2024-04-02T00:30:00Z: the day before settles half an hour later.
    let clock = ManualClock::new(at(DAY + 1_800));
    let db = MemoryBackend::builder().clock(clock.clone()).build();
    db.ensure_tables::<InCells>().await.unwrap();
    let before = Event::new("a", at(-60));
    let late = Event::new("a", at(DAY - 60));
    let events = [&late, &before, &late].map(InCells::of);
    let written = packed::insert(&db, events.clone()).await.unwrap();
    assert_eq!(written.written(), 1);
    let failed: Vec<_> = written.failed().iter().map(|one| one.index).collect();
    assert_eq!(failed, [0, 2]);
    let error = &written.failed()[0].error;
    assert_eq!(error.kind(), ErrorKind::Request);
    assert_eq!(
        error.to_string(),
        "table CELLS: meter=a at=2024-04-01T23:59:00Z is of a bucket that settles at \
         2024-04-02T01:00:00Z: write it with `insert` until then"
    );
    assert_eq!(rows(&db, "CELLS").await.len(), 1);
    clock.set(at(DAY + 3_600));
    let written = packed::insert(&db, events).await.unwrap();
    assert_eq!(written.into_result().unwrap(), 3);
    assert_eq!(rows(&db, "CELLS").await.len(), 2);
}

/// A row has more cells than one request changes.
#[tokio::test]
async fn a_large_row_is_packed_before() {
    let db = MemoryBackend::new();
    db.ensure_tables::<InCells>().await.unwrap();
    let mut rng = fastrand::Rng::with_seed(3);
    let events = (0..24_000).map(|second| event(&mut rng, "a", at(second)));
    let mut events: Events = events.map(|one| (one.identity(), one)).collect();
    let outcome = db.insert_many(events.values().map(InCells::of)).await;
    outcome.into_result().unwrap();
    let corrected: Events = events
        .values()
        .step_by(3)
        .map(|one| Event::new("a", one.at))
        .map(|one| (one.identity(), one))
        .collect();
    let written = packed::insert(&db, corrected.values().map(InCells::of)).await;
    assert_eq!(written.unwrap().into_result().unwrap(), 8_000);
    events.extend(corrected);
    assert_eq!(rows(&db, "CELLS").await[0].cells.len(), 2);
    let found = InCells::asked_all(&db, "a").await;
    assert_eq!(found, events.into_values().collect::<Vec<_>>());
}

/// A cell of another time in the column of an event: the newest is read, as after an insert.
#[tokio::test]
async fn a_column_with_another_version_stays_a_cell() {
    let (one, other) = (MemoryBackend::new(), MemoryBackend::new());
    for db in [&one, &other] {
        db.ensure_tables::<InColumns>().await.unwrap();
        let before = InColumns::of(&Event::new("a", at(60)));
        db.insert(&before).await.unwrap();
        let row = rows(db, "COLUMNS").await.remove(0);
        let cell = row.cells.iter().find(|one| one.qualifier.starts_with(b"w"));
        let stale = cell.unwrap();
        let stale = RowMutations {
            key: row.key.clone(),
            mutations: vec![Mutation::SetCell {
                family: stale.family.clone(),
                qualifier: stale.qualifier.clone(),
                timestamp_micros: 1_000,
                value: 7_f64.to_be_bytes().to_vec().into(),
            }],
        };
        db.mutate_row("COLUMNS", stale).await.unwrap();
        // The only cell of another event's column.
        let before = Event {
            volts: Some(1.0),
            ..Event::new("a", at(120))
        };
        db.insert(&InColumns::of(&before)).await.unwrap();
        let row = rows(db, "COLUMNS").await.remove(0);
        let mut cells = row.cells.iter();
        let volts = cells.find(|one| one.qualifier.starts_with(b"volts"));
        let volts = volts.unwrap().clone();
        let moved = vec![
            Mutation::DeleteFromColumn {
                family: volts.family.clone(),
                qualifier: volts.qualifier.clone(),
                start_micros: 0,
                end_micros: 0,
            },
            Mutation::SetCell {
                family: volts.family,
                qualifier: volts.qualifier,
                timestamp_micros: 1_000,
                value: volts.value,
            },
        ];
        let moved = RowMutations {
            key: row.key,
            mutations: moved,
        };
        db.mutate_row("COLUMNS", moved).await.unwrap();
    }
    let mut events = events(10);
    let without = events.get_mut(&("a".to_owned(), at(120))).unwrap();
    without.volts = None;
    let written = packed::insert(&one, events.values().map(InColumns::of)).await;
    assert_eq!(written.unwrap().into_result().unwrap(), 10);
    let written = other.insert_many(events.values().map(InColumns::of)).await;
    written.into_result().unwrap();
    let expected: Vec<_> = events.into_values().collect();
    assert_eq!(InColumns::asked_all(&other, "a").await, expected);
    assert_eq!(InColumns::asked_all(&one, "a").await, expected);
}

#[tokio::test]
async fn a_damaged_block_refuses_the_events_of_its_row() {
    let db = MemoryBackend::new();
    db.ensure_tables::<InCells>().await.unwrap();
    let events = events(10);
    let written = packed::insert(&db, events.values().map(InCells::of)).await;
    written.unwrap().into_result().unwrap();
    let mut row = rows(&db, "CELLS").await.remove(0);
    let cell = row
        .cells
        .iter_mut()
        .find(|one| one.qualifier[0] == b'b')
        .unwrap();
    cell.value = b"no block".as_slice().into();
    let damage = RowMutations {
        key: row.key.clone(),
        mutations: vec![Mutation::SetCell {
            family: cell.family.clone(),
            qualifier: cell.qualifier.clone(),
            timestamp_micros: cell.timestamp_micros,
            value: cell.value.clone(),
        }],
    };
    db.mutate_row("CELLS", damage).await.unwrap();
    let both = [Event::new("a", at(0)), Event::new("a", at(DAY))];
    let written = packed::insert(&db, both.iter().map(InCells::of))
        .await
        .unwrap();
    assert_eq!((written.written(), written.failed().len()), (1, 1));
    let error = written.failed()[0].error.to_string();
    assert!(error.starts_with("table CELLS: "), "{error}");
    assert!(error.contains("meter=a at=2024-04-01T00:00:00Z"), "{error}");
}

/// With a column of the row and a roll-up.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "NAMED",
    family = "M",
    layout = "cells",
    pack(after = "1h"),
    rollup(Hourly)
)]
struct Named {
    #[bigtable(key, column = "meter")]
    meter: String,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    watts: f64,
    volts: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "HOURLY", family = "M")]
#[rollup(of = Named, every = "1h")]
struct Hourly {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[rollup(sum)]
    watts: f64,
}

fn named(minute: i64, watts: f64) -> Named {
    Named {
        meter: "a".to_owned(),
        at: at(60 * minute),
        watts,
        volts: None,
    }
}

#[tokio::test]
async fn roll_ups_and_columns_of_the_row_are_written_too() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Named>().await.unwrap();
    let job = RollupJob::<Hourly>::new().settle(Duration::ZERO);
    for watts in [1.0, 3.0] {
        let events = (0..60).map(|minute| named(minute, watts));
        let written = packed::insert(&db, events).await.unwrap();
        written.into_result().unwrap();
        let _ = job.run(&db).await.unwrap();
        let hour = db.fetch(&Hourly::query().meter("a")).await.unwrap();
        let sums: Vec<f64> = hour.iter().map(|one| one.watts).collect();
        assert_eq!(sums, [60.0 * watts]);
        let row = rows(&db, "NAMED").await.remove(0);
        let names: Vec<_> = row.cells.iter().map(|one| &one.qualifier[..1]).collect();
        assert_eq!(names, [b"m", b"b", b"g"]);
        assert_eq!(row.cells[0].value, "a");
        let read = db.fetch(&Named::query().meter("a")).await.unwrap();
        assert_eq!(
            read,
            (0..60)
                .map(|minute| named(minute, watts))
                .collect::<Vec<_>>()
        );
    }
}

/// Each event writes the columns of the row again, and one request takes 100,000 mutations.
#[tokio::test]
async fn a_row_of_very_many_events_is_written() {
    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "FAST", family = "M", layout = "cells", pack(after = "1h"))]
    struct Fast {
        #[bigtable(key, column = "meter")]
        meter: String,
        #[bigtable(time, unit = "ms", bucket = "day")]
        at: Timestamp,
        watts: f64,
    }
    let db = MemoryBackend::new();
    db.ensure_tables::<Fast>().await.unwrap();
    let events = (0..100_000).map(|number| Fast {
        meter: "a".to_owned(),
        at: Timestamp::from_micros(at(0).as_micros() + number * 800_000),
        watts: 1.0,
    });
    let written = packed::insert(&db, events).await.unwrap();
    assert_eq!(written.into_result().unwrap(), 100_000);
    let row = rows(&db, "FAST").await.remove(0);
    assert_eq!(row.cells.len(), 3);
    let query = Fast::query().meter("a");
    assert_eq!(db.count(&query).await.unwrap(), 100_000);
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "ADDED",
    family = "M",
    layout = "cells",
    append_only,
    pack(after = "1h"),
    rollup(Total)
)]
struct Adding {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    watts: i64,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "TOTAL", family = "SUM")]
#[rollup(of = Adding, every = "1h", added)]
struct Total {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[bigtable(aggregate = "sum")]
    #[rollup(sum)]
    watts: i64,
}

#[tokio::test]
async fn models_that_cannot_are_refused() {
    let db = MemoryBackend::new();
    let event = Adding {
        meter: "a".to_owned(),
        at: at(0),
        watts: 1,
    };
    let refused = packed::insert(&db, [event]).await.unwrap_err().to_string();
    assert!(
        refused.contains("`insert_many`, and pack afterwards"),
        "{refused}"
    );
    let hourly = Hourly {
        meter: "a".to_owned(),
        start: at(0),
        watts: 1.0,
    };
    let refused = packed::insert(&db, [hourly]).await.unwrap_err().to_string();
    assert!(refused.contains("declare `pack(after"), "{refused}");
    let batch = EventBatch::new(&AnyModel::of::<Hourly>());
    let refused = insert_packed(&db, &batch).await.unwrap_err();
    assert!(matches!(refused, Error::ByName { .. }), "{refused:?}");
}

#[tokio::test]
async fn a_program_without_the_struct_writes_blocks() {
    let db = MemoryBackend::new();
    db.ensure_tables::<InColumns>().await.unwrap();
    let model = AnyModel::of::<InColumns>();
    let mut batch = EventBatch::new(&model);
    let events = events(50);
    for event in events.values() {
        let fields = [
            ("meter", event.meter.as_str().into()),
            ("at", event.at.into()),
            ("watts", event.watts.into()),
        ];
        batch.push(fields).unwrap();
    }
    let written = insert_packed(&db, &batch).await.unwrap();
    assert_eq!(written.into_result().unwrap(), 50);
    assert_eq!(rows(&db, "COLUMNS").await[0].cells.len(), 2);
    let found = InColumns::asked_all(&db, "a").await;
    let expected = events.into_values().map(|one| Event {
        watts: one.watts,
        ..Event::new("a", one.at)
    });
    assert_eq!(found, expected.collect::<Vec<_>>());
}

/// An identifier that is a time, too.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SINCE", family = "M", layout = "cells", pack(after = "1h"))]
struct Since {
    #[bigtable(key)]
    meter: String,
    #[bigtable(key, unit = "s")]
    since: Timestamp,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    watts: f64,
}

#[tokio::test]
async fn an_identifier_that_is_a_time_is_the_same_in_a_row() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Since>().await.unwrap();
    let events = (0..10).map(|second| Since {
        meter: "a".to_owned(),
        since: at(-DAY),
        at: at(second),
        watts: 1.0,
    });
    packed::insert(&db, events)
        .await
        .unwrap()
        .into_result()
        .unwrap();
    let all = db
        .fetch(&AnyQuery::by_column(&Since::scan()))
        .await
        .unwrap();
    assert_eq!(all.segment("since").unwrap().times(), [at(-DAY); 10]);
    let times: Vec<_> = (0..10).map(at).collect();
    assert_eq!(all.segment("at").unwrap().times(), times);
}

#[tokio::test]
async fn a_stream_by_column_does_not_part_a_packed_row() {
    const EVENTS: i64 = 3_000;
    let db = MemoryBackend::new();
    db.ensure_tables::<Since>().await.unwrap();
    let events = ["a", "b"].into_iter().flat_map(|meter| {
        (0..EVENTS).map(move |second| Since {
            meter: meter.to_owned(),
            since: at(-DAY),
            at: at(second),
            watts: second as f64,
        })
    });
    let packed = packed::insert(&db, events).await.unwrap();
    packed.into_result().unwrap();
    let late = Since {
        meter: "b".to_owned(),
        since: at(-DAY),
        at: at(EVENTS),
        watts: 0.5,
    };
    db.insert(&late).await.unwrap();
    let asked = AnyQuery::by_column(&Since::scan());
    let batches: Vec<_> = db.stream(&asked).try_collect().await.unwrap();
    let sizes: Vec<_> = batches.iter().map(EventBatch::len).collect();
    // A row with other cells too is read as one without blocks, 1,000 at a time.
    assert_eq!(sizes, [3_000, 1_000, 1_000, 1_000, 1]);
    let all = db.fetch(&asked).await.unwrap();
    let streamed = batches
        .iter()
        .flat_map(EventBatch::events)
        .map(|one| one.to_string());
    assert!(streamed.eq(all.events().map(|one| one.to_string())));
    let limited: Vec<_> = db
        .stream(&asked.clone().limit(3_500))
        .try_collect()
        .await
        .unwrap();
    let sizes: Vec<_> = limited.iter().map(EventBatch::len).collect();
    assert_eq!(sizes, [3_000, 500]);
    let backwards: Vec<_> = db
        .stream(&asked.newest_first())
        .try_collect()
        .await
        .unwrap();
    assert!(backwards.iter().all(|batch| batch.len() <= 1_000));
}

#[tokio::test]
async fn a_block_of_another_timestamp_is_replaced() {
    const HOUR: i64 = 3_600_000_000;
    for moved in [-HOUR, HOUR] {
        let db = MemoryBackend::new();
        db.ensure_tables::<InCells>().await.unwrap();
        let mut all = events(10);
        let written = packed::insert(&db, all.values().map(InCells::of)).await;
        written.unwrap().into_result().unwrap();
        // As a program would write it whose time zone database ends the bucket at another time.
        let row = rows(&db, "CELLS").await.remove(0);
        let is_block = |one: &&Cell| one.qualifier.starts_with(b"b");
        let block = row.cells.iter().find(is_block).unwrap().clone();
        let from_other = vec![
            Mutation::DeleteFromColumn {
                family: block.family.clone(),
                qualifier: block.qualifier.clone(),
                start_micros: block.timestamp_micros,
                end_micros: block.timestamp_micros + 1_000,
            },
            Mutation::SetCell {
                family: block.family,
                qualifier: block.qualifier,
                timestamp_micros: block.timestamp_micros + moved,
                value: block.value,
            },
        ];
        let from_other = RowMutations {
            key: row.key,
            mutations: from_other,
        };
        db.mutate_row("CELLS", from_other).await.unwrap();
        let late = Event::new("a", at(7_777));
        db.insert(&InCells::of(&late)).await.unwrap();
        all.insert(("a".to_owned(), at(7_777)), late);
        let job = PackJob::new(InCells::SCHEMA).unwrap();
        assert_eq!(job.run(&db).await.unwrap().refused, 0);
        let row = rows(&db, "CELLS").await.remove(0);
        assert_eq!(row.cells.iter().filter(is_block).count(), 1);
        let expected: Vec<_> = all.into_values().collect();
        assert_eq!(InCells::asked_all(&db, "a").await, expected);
    }
}
