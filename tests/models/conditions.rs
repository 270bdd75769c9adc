//! Conditional writes, and queries with conditions on columns, in every layout on memory and on the emulator.

use bigtable_model::condition::{Condition, ConditionError};
use bigtable_model::{BackendExt, Error, MemoryBackend, Model, Projection, Timestamp};
use futures::future::join_all;

use crate::support::{backends, rows};

fn second(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_500_000_000 + second)
}

/// The same tests of a model with columns `bid`, `size` and `venue`, in one layout after the other.
macro_rules! in_layout {
    ($name:ident, $table:literal, ($($attributes:tt)*), ($($time:tt)*)) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = $table, family = "MD", $($attributes)*)]
            struct Quote {
                #[bigtable(key)]
                symbol: String,
                #[bigtable(time, $($time)*)]
                at: Timestamp,
                #[bigtable(text)]
                bid: f64,
                size: Option<u32>,
                venue: Option<String>,
            }

            #[derive(Debug, PartialEq, Projection)]
            #[bigtable(model = Quote)]
            struct Bid {
                bid: f64,
            }

            fn quote(at: i64) -> Quote {
                let size = u32::try_from(at).unwrap();
                Quote {
                    symbol: "ZXZZT".to_owned(),
                    at: second(at),
                    bid: at as f64 + 0.5,
                    size: (at % 2 == 0).then_some(size),
                    venue: (at % 3 == 0).then(|| format!("V{at}")),
                }
            }

            #[tokio::test]
            async fn an_event_is_written_once() {
                for db in backends("conditions", stringify!($name)) {
                    db.ensure_table::<Quote>().await.unwrap();
                    let event = quote(4);
                    assert!(db.insert_if_absent(&event).await.unwrap());
                    let other = Quote { bid: 9.0, ..event.clone() };
                    assert!(!db.insert_if_absent(&other).await.unwrap());
                    assert_eq!(db.get::<Quote>(&event.key()).await.unwrap(), Some(event));
                    // In rows of many events another one is none of this one's.
                    assert!(db.insert_if_absent(&quote(5)).await.unwrap());
                    assert_eq!(db.get::<Quote>(&quote(5).key()).await.unwrap(), Some(quote(5)));
                }
            }

            #[tokio::test]
            async fn one_of_many_writers_succeeds() {
                for db in backends("conditions", concat!(stringify!($name), "-race")) {
                    db.ensure_table::<Quote>().await.unwrap();
                    let tasks = (0..16).map(|writer| {
                        let db = db.clone();
                        tokio::spawn(async move {
                            let event = Quote { bid: f64::from(writer), ..quote(4) };
                            db.insert_if_absent(&event).await.unwrap()
                        })
                    });
                    let written = join_all(tasks).await;
                    let written: Vec<_> = written.into_iter().map(Result::unwrap).collect();
                    assert_eq!(written.iter().filter(|one| **one).count(), 1);
                    let winner = written.iter().position(|one| *one).unwrap();
                    let stored = db.get::<Quote>(&quote(4).key()).await.unwrap().unwrap();
                    assert_eq!(stored.bid, winner as f64);
                }
            }

            #[tokio::test]
            async fn updates_and_deletes_compare_first() {
                for db in backends("conditions", concat!(stringify!($name), "-update")) {
                    db.ensure_table::<Quote>().await.unwrap();
                    let (event, key) = (quote(4), quote(4).key());
                    db.insert(&quote(3)).await.unwrap();
                    let absent = Quote::FIELDS.bid.equals(4.5);
                    let update = || Quote::update(&key).size(7_u32);
                    assert!(!update().send_if(&*db, absent.clone()).await.unwrap());
                    assert!(!db.delete_if::<Quote>(&key, absent).await.unwrap());
                    db.insert(&event).await.unwrap();

                    let wrong = [
                        Quote::FIELDS.bid.equals(3.5),
                        Quote::FIELDS.bid.one_of([4.0, 5.0]),
                        Quote::FIELDS.size.within(5..),
                        Quote::FIELDS.venue.is_present(),
                        Quote::FIELDS.size.is_absent(),
                        Quote::FIELDS.bid.equals(4.5).negate(),
                        Quote::FIELDS.bid.equals(4.5).and(Quote::FIELDS.size.equals(5_u32)),
                        Condition::exists().negate(),
                    ];
                    for condition in wrong {
                        assert!(!update().send_if(&*db, condition.clone()).await.unwrap(), "{condition}");
                        assert!(!db.delete_if::<Quote>(&key, condition.clone()).await.unwrap(), "{condition}");
                        // The contrary of what does not hold does.
                        let same = Quote::update(&key).bid(4.5);
                        assert!(same.send_if(&*db, condition.negate()).await.unwrap());
                    }
                    assert_eq!(db.get::<Quote>(&key).await.unwrap(), Some(event.clone()));

                    let right = Quote::FIELDS
                        .bid
                        .one_of([4.5, 5.0])
                        .and(Quote::FIELDS.size.within(4..=4))
                        .and(Quote::FIELDS.venue.is_absent().or(Quote::FIELDS.venue.within("W"..)));
                    assert!(update().send_if(&*db, right.clone()).await.unwrap());
                    assert!(!update().send_if(&*db, right).await.unwrap());
                    let changed = Quote { size: Some(7), ..event };
                    assert_eq!(db.get::<Quote>(&key).await.unwrap(), Some(changed.clone()));
                    let other = Quote { bid: 1.0, ..quote(4) };
                    assert!(!db.insert_if(&other, Quote::FIELDS.size.equals(4_u32)).await.unwrap());
                    assert!(db.insert_if(&other, Quote::FIELDS.size.equals(7_u32)).await.unwrap());
                    assert_eq!(db.get::<Quote>(&key).await.unwrap(), Some(other));
                    assert!(db.delete_if::<Quote>(&key, Condition::exists()).await.unwrap());
                    assert_eq!(db.get::<Quote>(&key).await.unwrap().filter(|one| one.at == second(4)), None);
                }
            }

            #[tokio::test]
            async fn queries_give_matching_events() {
                for db in backends("conditions", concat!(stringify!($name), "-query")) {
                    db.ensure_table::<Quote>().await.unwrap();
                    // In layout `latest` a series has one event.
                    let quotes: Vec<_> = (0..12)
                        .map(|at| Quote { symbol: format!("S{at:02}"), ..quote(at) })
                        .chain((0..if stringify!($name) == "latest" { 0 } else { 12 }).map(quote))
                        .collect();
                    db.insert_many(&quotes).await.into_result().unwrap();
                    type Holds = fn(&Quote) -> bool;
                    let conditions: Vec<(Condition<Quote>, Holds)> = vec![
                        (Quote::FIELDS.size.within(4..9), |one| one.size.is_some_and(|size| (4..9).contains(&size))),
                        (Quote::FIELDS.venue.is_absent(), |one| one.venue.is_none()),
                        (Quote::FIELDS.bid.equals(3.5).negate(), |one| one.bid != 3.5),
                        (
                            Quote::FIELDS.bid.one_of([2.5, 3.5, 4.5]).and(Quote::FIELDS.size.is_present()),
                            |one| [2.5, 4.5].contains(&one.bid),
                        ),
                        (Condition::exists(), |_| true),
                    ];
                    for (condition, holds) in conditions {
                        let query = Quote::query().scan().matching(condition.clone());
                        let mut expected: Vec<_> = quotes.iter().filter(|one| holds(one)).cloned().collect();
                        expected.sort_by(|a, b| (&a.symbol, a.at).cmp(&(&b.symbol, b.at)));
                        assert_eq!(query.fetch(&*db).await.unwrap(), expected, "{condition}");
                        assert_eq!(query.count(&*db).await.unwrap(), expected.len() as u64);
                        let bids: Vec<_> = expected.iter().map(|one| Bid { bid: one.bid }).collect();
                        assert_eq!(query.clone().select::<Bid>().fetch(&*db).await.unwrap(), bids);
                        let first: Vec<_> = expected.iter().take(3).cloned().collect();
                        assert_eq!(query.clone().limit(3).fetch(&*db).await.unwrap(), first);
                        let of_one = expected.iter().filter(|one| one.symbol == "ZXZZT").rev().take(2);
                        let series = Quote::query().symbol("ZXZZT").matching(condition);
                        let newest = series.latest(2, &*db).await.unwrap();
                        assert_eq!(newest, of_one.cloned().collect::<Vec<_>>());
                    }
                    let some = Quote::query().scan().matching(Quote::FIELDS.size.is_absent());
                    let gone = quotes.iter().filter(|one| one.size.is_none()).count();
                    assert_eq!(some.delete(&*db).await.into_result().unwrap(), gone as u64);
                    let left = Quote::query().scan().fetch(&*db).await.unwrap();
                    assert_eq!(left.len(), quotes.len() - gone);
                    assert!(left.iter().all(|one| one.size.is_some()));
                }
            }
        }
    };
}

in_layout!(row, "ROW", (salt(shards = 3, of(symbol))), (unit = "s"));
in_layout!(cells, "CELLS", (layout = "cells"), (bucket = "hour"));
in_layout!(
    columns,
    "COLUMNS",
    (layout = "columns", cell_time = "write"),
    (bucket = "hour", unit = "s")
);
in_layout!(latest, "LATEST", (layout = "latest"), (unit = "ms"));

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
    for db in backends("conditions", "qualifiers") {
        db.ensure_table::<Pressure>().await.unwrap();
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
        let found = Pressure::query().location("Graz").matching(low.clone());
        let expected: Vec<_> = (0..3).map(pressure).collect();
        assert_eq!(found.fetch(&*db).await.unwrap(), expected);
        // What has to be read first can't be guarded.
        let key = pressure(0).key();
        let refused = db.delete_if::<Pressure>(&key, low.clone()).await;
        let updated = Pressure::update(&key)
            .pressure(1_u32)
            .send_if(&*db, low)
            .await;
        for error in [refused.unwrap_err(), updated.unwrap_err()] {
            let Error::Condition { source, .. } = error else {
                panic!("{error:?}");
            };
            assert!(matches!(source, ConditionError::ReadsFirst { .. }));
        }
        assert_eq!(found.delete(&*db).await.into_result().unwrap(), 3);
        assert_eq!(
            Pressure::query()
                .location("Graz")
                .count(&*db)
                .await
                .unwrap(),
            7
        );
    }
}

/// A job that one worker takes.
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
    for db in backends("conditions", "lock") {
        db.ensure_table::<Job>().await.unwrap();
        let key = JobKey {
            name: "roll-up".to_owned(),
        };
        let take = |owner: &str| {
            let update = Job::update(&key).owner(owner.to_owned());
            update.send_if(&*db, Job::FIELDS.owner.is_absent())
        };
        // There is no event, and its cells are compared all the same.
        let taken = join_all(["a", "b", "c", "d"].map(take)).await;
        assert_eq!(
            taken.iter().filter(|one| matches!(one, Ok(true))).count(),
            1
        );
        assert!(!take("e").await.unwrap());

        db.increment(&key, Job::FIELDS.runs, 3).await.unwrap();
        let free = |runs: i64| {
            Job::update(&key)
                .owner(None)
                .send_if(&*db, Job::FIELDS.runs.equals(runs))
        };
        assert!(!free(2).await.unwrap());
        assert!(free(3).await.unwrap());
        assert!(take("e").await.unwrap());
    }
}

#[tokio::test]
async fn a_refused_condition_sends_nothing() {
    let db = MemoryBackend::new();
    db.ensure_table::<Job>().await.unwrap();
    let job = Job {
        name: "roll-up".to_owned(),
        owner: None,
        runs: None,
    };
    let names = (0..1_000).map(|number| format!("{number:0100}"));
    let error = db.insert_if(&job, Job::FIELDS.owner.one_of(names)).await;
    let Err(Error::Condition { table, source }) = error else {
        panic!("it is refused");
    };
    assert_eq!(table, "JOB");
    assert!(matches!(source, ConditionError::TooLarge { .. }));
    assert!(rows(&db, "JOB").await.is_empty());
}

#[tokio::test]
async fn pages_are_of_one_condition() {
    let db = MemoryBackend::new();
    db.ensure_table::<Pressure>().await.unwrap();
    let all: Vec<_> = (0..10).map(pressure).collect();
    db.insert_many(&all).await.into_result().unwrap();
    let of = |range| {
        let condition = Pressure::FIELDS.pressure.within(range);
        Pressure::query().location("Graz").matching(condition)
    };
    let first = of(903..909).page(4, None, &db).await.unwrap();
    assert_eq!(first.events, all[3..7]);
    let token = first.next.unwrap();
    let second = of(903..909).page(4, Some(&token), &db).await.unwrap();
    assert_eq!(second.events, all[7..9]);
    assert_eq!(second.next, None);
    assert!(of(903..908).page(4, Some(&token), &db).await.is_err());
}

#[test]
fn an_explanation_says_who_compares() {
    let pressure = Pressure::FIELDS.pressure.within(903..);
    let explained = Pressure::query()
        .location("Graz")
        .matching(pressure)
        .explain()
        .to_string();
    let line =
        "condition: P:pressure from 903 on; the client compares, the server sends other events too";
    assert!(explained.lines().any(|one| one == line), "{explained}");
    let taken = Job::FIELDS.owner.equals("a".to_owned());
    let query = Job::query().name("roll-up").matching(taken);
    let explained = query.explain().to_string();
    let line = "condition: J:owner = \"a\"; the server compares, and the client again";
    assert!(explained.lines().any(|one| one == line), "{explained}");
    assert!(explained.contains("where a row has ("), "{explained}");
    // Two conditions are both asked.
    let both = query.clone().matching(Job::FIELDS.runs.is_present());
    assert!(
        both.explain()
            .to_string()
            .contains("J:owner = \"a\" and J:runs is present")
    );
}
