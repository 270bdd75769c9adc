//! Conditional writes, and queries with conditions on columns, in every layout, in memory and on
//! the emulator.

mod absent;
mod clocks;
mod errors;
mod numbers;
mod plans;
mod shapes;
mod tables;

use std::sync::Arc;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::condition::Condition;
use bigtable_model::server::{Instances, Server, ServerOptions};
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Projection, Timestamp};
use futures::future::join_all;

use crate::support;

/// Memory, memory behind our own server, and the emulator if it is installed; the name separates
/// tests there.
pub(crate) async fn backends(name: &str) -> Vec<Arc<dyn Backend>> {
    let memory = |_: &str| Arc::new(MemoryBackend::new());
    let options = ServerOptions::default();
    let server = Server::bind("127.0.0.1:0", Instances::new(memory), &options);
    let server = server.await.unwrap();
    let settings = GrpcSettings::new("p", "i").emulator(server.local_addr().to_string());
    tokio::spawn(server.serve());
    let served: Arc<dyn Backend> = Arc::new(GrpcBackend::new(&settings).unwrap());
    let others = support::backends("conditions", name);
    others.into_iter().chain([served]).collect()
}

fn second(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_500_000_000 + second)
}

fn one_lot() -> u32 {
    1
}

fn five() -> Option<u32> {
    Some(5)
}

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        u32::try_from(self.0 >> 33).unwrap() % end
    }
}

/// The same tests of a model with columns `bid`, `size` and `venue`, for each layout.
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
                #[bigtable(default = one_lot)]
                lots: u32,
            }

            /// The model before it had a column with a default.
            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = $table, family = "MD", $($attributes)*)]
            struct Older {
                #[bigtable(key)]
                symbol: String,
                #[bigtable(time, $($time)*)]
                at: Timestamp,
                #[bigtable(text)]
                bid: f64,
                size: Option<u32>,
                venue: Option<String>,
            }

            /// Inserts events; some of those with the default are written as before there was a
            /// default.
            async fn insert_all(db: &dyn Backend, quotes: &[Quote]) {
                let is_older = |one: &&Quote| one.lots == one_lot() && one.at.as_micros() % 2_000_000 == 0;
                let (older, newer): (Vec<_>, Vec<_>) = quotes.iter().partition(is_older);
                let older = older.into_iter().cloned().map(|Quote { symbol, at, bid, size, venue, .. }| {
                    Older { symbol, at, bid, size, venue }
                });
                let (older, newer): (Vec<_>, Vec<_>) = (older.collect(), newer.into_iter().cloned().collect());
                assert!(!older.is_empty() && !newer.is_empty());
                db.insert_many(&older).await.into_result().unwrap();
                db.insert_many(&newer).await.into_result().unwrap();
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
                    lots: match at % 5 { 2 => 2, 3 => 3, _ => 1 },
                }
            }

            type Holds = Box<dyn Fn(&Quote) -> bool + Send>;

            /// A random condition, and its meaning.
            fn drawn(random: &mut Random, depth: u32) -> (Condition<Quote>, Holds) {
                let QuoteFields { bid, size, venue, lots, .. } = Quote::FIELDS;
                let number = random.below(12);
                let half = f64::from(number) + 0.5;
                let text = format!("V{number}");
                // A bid that is NaN, which no event has, represents a missing event.
                let is_there = |one: &Quote| !one.bid.is_nan();
                match random.below(if depth == 0 { 9 } else { 16 }) {
                    0 => (size.within(number..number + 5), Box::new(move |one| {
                        one.size.is_some_and(|size| (number..number + 5).contains(&size))
                    })),
                    1 => (size.equals(None), Box::new(|one| one.size.is_none())),
                    2 => (bid.one_of([half, 1.5, 2.5]), Box::new(move |one| {
                        [half, 1.5, 2.5].contains(&one.bid)
                    })),
                    3 => (venue.within(..=text.as_str()), Box::new(move |one| {
                        one.venue.as_ref().is_some_and(|venue| *venue <= text)
                    })),
                    4 => (venue.is_present(), Box::new(|one| one.venue.is_some())),
                    5 => (size.equals(number), Box::new(move |one| one.size == Some(number))),
                    6 => (Condition::exists(), Box::new(is_there)),
                    7 => (lots.equals(number % 4), Box::new(move |one| {
                        is_there(one) && one.lots == number % 4
                    })),
                    8 => (lots.within(number % 4..3), Box::new(move |one| {
                        is_there(one) && (number % 4..3).contains(&one.lots)
                    })),
                    9 | 10 => {
                        let ((a, a_holds), (b, b_holds)) = (drawn(random, depth - 1), drawn(random, depth - 1));
                        (a.and(b), Box::new(move |one| a_holds(one) && b_holds(one)))
                    }
                    11 | 12 => {
                        let ((a, a_holds), (b, b_holds)) = (drawn(random, depth - 1), drawn(random, depth - 1));
                        (a.or(b), Box::new(move |one| a_holds(one) || b_holds(one)))
                    }
                    13 | 14 => {
                        let some = (0..random.below(4)).map(|_| drawn(random, depth - 1));
                        let (some, hold): (Vec<_>, Vec<Holds>) = some.collect::<Vec<_>>().into_iter().unzip();
                        match random.below(2) {
                            0 => (Condition::all(some), Box::new(move |one| hold.iter().all(|holds| holds(one)))),
                            _ => (Condition::any(some), Box::new(move |one| hold.iter().any(|holds| holds(one)))),
                        }
                    }
                    _ => {
                        let (one, holds) = drawn(random, depth - 1);
                        (one.negate(), Box::new(move |one| !holds(one)))
                    }
                }
            }

            #[tokio::test]
            async fn an_event_is_written_once() {
                for db in backends(stringify!($name)).await {
                    db.ensure_tables::<Quote>().await.unwrap();
                    let event = quote(4);
                    assert!(db.insert_if_absent(&event).await.unwrap());
                    let other = Quote { bid: 9.0, ..event.clone() };
                    assert!(!db.insert_if_absent(&other).await.unwrap());
                    assert_eq!(db.get::<Quote>(&event.key()).await.unwrap(), Some(event));
                    // In rows of many events, another event of the row does not matter.
                    assert!(db.insert_if_absent(&quote(5)).await.unwrap());
                    assert_eq!(db.get::<Quote>(&quote(5).key()).await.unwrap(), Some(quote(5)));
                }
            }

            #[tokio::test]
            async fn one_of_many_writers_succeeds() {
                for db in backends(concat!(stringify!($name), "-race")).await {
                    db.ensure_tables::<Quote>().await.unwrap();
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
                for db in backends(concat!(stringify!($name), "-update")).await {
                    db.ensure_tables::<Quote>().await.unwrap();
                    let (event, key) = (quote(4), quote(4).key());
                    db.insert(&quote(3)).await.unwrap();
                    let absent = Quote::FIELDS.bid.equals(4.5);
                    let update = || Quote::update(&key).size(7_u32);
                    assert!(!db.send_if(update(), absent.clone()).await.unwrap());
                    assert!(!db.delete_if::<Quote>(&key, absent).await.unwrap());
                    db.insert(&event).await.unwrap();

                    let wrong = [
                        Quote::FIELDS.bid.equals(3.5),
                        Quote::FIELDS.bid.one_of([4.0, 5.0]),
                        Quote::FIELDS.size.within(5..),
                        Quote::FIELDS.venue.is_present(),
                        Quote::FIELDS.size.is_absent(),
                        Quote::FIELDS.size.equals(None),
                        Quote::FIELDS.bid.equals(4.5).negate(),
                        Quote::FIELDS.bid.equals(4.5).and(Quote::FIELDS.size.equals(5_u32)),
                        Condition::exists().negate(),
                    ];
                    for condition in wrong {
                        assert!(!db.send_if(update(), condition.clone()).await.unwrap(), "{condition}");
                        assert!(!db.delete_if::<Quote>(&key, condition.clone()).await.unwrap(), "{condition}");
                        // The negation of a false condition is true.
                        let same = Quote::update(&key).bid(4.5);
                        assert!(db.send_if(same, condition.negate()).await.unwrap());
                    }
                    assert_eq!(db.get::<Quote>(&key).await.unwrap(), Some(event.clone()));

                    let right = Quote::FIELDS
                        .bid
                        .one_of([4.5, 5.0])
                        .and(Quote::FIELDS.size.within(4..=4))
                        .and(Quote::FIELDS.venue.is_absent().or(Quote::FIELDS.venue.within("W"..)));
                    assert!(db.send_if(update(), right.clone()).await.unwrap());
                    assert!(!db.send_if(update(), right).await.unwrap());
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
            async fn writes_are_made_where_a_condition_holds() {
                for db in backends(concat!(stringify!($name), "-random")).await {
                    db.ensure_tables::<Quote>().await.unwrap();
                    let quotes: Vec<_> = (0..12).map(quote).collect();
                    insert_all(&*db, &quotes).await;
                    let none = Quote { bid: f64::NAN, size: None, venue: None, ..quote(0) };
                    // In a row with other events, and in a missing row.
                    let beside = quote(20).key();
                    let alone = Quote { symbol: "A".to_owned(), ..quote(0) }.key();
                    let random = &mut Random(11);
                    for _ in 0..60 {
                        let (condition, holds) = drawn(random, 3);
                        let event = &quotes[random.below(12) as usize];
                        let key = event.key();
                        let update = Quote::update(&key).bid(event.bid);
                        let updated = db.send_if(update, condition.clone()).await.unwrap();
                        let inserted = db.insert_if(event, condition.clone()).await.unwrap();
                        assert_eq!((updated, inserted), (holds(event), holds(event)), "{condition}");
                        for key in [&beside, &alone] {
                            let deleted = db.delete_if::<Quote>(key, condition.clone()).await.unwrap();
                            assert_eq!(deleted, holds(&none), "{condition}");
                        }
                    }
                    // In layout `latest` only the newest is read.
                    let first = if stringify!($name) == "latest" { 11 } else { 0 };
                    for event in &quotes[first..] {
                        assert_eq!(db.get::<Quote>(&event.key()).await.unwrap().as_ref(), Some(event));
                    }
                }
            }

            #[tokio::test]
            async fn queries_give_matching_events() {
                for db in backends(concat!(stringify!($name), "-query")).await {
                    db.ensure_tables::<Quote>().await.unwrap();
                    // In layout `latest` a series has one event.
                    let quotes: Vec<_> = (0..12)
                        .map(|at| Quote { symbol: format!("S{at:02}"), ..quote(at) })
                        .chain((0..if stringify!($name) == "latest" { 0 } else { 12 }).map(quote))
                        .collect();
                    insert_all(&*db, &quotes).await;
                    let random = &mut Random(7);
                    for _ in 0..40 {
                        let (condition, holds) = drawn(random, 3);
                        let query = Quote::scan().events().matching(condition.clone());
                        let mut expected: Vec<_> = quotes.iter().filter(|one| holds(one)).cloned().collect();
                        expected.sort_by_key(Quote::key);
                        assert_eq!(db.fetch(&query).await.unwrap(), expected, "{condition}");
                        assert_eq!(db.count(&query).await.unwrap(), expected.len() as u64);
                        let bids: Vec<_> = expected.iter().map(|one| Bid { bid: one.bid }).collect();
                        assert_eq!(db.fetch(&query.clone().select::<Bid>()).await.unwrap(), bids);
                        let first: Vec<_> = expected.iter().take(3).cloned().collect();
                        assert_eq!(db.fetch(&query.clone().limit(3)).await.unwrap(), first);
                        let of_one = expected.iter().filter(|one| one.symbol == "ZXZZT").rev().take(2);
                        let series = Quote::query().symbol("ZXZZT").events().matching(condition);
                        let newest = db.fetch(&series.clone().newest_first().limit(2)).await.unwrap();
                        assert_eq!(newest, of_one.cloned().collect::<Vec<_>>());
                    }
                    let some = Quote::scan().events().matching(Quote::FIELDS.size.is_absent());
                    let gone = quotes.iter().filter(|one| one.size.is_none()).count();
                    assert_eq!(db.delete_all(&some).await.into_result().unwrap(), gone as u64);
                    let left = db.fetch(&Quote::scan()).await.unwrap();
                    assert_eq!(left.len(), quotes.len() - gone);
                    assert!(left.iter().all(|one| one.size.is_some()));
                }
            }
        }
    };
}

/// Rows from before the column have its default, and whether it is stored can be asked too.
#[tokio::test]
async fn a_default_is_compared_as_it_is_read() {
    #[derive(Debug, PartialEq, Model)]
    #[bigtable(table = "DEFAULTS", family = "F")]
    struct Before {
        #[bigtable(key)]
        id: u32,
        name: String,
    }

    #[derive(Debug, PartialEq, Model)]
    #[bigtable(table = "DEFAULTS", family = "F")]
    struct After {
        #[bigtable(key)]
        id: u32,
        name: String,
        #[bigtable(default)]
        deleted: bool,
        #[bigtable(default = five)]
        stars: Option<u32>,
    }

    for db in backends("defaults").await {
        db.ensure_tables::<After>().await.unwrap();
        for id in 0..10 {
            let name = "old".to_owned();
            db.insert(&Before { id, name }).await.unwrap();
            let name = "new".to_owned();
            let (deleted, stars) = (id % 2 == 0, (id % 5 > 0).then_some(id % 5 + 1));
            db.insert(&After {
                id: id + 10,
                name,
                deleted,
                stars,
            })
            .await
            .unwrap();
        }
        let AfterFields {
            name,
            deleted,
            stars,
            ..
        } = After::FIELDS;
        let cases = [
            (deleted.equals(false), 15),
            (deleted.equals(true), 5),
            (deleted.equals(false).negate(), 5),
            (deleted.one_of([true, false]), 20),
            (deleted.is_absent(), 10),
            (deleted.within(..true), 15),
            (stars.equals(5), 14),
            (stars.gt(3), 16),
            (stars.lt(5), 6),
            (stars.equals(None), 0),
            (stars.is_absent(), 12),
            (deleted.equals(false).and(name.equals("old")), 10),
        ];
        for (condition, count) in cases {
            let query = After::scan().events().matching(condition.clone());
            assert_eq!(db.count(&query).await.unwrap(), count, "{condition}");
        }
        // A missing event has no value.
        let key = AfterKey { id: 99 };
        let none = db.delete_if::<After>(&key, deleted.equals(false)).await;
        assert!(!none.unwrap());
        let old = AfterKey { id: 3 };
        assert!(
            !db.delete_if::<After>(&old, deleted.equals(true))
                .await
                .unwrap()
        );
        assert!(
            db.delete_if::<After>(&old, deleted.equals(false))
                .await
                .unwrap()
        );
    }
}

in_layout!(row, "ROW", (salt(shards = 3, of(symbol))), (unit = "s"));
in_layout!(cells, "CELLS", (layout = "cells"), (bucket = "hour"));
in_layout!(
    columns,
    "COLUMNS",
    (layout = "columns", cell_time = "write"),
    (bucket = "hour", unit = "s")
);
in_layout!(
    latest,
    "LATEST",
    (layout = "latest", allow(kept_forever)),
    (unit = "ms")
);
