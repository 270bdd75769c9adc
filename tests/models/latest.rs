//! The latest value of each series: a row returns only its newest event.

use std::collections::BTreeMap;
use std::sync::Arc;

use bigtable_model::data::GcRule;
use bigtable_model::model::insert_mutations;
use bigtable_model::testing::check_laws;
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Projection, Timestamp};

use crate::support::{backends, cells, deleted, rows};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "STATE", family = "S", layout = "latest")]
struct State {
    #[bigtable(key)]
    site: String,
    #[bigtable(key, width = 3)]
    machine: u16,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(text)]
    load: u32,
    #[bigtable(text)]
    heat: Option<u32>,
}

#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = State)]
struct Heat {
    machine: u16,
    heat: Option<u32>,
}

/// A state with run-time columns.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SENSORS", family = "S", layout = "latest", marker = "EVENT")]
struct Sensors {
    #[bigtable(key)]
    machine: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    #[bigtable(columns)]
    values: BTreeMap<String, u64>,
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_426_535_612_000 + millis)
}

fn state(machine: u16, millis: i64, heat: Option<u32>) -> State {
    State {
        site: "north".into(),
        at: at(millis),
        machine,
        load: u32::try_from(millis).unwrap(),
        heat,
    }
}

fn sensors(seconds: i64, values: &[(&str, u64)]) -> Sensors {
    let values = values
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value));
    Sensors {
        machine: "m1".into(),
        at: at(seconds * 1_000),
        values: values.collect(),
    }
}

async fn with(events: &[State], name: &str) -> Vec<Arc<dyn Backend>> {
    let backends = backends("latest", name);
    for db in &backends {
        db.ensure_tables::<State>().await.unwrap();
        db.insert_many(events).await.into_result().unwrap();
    }
    backends
}

async fn newest(db: &dyn Backend, machine: u16) -> Vec<State> {
    let query = State::query().site("north").machine(machine);
    db.fetch(&query).await.unwrap()
}

#[test]
fn the_key_has_the_identifiers_and_the_cells_the_time() {
    let row = insert_mutations(&state(7, 12, None), Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(&row.key[..], b"north#007");
    let time = at(12).as_micros();
    assert_eq!(cells(&row), [("S:load".to_owned(), "12".to_owned(), time)]);
    assert_eq!(deleted(&row), ["S:heat"]);
    check_laws::<State>();
}

#[tokio::test]
async fn late_and_repeated_events_replace_no_newer_one() {
    let (old, new) = (state(1, 10, Some(80)), state(1, 20, None));
    let all = [&new, &old, &new, &old].map(Clone::clone);
    for db in with(&all, "late").await {
        // The newest has no heat, although an older event had.
        assert_eq!(newest(&*db, 1).await, std::slice::from_ref(&new));
        db.insert(&state(1, 20, Some(3))).await.unwrap();
        assert_eq!(
            newest(&*db, 1).await,
            [state(1, 20, Some(3))],
            "the last one written"
        );
        assert_eq!(
            db.get::<State>(&new.key()).await.unwrap().unwrap().heat,
            Some(3)
        );
        assert_eq!(db.get::<State>(&old.key()).await.unwrap(), None);
    }
}

#[tokio::test]
async fn one_version_of_each_column_is_enough() {
    let db = MemoryBackend::new();
    db.ensure_tables::<State>().await.unwrap();
    let (old, new) = (state(1, 10, Some(80)), state(1, 20, None));
    for event in [&new, &old, &state(1, 5, None)] {
        db.insert(event).await.unwrap();
        db.run_gc(at(60_000));
        assert_eq!(newest(&db, 1).await, std::slice::from_ref(&new));
    }
    let row = db.table("STATE").unwrap().get(b"north#001").unwrap();
    assert_eq!(row.unwrap().cells().count(), 2, "the older heat stays");
}

#[tokio::test]
async fn a_range_of_time_gives_the_newest_event_or_none() {
    let events = [state(1, 10, None), state(1, 20, None), state(2, 15, None)];
    for db in with(&events, "range").await {
        let north = || State::query().site("north");
        let within = async |from, to| {
            let machines = [1_u16, 2, 3];
            let query = north()
                .machine(&machines[..])
                .at(at(from)..at(to))
                .events()
                .in_key_order();
            assert_eq!(
                db.count(&query).await.unwrap(),
                db.fetch(&query).await.unwrap().len() as u64
            );
            db.fetch(&query).await.unwrap()
        };
        assert_eq!(
            within(0, 100).await,
            [state(1, 20, None), state(2, 15, None)]
        );
        assert_eq!(within(10, 20).await, [state(2, 15, None)]);
        assert_eq!(within(10, 15).await, []);
        let machines = [1_u16, 2, 3];
        let latest = db
            .fetch(
                &north()
                    .machine(&machines[..])
                    .events()
                    .newest_first()
                    .limit(5),
            )
            .await
            .unwrap();
        assert_eq!(latest, [state(1, 20, None), state(2, 15, None)]);
        let series = db.series(&north()).await.unwrap();
        assert_eq!(series, [("north".to_owned(), 1), ("north".to_owned(), 2)]);
        let each = db.latest_each(&north(), 3).await.unwrap();
        assert_eq!(each.len(), 2);
        assert!(each.iter().all(|(_, events)| events.len() == 1));
    }
}

#[tokio::test]
async fn limits_pages_and_projections_count_rows_as_events() {
    let mut events: Vec<_> = (0..9).map(|machine| state(machine, 20, Some(5))).collect();
    events.extend((0..9).map(|machine| state(machine, 10, Some(4))));
    for db in with(&events, "pages").await {
        let all = State::query().site("north").select::<Heat>();
        assert_eq!(db.fetch(&all.events().limit(4)).await.unwrap().len(), 4);
        let (mut found, mut token) = (Vec::new(), None);
        loop {
            let page = db.page(&all, 2, token.as_ref()).await.unwrap();
            found.extend(page.events);
            token = page.next;
            // It became newer while the pages were read, and was already returned.
            db.insert(&state(0, 30, Some(6))).await.unwrap();
            if token.is_none() {
                break;
            }
        }
        let expected = (0..9).map(|machine| Heat {
            machine,
            heat: Some(5),
        });
        assert_eq!(found, expected.collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_column_of_no_event_hides_none() {
    for db in with(&[state(1, 10, Some(80)), state(1, 5, None)], "lone").await {
        // An update of an event that was never inserted.
        let never = state(1, 30, None).key();
        db.send(State::update(&never).heat(99)).await.unwrap();
        let stored = State::query()
            .site("north")
            .machine(1_u16)
            .events()
            .with_expired();
        let found = db.fetch(&stored).await.unwrap();
        assert_eq!(found, [state(1, 10, Some(80))]);
        // The rule keeps one version of each column: a version that belongs to no event.
        assert_eq!(newest(&*db, 1).await, [state(1, 10, None)]);
        let heat = State::query().site("north").select::<Heat>();
        assert_eq!(
            db.fetch(&heat.events().with_expired()).await.unwrap(),
            [Heat {
                machine: 1,
                heat: Some(80)
            }]
        );
        // And one that belongs to the newest event.
        db.send(State::update(&state(1, 10, None).key()).heat(81))
            .await
            .unwrap();
        let found = db.fetch(&stored).await.unwrap();
        assert_eq!(found, [state(1, 10, Some(81))]);
    }
}

#[tokio::test]
async fn deletes_are_of_one_event() {
    let (old, new) = (state(1, 10, Some(80)), state(1, 20, Some(90)));
    for db in with(&[old.clone(), new.clone()], "deletes").await {
        db.delete_cell(&new.key(), State::FIELDS.heat)
            .await
            .unwrap();
        assert_eq!(newest(&*db, 1).await, [state(1, 20, None)]);
        db.delete::<State>(&state(1, 15, None).key()).await.unwrap();
        assert_eq!(newest(&*db, 1).await, [state(1, 20, None)]);
        db.delete::<State>(&new.key()).await.unwrap();
        assert_eq!(newest(&*db, 1).await, std::slice::from_ref(&old));
        db.delete::<State>(&old.key()).await.unwrap();
        assert_eq!(newest(&*db, 1).await, []);
        assert_eq!(rows(&*db, "STATE").await, []);
    }
}

#[tokio::test]
async fn a_delete_of_a_query_is_of_the_newest_events() {
    let (old, new) = (state(1, 10, Some(80)), state(1, 20, Some(90)));
    let events = [old.clone(), new.clone(), state(2, 15, None)];
    for db in with(&events, "query").await {
        let within = |from, to| {
            let machines = [1_u16, 2];
            let north = State::query().site("north").machine(&machines[..]);
            db.delete_all(&north.at(at(from)..at(to)))
        };
        // The row's event is the newest, and has another time.
        assert_eq!(within(10, 11).await.into_result().unwrap(), 0);
        assert_eq!(within(15, 30).await.into_result().unwrap(), 2);
        assert_eq!(newest(&*db, 1).await, std::slice::from_ref(&old));
        assert_eq!(newest(&*db, 2).await, []);
        assert_eq!(within(0, 30).await.into_result().unwrap(), 1);
        assert_eq!(rows(&*db, "STATE").await, []);
    }
}

#[tokio::test]
async fn a_delete_of_a_query_takes_the_events_run_time_columns() {
    for db in backends("latest", "query_columns") {
        db.ensure_tables::<Sensors>().await.unwrap();
        let old = sensors(1, &[("a", 7), ("b", 8)]);
        db.insert(&old).await.unwrap();
        let new = sensors(2, &[("b", 1), ("c", 2)]);
        db.insert(&new).await.unwrap();
        let query = Sensors::query().machine("m1");
        assert_eq!(db.delete_all(&query).await.into_result().unwrap(), 1);
        assert_eq!(db.fetch(&query).await.unwrap(), [old]);
        assert_eq!(db.delete_all(&query).await.into_result().unwrap(), 1);
        assert_eq!(rows(&*db, "SENSORS").await, []);
    }
}

#[tokio::test]
async fn the_history_of_an_event_has_nothing_of_others() {
    for db in with(&[state(1, 10, Some(80)), state(1, 20, None)], "history").await {
        let history = async |millis| {
            let key = state(1, millis, None).key();
            let heat = db.history(&key, State::FIELDS.heat).await.unwrap();
            heat.iter().map(|one| one.value).collect::<Vec<_>>()
        };
        assert_eq!(history(10).await, [Some(80)]);
        assert_eq!(history(20).await, []);
        assert_eq!(history(15).await, []);
    }
}

/// A row's older events may be deleted: nothing needs to be allowed.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "NEWEST",
    family = "S",
    layout = "latest",
    gc(max_versions = 1)
)]
struct Newest {
    #[bigtable(key)]
    machine: String,
    #[bigtable(time)]
    at: Timestamp,
    load: u32,
}

#[test]
fn older_events_may_be_collected() {
    let family = Newest::SCHEMA.family_schema("S");
    assert_eq!(family.gc_rule, Some(GcRule::MaxVersions(1)));
    check_laws::<Newest>();
}

#[tokio::test]
async fn run_time_columns_are_those_of_the_newest_event() {
    for db in backends("latest", "columns") {
        db.ensure_tables::<Sensors>().await.unwrap();
        let newest = async || db.fetch(&Sensors::query().machine("m1")).await.unwrap();
        let new = sensors(2, &[("a", 1), ("b", 2)]);
        let old = sensors(1, &[("b", 7), ("c", 8)]);
        db.insert(&new).await.unwrap();
        db.insert(&old).await.unwrap();
        assert_eq!(newest().await, std::slice::from_ref(&new));
        db.delete_cell(&new.key(), Sensors::FIELDS.values.entry("a"))
            .await
            .unwrap();
        assert_eq!(newest().await, [sensors(2, &[("b", 2)])]);
        db.delete::<Sensors>(&new.key()).await.unwrap();
        assert_eq!(newest().await, std::slice::from_ref(&old));
        db.delete::<Sensors>(&old.key()).await.unwrap();
        assert_eq!(rows(&*db, "SENSORS").await, []);
        // An event may have no columns.
        db.insert(&sensors(3, &[])).await.unwrap();
        assert_eq!(newest().await, [sensors(3, &[])]);
    }
}

#[test]
fn the_plan_asks_for_one_cell_of_each_column() {
    let query = State::query().site("north").machine(7_u16).at(at(0)..at(9));
    let plan = query.events().plan().unwrap();
    assert_eq!((plan.newest, plan.filter), (Some(1), None));
    let expected = "\
table STATE, keys {site}#{machine:03}, events marked by S:load
1 scan over 1 row key
  site=north machine=7
filter: the newest cell of each column
expired: left out before the filter are cells of S beyond the newest version, by the client's clock
order: by time, oldest first
limit: none
memory: one batch of rows at a time; a row is the newest event of a series
key in SQL: site STRING, machine STRING, joined by \"#\", once the table has this row key schema";
    assert_eq!(query.events().explain().to_string(), expected);
}

/// All former values are kept, though no query returns them.
#[derive(Debug, Model)]
#[bigtable(
    table = "KEPT",
    family = "S",
    layout = "latest",
    gc(family = "AGED", max_age = "30d"),
    allow(kept_forever)
)]
struct Kept {
    #[bigtable(key)]
    machine: String,
    #[bigtable(time)]
    at: Timestamp,
    load: u32,
    #[bigtable(family = "AGED")]
    heat: Option<u32>,
}

/// Without a rule a row would grow with each write.
#[test]
fn the_rule_of_latest_values_is_one_version() {
    let rules = |schema: &'static bigtable_model::schema::ModelSchema| -> Vec<(&str, &GcRule)> {
        let rules = schema.gc_rules.iter();
        rules.map(|one| (&*one.family, &one.rule)).collect()
    };
    let newest = GcRule::MaxVersions(1);
    assert_eq!(rules(State::SCHEMA), [("S", &newest)]);
    assert_eq!(rules(Sensors::SCHEMA), [("S", &newest)]);
    let aged = GcRule::MaxAge(std::time::Duration::from_secs(30 * 86_400));
    assert_eq!(rules(Kept::SCHEMA), [("AGED", &aged)]);
}
