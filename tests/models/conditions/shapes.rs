//! Conditions on other kinds of models: values in qualifiers, entities, events of one column,
//! run-time columns, serialised events.

use std::collections::BTreeMap;
use std::ops::{Bound, RangeBounds};

use bigtable_model::condition::{Condition, ConditionError};
use bigtable_model::{BackendExt, Error, Model, Timestamp};
use futures::future::join_all;

use super::{backends, second};

/// A value that is a qualifier.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PRESSURE", family = "P", layout = "qualifiers")]
struct Pressure {
    #[bigtable(key)]
    location: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    pressure: u32,
}

fn pressure(at: i64) -> Pressure {
    Pressure {
        location: "Graz".to_owned(),
        at: second(at),
        pressure: u32::try_from(at).unwrap() + 900,
    }
}

#[tokio::test]
async fn a_value_in_the_qualifier_is_compared_too() {
    for db in backends("qualifiers").await {
        db.ensure_tables::<Pressure>().await.unwrap();
        for at in 0..10 {
            assert!(db.insert_if_absent(&pressure(at)).await.unwrap());
        }
        let other = Pressure {
            pressure: 7,
            ..pressure(3)
        };
        assert!(!db.insert_if_absent(&other).await.unwrap());
        let low = Pressure::FIELDS.pressure.within(..903);
        assert!(!db.insert_if(&other, low.clone()).await.unwrap());
        let of_place = || Pressure::query().location("Graz");
        let found = of_place().events().matching(low.clone());
        let expected: Vec<_> = (0..3).map(pressure).collect();
        assert_eq!(db.fetch(&found).await.unwrap(), expected);
        let some = Pressure::FIELDS.pressure.one_of([905_u32, 905, 901, 7]);
        let some = some.and(Pressure::FIELDS.pressure.equals(901_u32).negate());
        let found_some = db.fetch(&of_place().events().matching(some)).await.unwrap();
        assert_eq!(found_some, [pressure(5)]);
        // An event whose value matches two alternatives counts once.
        let field = Pressure::FIELDS.pressure;
        let either = field.one_of([901_u32, 902]).or(field.within(902..905));
        let found_either = of_place()
            .events()
            .matching(either.or(field.equals(901_u32)));
        let expected: Vec<_> = (1..5).map(pressure).collect();
        assert_eq!(db.fetch(&found_either).await.unwrap(), expected);
        assert_eq!(db.count(&found_either).await.unwrap(), 4);

        // A write that must read first cannot be guarded.
        let key = pressure(0).key();
        let refused = db.delete_if::<Pressure>(&key, low.clone()).await;
        let updated = Pressure::update(&key).pressure(1_u32);
        let updated = db.send_if(updated, low).await;
        for error in [refused.unwrap_err(), updated.unwrap_err()] {
            let Error::Condition { source, .. } = error else {
                panic!("{error:?}");
            };
            assert!(matches!(source, ConditionError::ReadsFirst { .. }));
        }
        assert_eq!(db.delete_all(&found).await.into_result().unwrap(), 3);
        assert_eq!(db.count(&of_place()).await.unwrap(), 7);
    }
}

#[tokio::test]
async fn one_of_many_writers_of_a_qualifier_succeeds() {
    for db in backends("qualifiers-race").await {
        db.ensure_tables::<Pressure>().await.unwrap();
        let tasks = (0..16).map(|writer| {
            let db = db.clone();
            tokio::spawn(async move {
                let event = Pressure {
                    pressure: writer,
                    ..pressure(4)
                };
                db.insert_if_absent(&event).await.unwrap()
            })
        });
        let written = join_all(tasks).await.into_iter().map(Result::unwrap);
        assert_eq!(written.filter(|one| *one).count(), 1);
        let query = Pressure::query().location("Graz");
        assert_eq!(db.count(&query).await.unwrap(), 1);
    }
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "NOTE", family = "N")]
struct Note {
    #[bigtable(key)]
    id: u32,
    text: String,
}

/// On the wire an empty end and a missing end are almost the same.
#[tokio::test]
async fn empty_values_are_values() {
    let ranges = [
        (Bound::Included(""), Bound::Included("")),
        (Bound::Unbounded, Bound::Included("")),
        (Bound::Unbounded, Bound::Excluded("")),
        (Bound::Included(""), Bound::Unbounded),
        (Bound::Excluded(""), Bound::Unbounded),
        (Bound::Excluded(""), Bound::Excluded("b")),
        (Bound::Included("b"), Bound::Included("a")),
        (Bound::Excluded("a"), Bound::Excluded("a")),
    ];
    for db in backends("empty").await {
        db.ensure_tables::<Note>().await.unwrap();
        let texts = ["", "a", "b"];
        for (id, text) in (0..).zip(texts) {
            let text = text.to_owned();
            db.insert(&Note { id, text }).await.unwrap();
        }
        for range in ranges {
            let holds = |text: &&str| RangeBounds::<&str>::contains(&range, text);
            let notes = Note::FIELDS.text.within(range);
            let query = Note::scan().events().matching(notes.clone());
            let found = db.fetch(&query).await.unwrap();
            let found: Vec<_> = found.iter().map(|one| &*one.text).collect();
            assert_eq!(found, texts.into_iter().filter(holds).collect::<Vec<_>>());
            for (id, text) in (0..).zip(texts) {
                let note = Note {
                    id,
                    text: text.to_owned(),
                };
                let written = db.insert_if(&note, notes.clone()).await.unwrap();
                assert_eq!(written, holds(&text), "{range:?} of {text:?}");
            }
        }
        let empty = Note::scan().events().matching(Note::FIELDS.text.equals(""));
        assert_eq!(db.count(&empty).await.unwrap(), 1);
    }
}

/// A job for one worker.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "JOB", family = "J", marker = "JOB")]
struct Job {
    #[bigtable(key)]
    name: String,
    owner: Option<String>,
    #[bigtable(counter)]
    runs: Option<i64>,
}

#[tokio::test]
async fn a_lock_is_taken_once() {
    for db in backends("lock").await {
        db.ensure_tables::<Job>().await.unwrap();
        let key = JobKey {
            name: "roll-up".to_owned(),
        };
        let take = |owner: &str| {
            let update = Job::update(&key).owner(owner.to_owned());
            db.send_if(update, Job::FIELDS.owner.is_absent())
        };
        // There is no event, but its cells are compared nevertheless.
        let taken = join_all(["a", "b", "c", "d"].map(take)).await;
        let taken = taken.into_iter().map(Result::unwrap);
        assert_eq!(taken.filter(|one| *one).count(), 1);
        assert!(!take("e").await.unwrap());

        let runs = Job::modify(&key).increment(Job::FIELDS.runs, 3);
        db.send(runs).await.unwrap();
        let free =
            |runs: i64| db.send_if(Job::update(&key).owner(None), Job::FIELDS.runs.equals(runs));
        assert!(!free(2).await.unwrap());
        assert!(free(3).await.unwrap());
        assert!(take("e").await.unwrap());
    }
}

/// A meter's day, a column for each event.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METER", family = "M", layout = "columns")]
struct Reading {
    #[bigtable(key, column = "ID")]
    meter: u16,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    value: u32,
}

fn reading(quarter: u32) -> Reading {
    Reading {
        meter: 7,
        at: Timestamp::from_seconds(i64::from(quarter) * 900),
        value: quarter % 8,
    }
}

#[tokio::test]
async fn a_column_that_is_an_event_is_compared() {
    for db in backends("meter").await {
        db.ensure_tables::<Reading>().await.unwrap();
        let all: Vec<_> = (0..96).map(reading).collect();
        db.insert_many(&all).await.into_result().unwrap();
        let value = Reading::FIELDS.value;
        let query = Reading::query().meter(7_u16);
        let found = db
            .fetch(&query.events().matching(value.within(2..=3)))
            .await;
        let expected = all.iter().filter(|one| (2..=3).contains(&one.value));
        assert_eq!(found.unwrap(), expected.cloned().collect::<Vec<_>>());

        // Another event of the row is not guarded.
        let other = Reading {
            value: 99,
            ..reading(1)
        };
        assert!(!db.insert_if(&other, value.equals(2_u32)).await.unwrap());
        assert!(db.insert_if(&other, value.equals(1_u32)).await.unwrap());
        assert!(
            !db.delete_if::<Reading>(&other.key(), value.equals(1_u32))
                .await
                .unwrap()
        );
        assert!(
            db.delete_if::<Reading>(&other.key(), value.equals(99_u32))
                .await
                .unwrap()
        );
        assert_eq!(db.count(&query).await.unwrap(), 95);
        assert!(db.insert_if_absent(&other).await.unwrap());
        assert!(!db.insert_if_absent(&reading(1)).await.unwrap());
    }
}

/// Columns in three families.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "CPU", family = "A", layout = "cells")]
struct Cpu {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    load: u32,
    #[bigtable(family = "B")]
    note: Option<String>,
    #[bigtable(family = "C")]
    cores: Option<u32>,
}

fn cpu(at: i64) -> Cpu {
    let number = u32::try_from(at).unwrap();
    Cpu {
        host: "web".to_owned(),
        at: second(at),
        load: number % 5,
        note: (at % 2 == 0).then(|| format!("note {}", at % 4)),
        cores: (at % 3 == 0).then_some(number),
    }
}

#[tokio::test]
async fn what_is_not_compared_comes_along() {
    for db in backends("cpu").await {
        db.ensure_tables::<Cpu>().await.unwrap();
        let all: Vec<_> = (0..20).map(cpu).collect();
        db.insert_many(&all).await.into_result().unwrap();
        let (load, note) = (Cpu::FIELDS.load, Cpu::FIELDS.note);
        let both = load.within(1..4).and(note.equals("note 2".to_owned()));
        for (condition, holds) in [
            (
                load.equals(3_u32),
                (|one| one.load == 3) as fn(&Cpu) -> bool,
            ),
            (note.is_absent(), |one| one.note.is_none()),
            (note.equals("note 0".to_owned()), |one| {
                one.note.as_deref() == Some("note 0")
            }),
            (both, |one| {
                (1..4).contains(&one.load) && one.note.as_deref() == Some("note 2")
            }),
        ] {
            let expected: Vec<_> = all.iter().filter(|one| holds(one)).cloned().collect();
            assert!(!expected.is_empty());
            let query = Cpu::query()
                .host("web")
                .events()
                .matching(condition.clone());
            assert_eq!(db.fetch(&query).await.unwrap(), expected, "{condition}");
        }
    }
}

/// Columns that are named at run time.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "HOST", family = "H")]
struct Host {
    #[bigtable(key)]
    host: String,
    load: u32,
    #[bigtable(columns, family = "C")]
    cores: BTreeMap<String, u32>,
}

/// The newest event of such a row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "HOST_NOW", family = "H", layout = "latest")]
struct HostNow {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    load: u32,
    #[bigtable(columns, family = "C")]
    cores: BTreeMap<String, u32>,
}

#[tokio::test]
async fn run_time_columns_come_along() {
    for db in backends("host").await {
        db.ensure_tables::<Host>().await.unwrap();
        let all: Vec<_> = (0..9)
            .map(|number| Host {
                host: format!("web{number}"),
                load: number % 3,
                cores: (0..number % 4)
                    .map(|core| (format!("core{core}"), number))
                    .collect(),
            })
            .collect();
        for host in &all {
            assert!(db.insert_if_absent(host).await.unwrap());
        }
        let idle = Host::FIELDS.load.equals(0_u32);
        let query = Host::scan().events().matching(idle.clone());
        let expected: Vec<_> = all.iter().filter(|one| one.load == 0).cloned().collect();
        assert_eq!(db.fetch(&query).await.unwrap(), expected);

        // An insert replaces them.
        let bare = Host {
            cores: BTreeMap::new(),
            ..all[3].clone()
        };
        assert!(db.insert_if(&bare, idle.clone()).await.unwrap());
        assert_eq!(
            db.get::<Host>(&bare.key()).await.unwrap(),
            Some(bare.clone())
        );
        assert!(db.delete_if::<Host>(&bare.key(), idle).await.unwrap());
    }
}

#[tokio::test]
async fn run_time_columns_of_the_newest_event_come_along() {
    for db in backends("host-now").await {
        db.ensure_tables::<HostNow>().await.unwrap();
        let host = |at, load: u32| HostNow {
            host: "web".to_owned(),
            at: second(at),
            load,
            cores: (0..load)
                .map(|core| (format!("core{core}"), core))
                .collect(),
        };
        assert!(db.insert_if_absent(&host(1, 3)).await.unwrap());
        assert!(db.insert_if_absent(&host(2, 1)).await.unwrap());
        assert!(!db.insert_if_absent(&host(1, 2)).await.unwrap());
        let load = HostNow::FIELDS.load;
        let query = |load| {
            let query = HostNow::query().host("web").events().matching(load);
            let db = &db;
            async move { db.fetch(&query).await.unwrap() }
        };
        assert_eq!(query(load.equals(1_u32)).await, [host(2, 1)]);
        assert_eq!(query(load.equals(3_u32)).await, []);
        // Their names must be read first.
        let refused = db
            .delete_if::<HostNow>(&host(2, 1).key(), load.equals(1_u32))
            .await;
        let Err(Error::Condition { source, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert!(matches!(
            source,
            ConditionError::ReadsFirst {
                write: "a delete",
                ..
            }
        ));
    }
}

/// Fields of a serialised event have no conditions, but the event has.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TRADE", family = "T", serialize(json))]
struct Trade {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    price: u32,
}

#[tokio::test]
async fn a_serialised_event_is_there_or_not() {
    for db in backends("trade").await {
        db.ensure_tables::<Trade>().await.unwrap();
        let trade = Trade {
            symbol: "ZXZZT".to_owned(),
            at: second(1),
            price: 7,
        };
        assert!(!db.insert_if(&trade, Condition::exists()).await.unwrap());
        assert!(db.insert_if_absent(&trade).await.unwrap());
        assert!(!db.insert_if_absent(&trade).await.unwrap());
        let query = Trade::query()
            .symbol("ZXZZT")
            .events()
            .matching(Condition::exists());
        let found = db.fetch(&query).await.unwrap();
        assert_eq!(found.as_slice(), std::slice::from_ref(&trade));
        let none = query.clone().matching(Condition::exists().negate());
        assert_eq!(db.count(&none).await.unwrap(), 0);
        assert!(
            db.delete_if::<Trade>(&trade.key(), Condition::exists())
                .await
                .unwrap()
        );
        assert_eq!(db.get::<Trade>(&trade.key()).await.unwrap(), None);
    }
}
