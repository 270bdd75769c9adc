//! Events at the same time, which a tie-breaker distinguishes: they come in order of time, then in
//! order of their keys, whatever is asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use bigtable_model::rollup::{Resolution, Rollup, RollupJob};
use bigtable_model::series::Length;
use bigtable_model::testing::check_laws;
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use proptest::prelude::*;

use crate::support::backends;

mod columns;
mod empty;
mod long;

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_500_000_000 + second)
}

/// An event as plain values: its room, its second and its number.
type Said = (&'static str, i64, u32);

/// A model of messages, and its answers compared with those of a plain list.
macro_rules! messages {
    ($module:ident, $table:literal, [$($of_struct:tt)*], [$($of_time:tt)*]) => {
        mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = $table, family = "M", $($of_struct)*)]
            pub(super) struct Message {
                #[bigtable(key)]
                pub(super) room: String,
                #[bigtable(time, unit = "s" $($of_time)*)]
                pub(super) at: Timestamp,
                #[bigtable(tie_breaker)]
                pub(super) id: u32,
                pub(super) text: String,
            }

            pub(super) fn message((room, second, id): Said) -> Message {
                Message {
                    room: room.to_owned(),
                    at: at(second),
                    id,
                    text: format!("{room} {id}"),
                }
            }

            fn said(found: &[Message]) -> Vec<Said> {
                let said = found.iter().map(|one| {
                    let room = ROOMS.into_iter().find(|room| *room == one.room);
                    (room.unwrap(), one.at.as_seconds() - 1_500_000_000, one.id)
                });
                said.collect()
            }

            /// All questions that have results in time order.
            pub(super) async fn ask(db: &Arc<dyn Backend>, events: &[Said], latest_first: bool) {
                db.ensure_tables::<Message>().await.unwrap();
                db.delete_all(&Message::scan()).await.into_result().unwrap();
                let written: Vec<_> = events.iter().map(|one| message(*one)).collect();
                db.insert_many(&written).await.into_result().unwrap();
                let oldest_first = |rooms: &[&str], from: i64, to: i64| {
                    let asked = |one: &&Said| {
                        rooms.contains(&one.0) && (from..to).contains(&one.1)
                    };
                    let mut list: Vec<Said> = events.iter().filter(asked).copied().collect();
                    list.sort_by_key(|(room, second, id)| {
                        // Ties are in order of the key, which begins with the latest.
                        let id = if latest_first { -i64::from(*id) } else { i64::from(*id) };
                        (*second, *room, id)
                    });
                    list
                };
                let reversed = |mut list: Vec<Said>| {
                    list.reverse();
                    list
                };
                for rooms in [&ROOMS[..1], &ROOMS[..]] {
                    let names = rooms.iter().map(|room| (*room).to_owned());
                    let names: Vec<String> = names.collect();
                    let query = Message::query().room(names.clone());
                    let all = oldest_first(rooms, i64::MIN, i64::MAX);
                    assert_eq!(said(&db.fetch(&query).await.unwrap()), all);
                    let range = Message::query().room(names.clone()).at(at(1)..at(3));
                    let of_range = oldest_first(rooms, 1, 3);
                    assert_eq!(said(&db.fetch(&range).await.unwrap()), of_range);
                    let newest = query.events().newest_first();
                    let found = db.fetch(&newest).await.unwrap();
                    assert_eq!(said(&found), reversed(all.clone()));
                    let found = db.fetch(&newest.clone().limit(2)).await.unwrap();
                    let mut two = reversed(all.clone());
                    two.truncate(2);
                    assert_eq!(said(&found), two);
                    for (query, expected) in [
                        (query.events(), all.clone()),
                        (newest, reversed(all.clone())),
                    ] {
                        let mut found = Vec::new();
                        let mut token = None;
                        loop {
                            let page = db.page(&query, 2, token.as_ref()).await.unwrap();
                            found.extend(page.events);
                            token = page.next;
                            if token.is_none() {
                                break;
                            }
                        }
                        assert_eq!(said(&found), expected);
                    }
                    // Some at one time.
                    let some = Message::query().room(names.clone()).at(at(1)).id(1..3);
                    let mut of_some = oldest_first(rooms, 1, 2);
                    of_some.retain(|one| (1..3).contains(&one.2));
                    let found = db.fetch(&some.events().newest_first()).await.unwrap();
                    assert_eq!(said(&found), reversed(of_some));
                    // The newest of each room, and before a time.
                    let newest = |list: &[Said], most: usize| {
                        let mut rooms: BTreeMap<String, Vec<Said>> = BTreeMap::new();
                        for one in list.iter().rev() {
                            let room = rooms.entry(one.0.to_owned()).or_default();
                            if room.len() < most {
                                room.push(*one);
                            }
                        }
                        rooms
                    };
                    let found = db.latest_each(&query, 2).await.unwrap();
                    let found = found.into_iter().map(|(room, list)| (room, said(&list)));
                    assert_eq!(found.collect::<BTreeMap<_, _>>(), newest(&all, 2));
                    let found = db.latest_before(&query, at(2)).await.unwrap();
                    let found = found.into_iter().map(|(room, one)| (room, said(&[one])));
                    let past = oldest_first(rooms, i64::MIN, 2);
                    assert_eq!(found.collect::<BTreeMap<_, _>>(), newest(&past, 1));
                    let mut found = db.series(&query).await.unwrap();
                    found.sort();
                    let expected: Vec<String> = newest(&all, 1).into_keys().collect();
                    assert_eq!(found, expected);
                }
                // One of them is deleted, and the others stay.
                if let Some(first) = events.first() {
                    db.delete::<Message>(&message(*first).key()).await.unwrap();
                    let mut left = oldest_first(&ROOMS, i64::MIN, i64::MAX);
                    left.retain(|one| one != first);
                    let names = ROOMS.map(str::to_owned).to_vec();
                    let found = db.fetch(&Message::query().room(names)).await.unwrap();
                    assert_eq!(said(&found), left);
                }
            }
        }
    };
}

const ROOMS: [&str; 3] = ["a", "ab", "b"];

messages!(plain, "PLAIN", [], []);
messages!(latest_first, "LATEST_FIRST", [], [, reverse]);
messages!(in_columns, "IN_COLUMNS", [layout = "columns"], [, bucket = "minute"]);
messages!(spread, "SPREAD", [salt(shards = 3, of(room, id))], []);
messages!(spread_latest_first, "SPREAD_LATEST_FIRST", [salt(shards = 3, of(id))], [, reverse]);

async fn ask_all(db: &Arc<dyn Backend>, events: &[Said]) {
    plain::ask(db, events, false).await;
    latest_first::ask(db, events, true).await;
    in_columns::ask(db, events, false).await;
    spread::ask(db, events, false).await;
    spread_latest_first::ask(db, events, true).await;
}

/// A few seconds and numbers, so that many events share a time.
fn some_messages() -> impl Strategy<Value = Vec<Said>> {
    let one = (prop::sample::select(&ROOMS[..]), 0_i64..4, 0_u32..5);
    prop::collection::btree_set(one, 0..24).prop_map(|set| set.into_iter().collect())
}

fn run(future: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(future);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn answers_are_those_of_a_list(events in some_messages()) {
        let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
        run(ask_all(&db, &events));
    }
}

#[tokio::test]
async fn the_emulator_answers_the_same() {
    let events: Vec<Said> = (0..20)
        .map(|nth: u32| (ROOMS[nth as usize % 3], i64::from(nth % 4), nth / 3))
        .collect();
    for db in backends("ties", "answers") {
        ask_all(&db, &events).await;
    }
}

#[test]
fn keys_end_with_the_tie_breaker() {
    let key = |event: plain::Message| event.key().encode().unwrap();
    assert_eq!(key(plain::message(("a", 5, 7))), b"a#1500000005#0000000007");
    let template = plain::Message::SCHEMA.key.to_string();
    assert_eq!(template, "{room}#{at:010s}#{id:010}");
}

#[test]
fn laws_hold() {
    check_laws::<plain::Message>();
    check_laws::<latest_first::Message>();
    check_laws::<in_columns::Message>();
    check_laws::<spread::Message>();
    check_laws::<spread_latest_first::Message>();
}

/// Messages an hour.
#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "HOURLY", family = "H")]
#[rollup(of = Rolled, every = "1h")]
struct Hourly {
    #[bigtable(key)]
    room: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[rollup(count)]
    events: u64,
    #[rollup(max)]
    likes: i64,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ROLLED", family = "M", rollup(Hourly))]
struct Rolled {
    #[bigtable(key)]
    room: String,
    #[bigtable(time, unit = "s", reverse)]
    at: Timestamp,
    #[bigtable(tie_breaker)]
    id: u32,
    likes: i64,
}

#[tokio::test]
async fn roll_ups_count_all_of_one_time() {
    for db in backends("ties", "rolled") {
        db.ensure_tables::<Rolled>().await.unwrap();
        let messages = (0..30).map(|id| Rolled {
            room: "a".to_owned(),
            at: Timestamp::from_seconds(1_500_001_200 + 1_800 * i64::from(id / 5)),
            id,
            likes: i64::from(id),
        });
        let messages: Vec<_> = messages.collect();
        db.insert_many(&messages).await.into_result().unwrap();
        let hour = |start: i64, events, likes| Hourly {
            room: "a".to_owned(),
            start: Timestamp::from_seconds(start),
            events,
            likes,
        };
        let first = 1_500_001_200;
        let expected = [
            hour(first, 10, 9),
            hour(first + 3_600, 10, 19),
            hour(first + 7_200, 10, 29),
        ];
        let range = Timestamp::from_seconds(first)..Timestamp::from_seconds(first + 10_800);
        let query = Rolled::query().room("a").at(range).events();
        let hours = query.resolution::<Hourly>(Resolution::Every(Length::hours(1)));
        // Computed from events, and then from buckets.
        assert_eq!(db.fetch(&hours).await.unwrap(), expected);
        let job = RollupJob::<Hourly>::new().settle(std::time::Duration::ZERO);
        job.run(&*db).await.unwrap().into_result().unwrap();
        assert_eq!(
            db.fetch(&Hourly::query().room("a")).await.unwrap(),
            expected
        );
        assert_eq!(db.fetch(&hours).await.unwrap(), expected);
        // Buckets hold all ids.
        let range = Timestamp::from_seconds(first)..Timestamp::from_seconds(first + 10_800);
        let of_one = Rolled::scan().room("a").at(range).id(12_u32).events();
        let hours = of_one.resolution::<Hourly>(Resolution::Every(Length::hours(1)));
        assert_eq!(
            db.fetch(&hours).await.unwrap(),
            [hour(first + 3_600, 1, 12)]
        );
    }
}

/// The same messages, spread over shards since they became many.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "MOVED",
    family = "M",
    salt(shards = 3, of(room, id)),
    was(plain::Message)
)]
struct Moved {
    #[bigtable(key)]
    room: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    #[bigtable(tie_breaker)]
    id: u32,
    text: String,
}

impl From<plain::Message> for Moved {
    fn from(one: plain::Message) -> Self {
        let plain::Message { room, at, id, text } = one;
        Self { room, at, id, text }
    }
}

#[tokio::test]
async fn a_former_layout_is_united_in_order() {
    for db in backends("ties", "moved") {
        db.ensure_tables::<plain::Message>().await.unwrap();
        db.ensure_tables::<Moved>().await.unwrap();
        let said = |nth: u32| ("a", i64::from(nth / 6), nth % 6);
        let all = (0..18).map(|nth| Moved::from(plain::message(said(nth))));
        let all: Vec<_> = all.collect();
        for (nth, moved) in (0..).zip(&all) {
            match nth % 3 {
                0 => db.insert(moved).await.unwrap(),
                _ => db.insert(&plain::message(said(nth))).await.unwrap(),
            };
        }
        let query = Moved::query().room("a");
        assert_eq!(db.fetch(&query).await.unwrap(), all);
        let newest = db.fetch(&query.events().newest_first()).await.unwrap();
        let mut reversed = all.clone();
        reversed.reverse();
        assert_eq!(newest, reversed);
        db.delete::<Moved>(&all[1].key()).await.unwrap();
        let found = db.fetch(&query).await.unwrap();
        assert_eq!(found, [&all[..1], &all[2..]].concat());
    }
}
