//! The job, and other aspects of packed rows: tables, rules by age, damaged blocks, locks, programs
//! without the struct.

use std::time::Duration;

use bigtable_model::backend::Wrapper;
use bigtable_model::backend::memory::ManualClock;
use bigtable_model::copy::CopyJob;
use bigtable_model::data::{Mutation, Row, RowMutations};
use bigtable_model::dynamic::{AnyModel, AnyQuery, insert};
use bigtable_model::lock::{Class, Lock, Locked, compare};
use bigtable_model::packed::PackJob;
use bigtable_model::query::BadRows;
use bigtable_model::schema::{ModelSchema, WantedTable};
use bigtable_model::testing::check_laws;
use bigtable_model::{Backend, BackendExt as _, MemoryBackend, Model, Timestamp};

use crate::kinds::{InCells, InColumns, Kind, Local, Salted};
use crate::world::{Event, Events, at, event, rows};

/// This many events, one each second.
pub async fn inserted<K: Kind>(db: &dyn Backend, count: i64) -> Events {
    db.handle().ensure_tables::<K>().await.unwrap();
    let mut rng = fastrand::Rng::with_seed(7);
    let events = (0..count).map(|second| event(&mut rng, "a", at(second)));
    let events: Events = events.map(|one| (one.identity(), one)).collect();
    let outcome = db.insert_many(events.values().map(K::of)).await;
    outcome.into_result().unwrap();
    events
}

pub async fn found<K: Kind>(db: &dyn Backend) -> Vec<Event> {
    K::asked_all(db, "a").await
}

#[test]
fn laws_hold() {
    check_laws::<InCells>();
    check_laws::<InColumns>();
    check_laws::<Salted>();
    check_laws::<Local>();
}

#[tokio::test]
async fn a_day_becomes_a_few_cells_and_comes_back() {
    async fn check<K: Kind>() {
        let db = MemoryBackend::new();
        let events = inserted::<K>(&db, 2_000).await;
        let table = K::SCHEMA.table.to_string();
        let before = rows(&db, &table).await;
        let job = PackJob::new(K::SCHEMA).unwrap();
        let backlog = job.backlog(&db).await.unwrap();
        assert_eq!((backlog.rows, backlog.changed), (1, 0));
        assert_eq!(rows(&db, &table).await, before);

        let report = job.run(&db).await.unwrap();
        assert_eq!((report.rows, report.changed, report.events), (1, 1, 2_000));
        let packed = rows(&db, &table).await;
        let names: Vec<u8> = packed[0].cells.iter().map(|one| one.qualifier[0]).collect();
        assert_eq!(names, b"bg", "a block, and the guard");
        assert_eq!(report.cells_after, 2);
        assert!(report.bytes_after * 4 < report.bytes_before, "{report:?}");
        assert_eq!(
            found::<K>(&db).await,
            events.values().cloned().collect::<Vec<_>>()
        );
        assert_eq!(
            job.run(&db).await.unwrap().rows,
            0,
            "there is nothing left to do"
        );

        let report = job.unpack(&db).await.unwrap();
        assert_eq!((report.changed, report.events), (1, 2_000));
        let is_event = |rows: Vec<Row>| -> Vec<_> {
            let cells = rows.into_iter().flat_map(|row| row.cells);
            cells.filter(|cell| &*cell.family != "_packed").collect()
        };
        assert_eq!(is_event(rows(&db, &table).await), is_event(before));
    }
    check::<InCells>().await;
    check::<InColumns>().await;
    check::<Local>().await;
}

/// More cells than one request changes.
#[tokio::test]
async fn a_large_row_takes_several_steps() {
    let db = MemoryBackend::new();
    let events = inserted::<InCells>(&db, 24_000).await;
    let job = PackJob::new(InCells::SCHEMA).unwrap();
    let report = job.run(&db).await.unwrap();
    assert_eq!((report.changed, report.refused), (1, 0), "{report:?}");
    assert!(report.cells_before > 100_000, "{report:?}");
    assert_eq!(report.cells_after, 2);
    assert_eq!(
        found::<InCells>(&db).await,
        events.values().cloned().collect::<Vec<_>>()
    );
    let report = job.unpack(&db).await.unwrap();
    assert_eq!((report.changed, report.refused), (1, 0), "{report:?}");
    assert_eq!(
        found::<InCells>(&db).await,
        events.into_values().collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn rows_of_deleted_events_go() {
    let db = MemoryBackend::new();
    inserted::<InCells>(&db, 20).await;
    let job = PackJob::new(InCells::SCHEMA).unwrap();
    assert_eq!(job.run(&db).await.unwrap().changed, 1);
    let all = InCells::query().meter("a");
    assert_eq!(db.delete_all(&all).await.into_result().unwrap(), 20);
    assert_eq!(db.count(&all).await.unwrap(), 0);
    assert_eq!(job.run(&db).await.unwrap().changed, 1);
    assert_eq!(rows(&db, "CELLS").await, []);
    // A condition on a missing event creates no row.
    let key = InCells::key_of("a", at(0));
    assert!(
        !db.delete_if::<InCells>(&key, InCells::is_in("ok"))
            .await
            .unwrap()
    );
    assert_eq!(rows(&db, "CELLS").await, []);
}

#[tokio::test]
async fn audits_and_copies_know_packed_rows() {
    let db = MemoryBackend::new();
    let events = inserted::<InCells>(&db, 200).await;
    let job = PackJob::new(InCells::SCHEMA).unwrap();
    assert_eq!(job.run(&db).await.unwrap().changed, 1);
    db.insert(&InCells::of(&Event::new("a", at(3))))
        .await
        .unwrap();
    let audit = db.audit::<InCells>().await.unwrap();
    assert!(audit.is_clean(), "{audit}");
    let packed = (audit.rows_with_blocks, audit.rows_to_pack);
    assert_eq!(packed, (1, 1), "it was written to since");
    let said = "rows with blocks: 1, settled rows to pack: 1";
    assert!(audit.to_string().contains(said), "{audit}");
    assert_eq!(job.run(&db).await.unwrap().changed, 1);
    let audit = db.audit::<InCells>().await.unwrap();
    assert_eq!(audit.rows_to_pack, 0);
    let copy = CopyJob::new(&InCells::scan(), |one: InCells| InColumns::of(&one.event()));
    let report = copy.run(&db).await.unwrap();
    assert_eq!((report.events, report.verified), (200, true));
    let pack = PackJob::new(InColumns::SCHEMA).unwrap();
    assert_eq!(pack.run(&db).await.unwrap().changed, 1);
    // The events that are read are compared, packed or not.
    let again = copy.run(&db).await.unwrap();
    assert_eq!((again.events, again.verified), (200, true));
    assert_eq!(found::<InColumns>(&db).await, found::<InCells>(&db).await);
    assert_eq!(events.len(), 200);
    let gone = db.forget(&InCells::query().meter("a")).await.unwrap();
    assert!(gone.is_complete(), "{gone}");
    assert_eq!(rows(&db, "CELLS").await, []);
}

#[tokio::test]
async fn a_row_that_has_not_settled_stays() {
    let db = MemoryBackend::new();
    db.ensure_tables::<InCells>().await.unwrap();
    let now = Event::new("a", Timestamp::from_seconds(Timestamp::now().as_seconds()));
    db.insert(&InCells::of(&now)).await.unwrap();
    let report = PackJob::new(InCells::SCHEMA)
        .unwrap()
        .run(&db)
        .await
        .unwrap();
    assert_eq!((report.rows, report.unsettled, report.changed), (0, 1, 0));
}

#[tokio::test]
async fn a_table_without_the_family_is_an_error_that_says_so() {
    let db = MemoryBackend::new();
    let mut table = WantedTable::of(InCells::SCHEMA).schema;
    assert!(table.families.remove("_packed").is_some());
    db.tables().create(table, Vec::new()).await.unwrap();
    let diff = db.table_diff::<InCells>().await.unwrap();
    assert!(diff.to_string().contains("_packed"), "{diff}");
    let refused = db
        .insert(&InCells::of(&Event::new("a", at(0))))
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("lacks a column family"),
        "{refused}"
    );
    db.ensure_tables::<InCells>().await.unwrap();
    db.insert(&InCells::of(&Event::new("a", at(0))))
        .await
        .unwrap();
    assert!(db.table_diff::<InCells>().await.unwrap().agrees());

    /// The model of a program that does not know that rows are packed.
    #[derive(Debug, Model)]
    #[bigtable(table = "CELLS", family = "M", layout = "cells")]
    struct Without {
        #[bigtable(key)]
        meter: String,
        #[bigtable(time, unit = "s", bucket = "day")]
        at: Timestamp,
        watts: f64,
    }
    let diff = db.table_diff::<Without>().await.unwrap().to_string();
    assert!(
        diff.contains("finds no events of packed rows: declare `pack(...)` (left alone)"),
        "{diff}"
    );
}

#[tokio::test]
async fn a_damaged_block_is_a_bad_row() {
    let db = MemoryBackend::new();
    inserted::<InCells>(&db, 100).await;
    let job = PackJob::new(InCells::SCHEMA).unwrap();
    assert_eq!(job.run(&db).await.unwrap().changed, 1);
    let row = rows(&db, "CELLS").await.remove(0);
    let block = row
        .cells
        .into_iter()
        .find(|cell| cell.qualifier[0] == b'b')
        .unwrap();
    let mut value = block.value.to_vec();
    let middle = value.len() / 2;
    value[middle] ^= 1;
    let damage = RowMutations {
        key: row.key,
        mutations: vec![Mutation::SetCell {
            family: block.family,
            qualifier: block.qualifier,
            timestamp_micros: block.timestamp_micros,
            value: value.into(),
        }],
    };
    db.mutate_row("CELLS", damage).await.unwrap();
    let of_other = Event::new("b", at(0));
    db.insert(&InCells::of(&of_other)).await.unwrap();

    let key = InCells::key_of("a", at(3));
    let said = "table CELLS: column _packed:b";
    let refused = db.get::<InCells>(&key).await.unwrap_err();
    assert!(refused.to_string().starts_with(said), "{refused}");
    let refused = db.fetch(&InCells::query().meter("a")).await.unwrap_err();
    assert!(refused.to_string().starts_with(said), "{refused}");
    let refused = db.count(&InCells::query().meter("a")).await.unwrap_err();
    assert!(refused.to_string().starts_with(said), "{refused}");
    let good = InCells::scan().events().on_bad_row(BadRows::skip());
    assert_eq!(db.fetch(&good).await.unwrap(), [InCells::of(&of_other)]);

    let before = rows(&db, "CELLS").await;
    db.insert(&InCells::of(&Event::new("a", at(3))))
        .await
        .unwrap();
    let report = job.run(&db).await.unwrap();
    assert_eq!((report.refused, report.changed), (1, 1), "{report:?}");
    assert!(
        report.errors()[0].to_string().starts_with(said),
        "{report:?}"
    );
    let after = rows(&db, "CELLS").await;
    let kept = before[0]
        .cells
        .iter()
        .filter(|cell| cell.qualifier[0] != b'g');
    assert!(kept.into_iter().all(|cell| after[0].cells.contains(cell)));
}

/// A model whose events are deleted by their age.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "AGED",
    family = "M",
    layout = "cells",
    pack(after = "1h"),
    gc(max_age = "3d")
)]
struct Aged {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    watts: f64,
}

/// Memory that never collects, with a clock by which cells expire.
#[derive(Debug, Clone)]
pub struct Clocked {
    inner: MemoryBackend,
    clock: ManualClock,
}

impl Clocked {
    /// One with the table of a model, but without its rules, by which memory would delete cells at
    /// once.
    pub async fn with_table(schema: &'static ModelSchema, clock: &ManualClock) -> Self {
        let mut table = WantedTable::of(schema).schema;
        for family in table.families.values_mut() {
            family.gc_rule = None;
        }
        let db = Self {
            inner: MemoryBackend::new(),
            clock: clock.clone(),
        };
        let created = Backend::tables(&db).create(table, Vec::new()).await;
        created.unwrap();
        db
    }
}

impl Wrapper for Clocked {
    fn inner(&self) -> &dyn Backend {
        &self.inner
    }

    fn expiry_time(&self) -> Timestamp {
        self.clock.now()
    }
}

#[tokio::test]
async fn each_event_of_a_block_expires_at_its_time() {
    let hours = |hours: i64| at(hours * 3_600);
    let families = WantedTable::of(Aged::SCHEMA).schema.families;
    assert_eq!(
        families["_packed"].gc_rule, families["M"].gc_rule,
        "no block goes before its events"
    );
    let clock = ManualClock::new(hours(30));
    let db = Clocked::with_table(Aged::SCHEMA, &clock).await;
    let event = |hour| Aged {
        meter: "a".to_owned(),
        at: hours(hour),
        watts: 1.0,
    };
    let outcome = db.insert_many((0..24).map(event)).await;
    outcome.into_result().unwrap();
    let job = PackJob::new(Aged::SCHEMA).unwrap();
    assert_eq!(job.run(&db).await.unwrap().changed, 1);

    let query = Aged::query().meter("a");
    assert_eq!(db.count(&query).await.unwrap(), 24);
    clock.set(hours(72 + 10) + Duration::from_secs(1));
    let left: Vec<Aged> = (11..24).map(event).collect();
    assert_eq!(db.fetch(&query).await.unwrap(), left);
    assert_eq!(db.count(&query).await.unwrap(), 13);
    let keys = [event(10).key(), event(11).key()];
    assert_eq!(db.get::<Aged>(&keys[0]).await.unwrap(), None);
    assert_eq!(
        db.get_many::<Aged>(&keys).await.unwrap(),
        [None, Some(event(11))]
    );
    let all = query.clone().events().with_expired();
    assert_eq!(db.count(&all).await.unwrap(), 24);
    // An expired event is absent, and may be written again as a new one.
    assert!(
        db.insert_if_absent(&Aged {
            watts: 2.0,
            ..event(10)
        })
        .await
        .unwrap()
    );
    assert!(
        !db.insert_if_absent(&Aged {
            watts: 2.0,
            ..event(11)
        })
        .await
        .unwrap()
    );
}

/// The former model, without `pack`.
mod plain {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "AGED", family = "M", layout = "cells", gc(max_age = "3d"))]
    pub(super) struct Aged {
        #[bigtable(key)]
        pub(super) meter: String,
        #[bigtable(time, unit = "s", bucket = "day")]
        pub(super) at: Timestamp,
        pub(super) watts: f64,
    }
}

#[test]
fn a_lock_knows_that_rows_are_packed() {
    let lock = |locked: Locked| {
        let mut lock = Lock::default();
        lock.models.insert("Aged".to_owned(), locked);
        lock
    };
    let added = compare::<Aged>(&lock(Locked::of::<plain::Aged>())).unwrap();
    assert_eq!(
        added.iter().map(|one| one.class).min(),
        Some(Class::Reads),
        "{added:?}"
    );
    let removed = compare::<plain::Aged>(&lock(Locked::of::<Aged>())).unwrap();
    assert_eq!(
        removed.iter().map(|one| one.class).min(),
        Some(Class::StoredBytes)
    );
    let said = removed.iter().map(ToString::to_string).collect::<String>();
    assert!(said.contains("unpack the rows with a `PackJob`"), "{said}");
    let refused = PackJob::new(plain::Aged::SCHEMA).unwrap_err().to_string();
    assert!(refused.contains("pack(after = \"1h\")"), "{refused}");
}

#[tokio::test]
async fn a_program_without_the_struct_reads_and_writes_packed_rows() {
    let db = MemoryBackend::new();
    let mut events = inserted::<InCells>(&db, 30).await;
    let job = PackJob::new(InCells::SCHEMA).unwrap();
    assert_eq!(job.run(&db).await.unwrap().changed, 1);
    let lock = Lock::default().with::<InCells>();
    let model = AnyModel::of_lock(&lock, "InCells").unwrap();
    let query = AnyQuery::of(&model).set("meter", "a");
    let mut batch = db.fetch(&query).await.unwrap();
    assert_eq!(batch.len(), 30);
    assert_eq!(
        batch.column("watts").unwrap().get(3).unwrap().to_string(),
        {
            let watts = events.values().nth(3).unwrap().watts;
            bigtable_model::dynamic::Value::from(watts).to_string()
        }
    );
    batch = bigtable_model::dynamic::EventBatch::new(&model);
    batch
        .push([
            ("meter", "a".into()),
            ("at", at(4).into()),
            ("watts", 99.5.into()),
        ])
        .unwrap();
    insert(&db, &batch).await.unwrap().into_result().unwrap();
    let written = Event {
        watts: 99.5,
        ..Event::new("a", at(4))
    };
    events.insert(written.identity(), written);
    let expected: Vec<_> = events.into_values().collect();
    assert_eq!(
        found::<InCells>(&db).await,
        expected,
        "what it leaves out is gone"
    );
    assert_eq!(job.run(&db).await.unwrap().changed, 1);
    assert_eq!(found::<InCells>(&db).await, expected);
}

#[tokio::test]
async fn a_column_of_a_block_has_a_history() {
    let db = MemoryBackend::new();
    let events = inserted::<InColumns>(&db, 5).await;
    let job = PackJob::new(InColumns::SCHEMA).unwrap();
    assert_eq!(job.run(&db).await.unwrap().changed, 1);
    let key = InColumns::key_of("a", at(2));
    let history = db.history(&key, InColumns::FIELDS.watts).await.unwrap();
    let watts: Vec<f64> = history.into_iter().map(|one| one.value).collect();
    let expected = events.values().nth(2).unwrap().watts;
    assert_eq!(watts, [expected]);
    assert!(matches!(
        db.history(&InColumns::key_of("a", at(99)), InColumns::FIELDS.watts).await,
        Ok(none) if none.is_empty()
    ));
}

#[test]
fn an_explanation_says_what_is_unpacked() {
    let all = InCells::query().meter("a").events().explain().to_string();
    let may_be = "\npacked: from 3600s after the end of its bucket on, a row may be a cell with all of its events";
    assert!(all.contains(&format!("{may_be}\n")), "{all}");
    let watts = InCells::query()
        .meter("a")
        .select::<crate::kinds::CellsWatts>()
        .events()
        .explain();
    let watts = watts.to_string();
    assert!(
        watts.contains(&format!("{may_be}, of which M:watts alone are unpacked\n")),
        "{watts}"
    );
}
