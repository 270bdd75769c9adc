//! Every sequence of writes, updates and deletes leaves the same events as an oracle, in every
//! layout: repeated inserts, updates of some columns of existing or missing events, deletes of
//! columns, of single and many events, and of a query's events.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use bigtable_model::data::RowDeletion;
use bigtable_model::{Backend, BackendExt as _, Error, MemoryBackend, Model};
use bigtable_model_tests::runs::nightly;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tokio::runtime::Runtime;

use crate::samples::{
    Ask, Event, Field, Identity, Reading, Sampled, Sets, Valued, ask, event, event_at,
    every_layout, every_single, gain, note, range, sensor, time,
};
use crate::support::emulated;

#[derive(Debug, Clone)]
enum Change {
    Insert(Event),
    InsertMany(Vec<Event>),
    Update(Event, Sets),
    DeleteField(Event, Field),
    Delete(Event),
    DeleteMany(Vec<Event>),
    DeleteAsked(Ask),
}

/// Few times, so changes meet the same events; some are an hour apart.
fn near() -> impl Strategy<Value = Event> {
    let times = prop_oneof![
        3 => (0_i64..6).prop_map(|step| 1_711_832_400_000 + step * 1_800_000),
        1 => time(),
    ];
    event_at(times)
}

fn sets() -> impl Strategy<Value = Sets> {
    let of = |level: bool, gain: bool, note: bool| {
        move |(l, g, n)| Sets {
            level: level.then_some(l),
            gain: gain.then_some(g),
            note: note.then_some(n),
        }
    };
    (1_u8..8, (any::<i64>(), gain(), note()))
        .prop_map(move |(which, values)| of(which & 1 > 0, which & 2 > 0, which & 4 > 0)(values))
}

fn change() -> impl Strategy<Value = Change> {
    let field = prop::sample::select(vec![Field::Level, Field::Gain, Field::Note]);
    prop_oneof![
        5 => near().prop_map(Change::Insert),
        2 => prop::collection::vec(prop_oneof![near(), event()], 0..8).prop_map(Change::InsertMany),
        3 => (near(), sets()).prop_map(|(event, sets)| Change::Update(event, sets)),
        2 => (near(), field).prop_map(|(event, field)| Change::DeleteField(event, field)),
        1 => near().prop_map(Change::Delete),
        1 => prop::collection::vec(near(), 0..4).prop_map(Change::DeleteMany),
        2 => ask().prop_map(Change::DeleteAsked),
    ]
}

/// The columns of an event; without a level it is not an event, but an update may make it one.
#[derive(Debug, Clone, Default)]
struct Columns {
    level: Option<i64>,
    gain: Option<f64>,
    note: Option<String>,
}

#[derive(Debug, Default)]
struct Oracle(BTreeMap<Identity, Columns>);

impl Oracle {
    fn insert(&mut self, event: &Event) {
        let columns = Columns {
            level: Some(event.level),
            gain: event.gain,
            note: event.note.clone(),
        };
        self.0.insert(event.identity(), columns);
    }

    fn update(&mut self, event: &Event, sets: &Sets) {
        let columns = self.0.entry(event.identity()).or_default();
        columns.level = sets.level.or(columns.level);
        columns.gain = sets.gain.unwrap_or(columns.gain);
        if let Some(note) = &sets.note {
            columns.note.clone_from(note);
        }
    }

    fn delete_field(&mut self, event: &Event, field: Field) {
        let columns = self.0.entry(event.identity()).or_default();
        match field {
            Field::Level => columns.level = None,
            Field::Gain => columns.gain = None,
            Field::Note => columns.note = None,
        }
    }

    fn events(&self) -> BTreeMap<Identity, Event> {
        let events = self.0.iter().filter_map(|(identity, columns)| {
            let (at, site, sensor) = identity.clone();
            let event = Event {
                site,
                sensor,
                at,
                level: columns.level?,
                gain: columns.gain,
                note: columns.note.clone(),
            };
            Some((identity.clone(), event))
        });
        events.collect()
    }
}

/// Applies the changes to a table and to the oracle, without those that the layout does not
/// support.
async fn after<S: Sampled>(db: &dyn Backend, changes: &[Change]) -> Result<Oracle, Error> {
    let mut oracle = Oracle::default();
    for change in changes {
        match change {
            Change::Insert(event) => {
                db.insert(&S::of(event)).await?;
                oracle.insert(event);
            }
            Change::InsertMany(events) => {
                let samples: Vec<_> = events.iter().map(S::of).collect();
                let written = db.insert_many(&samples).await.into_result()?;
                assert_eq!(written, events.len() as u64);
                events.iter().for_each(|event| oracle.insert(event));
            }
            Change::Update(event, sets) if S::HAS_COLUMNS => {
                S::send_update(db, &S::of(event).key(), sets).await?;
                oracle.update(event, sets);
            }
            Change::DeleteField(event, field) if S::HAS_COLUMNS => {
                S::delete_field(db, &S::of(event).key(), *field).await?;
                oracle.delete_field(event, *field);
            }
            Change::Update(..) | Change::DeleteField(..) => {}
            Change::Delete(event) => {
                db.delete::<S>(&S::of(event).key()).await?;
                oracle.0.remove(&event.identity());
            }
            Change::DeleteMany(events) => {
                let keys: Vec<_> = events.iter().map(|event| S::of(event).key()).collect();
                db.delete_many::<S>(&keys).await.into_result()?;
                events.iter().for_each(|event| {
                    oracle.0.remove(&event.identity());
                });
            }
            Change::DeleteAsked(ask) => {
                let selected = ask.selected(&oracle.events());
                let deleted = S::delete_asked(db, ask).await.into_result()?;
                assert_eq!(deleted, selected.len() as u64, "{ask:?}");
                for event in selected {
                    oracle.0.remove(&event.identity());
                }
            }
        }
    }
    Ok(oracle)
}

/// Applies the changes to an empty table, and compares the result.
async fn check<S: Sampled>(db: &dyn Backend, changes: &[Change]) -> Result<(), TestCaseError> {
    emptied::<S>(db).await;
    let oracle = after::<S>(db, changes).await.unwrap();
    let left = S::all(db).await.unwrap();
    are_left(&oracle, left.into_iter().map(S::event).collect())
}

/// Not generic, so that it is compiled once.
fn are_left(oracle: &Oracle, left: Vec<Event>) -> Result<(), TestCaseError> {
    let count = left.len();
    let left = left.into_iter().map(|event| (event.identity(), event));
    let left: BTreeMap<_, _> = left.collect();
    prop_assert_eq!(left.len(), count, "an event is there twice");
    prop_assert_eq!(left, oracle.events());
    Ok(())
}

async fn emptied<M: Model>(db: &dyn Backend) {
    db.ensure_tables::<M>().await.unwrap();
    let table = M::SCHEMA.table.fixed().unwrap();
    db.tables()
        .drop_rows(table, RowDeletion::All)
        .await
        .unwrap();
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// So many cases by day, and more at night.
fn cases(by_day: u32) -> u32 {
    nightly(by_day * 100, by_day)
}

/// Runs cases in memory, or on the emulator if it is installed.
fn run<T: std::fmt::Debug>(
    cases: u32,
    emulator: bool,
    strategy: impl Strategy<Value = T>,
    case: impl Fn(&Runtime, &dyn Fn(&str) -> Arc<dyn Backend>, T) -> Result<(), TestCaseError>,
) {
    let runtime = runtime();
    let memory = |_: &str| Arc::new(MemoryBackend::new()) as Arc<dyn Backend>;
    let on_emulator = |name: &str| {
        let _inside = runtime.enter();
        emulated("changes", name).unwrap()
    };
    if emulator && emulated("changes", "there").is_none() {
        return;
    }
    let backend: &dyn Fn(&str) -> Arc<dyn Backend> = match emulator {
        true => &on_emulator,
        false => &memory,
    };
    let config = ProptestConfig {
        max_shrink_iters: 2_000,
        ..ProptestConfig::with_cases(cases)
    };
    let mut runner = TestRunner::new(config);
    let ran = runner.run(&strategy, |drawn| case(&runtime, backend, drawn));
    ran.unwrap_or_else(|failed| panic!("{failed}"));
}

fn leave_what_the_oracle_has(cases: u32, emulator: bool) {
    let changes = prop::collection::vec(change(), 0..40);
    run(cases, emulator, changes, |runtime, backend, changes| {
        macro_rules! check_all {
            ($($layout:ident)*) => {$(
                let db = backend(concat!("s-", stringify!($layout)));
                let checked = check::<crate::samples::$layout::Sample>(&*db, &changes);
                runtime.block_on(checked).map_err(|failed| {
                    TestCaseError::fail(format!("{}: {failed}", stringify!($layout)))
                })?;
            )*};
        }
        every_layout!(check_all);
        Ok(())
    });
}

#[test]
fn changes_leave_what_the_oracle_has() {
    leave_what_the_oracle_has(cases(50), false);
}

#[test]
fn changes_leave_what_the_oracle_has_on_the_emulator() {
    leave_what_the_oracle_has(6, true);
}

/// A change of single-value events.
#[derive(Debug, Clone)]
enum Write {
    Insert(Vec<Reading>),
    Update(Reading),
    DeleteLevel(Reading),
    Delete(Vec<Reading>),
    DeleteBetween(Vec<String>, Range<i64>),
    DeleteNewest(String, u64),
}

/// Few times and values: layout `qualifiers` distinguishes events of one identity by value.
fn reading() -> impl Strategy<Value = Reading> {
    let times = prop_oneof![
        3 => (0_i64..6).prop_map(|step| 1_711_832_400_000 + step * 1_800_000),
        1 => time(),
    ];
    (sensor(), times, -2_i64..12)
}

fn write() -> impl Strategy<Value = Write> {
    prop_oneof![
        4 => prop::collection::vec(reading(), 0..5).prop_map(Write::Insert),
        3 => reading().prop_map(Write::Update),
        1 => reading().prop_map(Write::DeleteLevel),
        1 => prop::collection::vec(reading(), 0..4).prop_map(Write::Delete),
        1 => (prop::collection::vec(sensor(), 0..3), range())
            .prop_map(|(sensors, times)| Write::DeleteBetween(sensors, times)),
        1 => (sensor(), 0_u64..4).prop_map(|(sensor, n)| Write::DeleteNewest(sensor, n)),
    ]
}

/// Values by identity, each as the text in the cell or the qualifier.
type Values = BTreeMap<(String, i64), BTreeSet<String>>;

fn newest(values: &Values, of: &str, n: u64) -> Vec<(String, i64, String)> {
    let of_sensor = values.iter().filter(|((sensor, _), _)| sensor == of);
    let all = of_sensor.flat_map(|((sensor, at), texts)| {
        texts.iter().map(|text| (sensor.clone(), *at, text.clone()))
    });
    let mut all: Vec<_> = all.collect();
    // Values of one time are sorted by bytes.
    all.reverse();
    all.truncate(usize::try_from(n).unwrap());
    all
}

async fn after_writes<V: Valued>(db: &dyn Backend, writes: &[Write]) -> Result<Values, Error> {
    let mut values = Values::new();
    let identity = |(sensor, at, _): &Reading| (sensor.clone(), *at);
    for write in writes {
        match write {
            Write::Insert(readings) => {
                let events: Vec<_> = readings.iter().map(V::of).collect();
                db.insert_many(&events).await.into_result()?;
                for reading in readings {
                    let texts = values.entry(identity(reading)).or_default();
                    if !V::KEEPS_BOTH {
                        texts.clear();
                    }
                    texts.insert(reading.2.to_string());
                }
            }
            Write::Update(reading) => {
                V::set_level(db, &V::of(reading).key(), reading.2).await?;
                let text = reading.2.to_string();
                values.insert(identity(reading), BTreeSet::from([text]));
            }
            Write::DeleteLevel(reading) => {
                V::delete_level(db, &V::of(reading).key()).await?;
                values.remove(&identity(reading));
            }
            Write::Delete(readings) => {
                let keys: Vec<_> = readings.iter().map(|one| V::of(one).key()).collect();
                let deleted = db.delete_many::<V>(&keys).await.into_result()?;
                assert_eq!(deleted, keys.len() as u64);
                for reading in readings {
                    values.remove(&identity(reading));
                }
            }
            Write::DeleteBetween(sensors, times) => {
                let deleted = V::delete_between(db, sensors, times).await.into_result()?;
                let gone =
                    |(sensor, at): &(String, i64)| sensors.contains(sensor) && times.contains(at);
                let selected = values.iter().filter(|(identity, _)| gone(identity));
                let selected: usize = selected.map(|(_, texts)| texts.len()).sum();
                assert_eq!(deleted, selected as u64);
                values.retain(|identity, _| !gone(identity));
            }
            Write::DeleteNewest(sensor, n) => {
                let deleted = V::delete_newest(db, sensor, *n).await.into_result()?;
                let selected = newest(&values, sensor, *n);
                assert_eq!(deleted, selected.len() as u64);
                for (sensor, at, text) in selected {
                    let left = values.get_mut(&(sensor.clone(), at)).unwrap();
                    left.remove(&text);
                    if left.is_empty() {
                        values.remove(&(sensor, at));
                    }
                }
            }
        }
    }
    Ok(values)
}

async fn check_values<V: Valued>(db: &dyn Backend, writes: &[Write]) -> Result<(), TestCaseError> {
    emptied::<V>(db).await;
    let expected = after_writes::<V>(db, writes).await.unwrap();
    let mut left = Values::new();
    for (sensor, at, level) in V::all(db).await.unwrap().into_iter().map(V::reading) {
        let texts = left.entry((sensor, at)).or_default();
        prop_assert!(texts.insert(level.to_string()), "an event is there twice");
    }
    prop_assert_eq!(left, expected);
    Ok(())
}

fn values_leave_what_the_oracle_has(cases: u32, emulator: bool) {
    let writes = prop::collection::vec(write(), 0..40);
    run(cases, emulator, writes, |runtime, backend, writes| {
        macro_rules! check_all {
            ($($layout:ident)*) => {$(
                let db = backend(concat!("v-", stringify!($layout)));
                let checked = check_values::<crate::samples::$layout::Value>(&*db, &writes);
                runtime.block_on(checked).map_err(|failed| {
                    TestCaseError::fail(format!("{}: {failed}", stringify!($layout)))
                })?;
            )*};
        }
        every_single!(check_all);
        Ok(())
    });
}

#[test]
fn changes_of_one_value_leave_what_the_oracle_has() {
    values_leave_what_the_oracle_has(cases(50), false);
}

#[test]
fn changes_of_one_value_leave_what_the_oracle_has_on_the_emulator() {
    values_leave_what_the_oracle_has(8, true);
}
