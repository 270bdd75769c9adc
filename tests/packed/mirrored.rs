//! Models with mirrors, packed on one side or on both: random writes, deletes, repairs and jobs,
//! checked against plain values.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use bigtable_model::mirror::MirrorOf;
use bigtable_model::packed::{self, PackJob};
use bigtable_model::{Backend, BackendExt as _, Error, MemoryBackend, Model, Timestamp};
use fastrand::Rng;

use crate::kinds::emptied;
use crate::world;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "MESSAGE", family = "M", layout = "cells", pack(after = "1h"))]
#[bigtable(mirror(InRoom, Starred))]
struct Message {
    #[bigtable(key)]
    user: String,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    room: String,
    #[bigtable(family = "T")]
    text: String,
    stars: Option<i64>,
}

/// The messages of a room, whoever wrote them.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "IN_ROOM",
    family = "R",
    layout = "columns",
    pack(after = "2h")
)]
struct InRoom {
    #[bigtable(key)]
    room: String,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    user: String,
    text: String,
    stars: Option<i64>,
}

/// Not every message has such a copy, and its table is not packed.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "STARRED", family = "S")]
struct Starred {
    #[bigtable(key)]
    user: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    stars: i64,
}

impl MirrorOf<Message> for InRoom {
    fn mirror_of(message: &Message) -> Option<Self> {
        let Message {
            user,
            at,
            room,
            text,
            stars,
        } = message.clone();
        Some(Self {
            room,
            at,
            user,
            text,
            stars,
        })
    }

    fn source_key(&self) -> Option<MessageKey> {
        let (user, at) = (self.user.clone(), self.at);
        Some(MessageKey { user, at })
    }
}

impl MirrorOf<Message> for Starred {
    fn mirror_of(message: &Message) -> Option<Self> {
        let Message { user, at, .. } = message.clone();
        let stars = message.stars?;
        Some(Self { user, at, stars })
    }

    fn source_key(&self) -> Option<MessageKey> {
        let (user, at) = (self.user.clone(), self.at);
        Some(MessageKey { user, at })
    }
}

/// Names that no other bytes of a table repeat.
const USERS: [&str; 3] = ["ann-4f1c9a77", "bob-b25e0d31", "eve-90ad6b48"];
const ROOMS: [&str; 2] = ["hall", "yard"];

/// A name of a user or a room, and a time.
type Place = (String, Timestamp);

/// What is stored.
#[derive(Debug, Default)]
struct Stored {
    messages: BTreeMap<Place, Message>,
    in_rooms: BTreeMap<Place, InRoom>,
    starred: BTreeMap<Place, Starred>,
}

impl Stored {
    fn insert(&mut self, message: Message) {
        self.copied(&message);
        let place = (message.user.clone(), message.at);
        self.messages.insert(place, message);
    }

    fn copied(&mut self, message: &Message) {
        let copy = InRoom::mirror_of(message).unwrap();
        self.in_rooms.insert((copy.room.clone(), copy.at), copy);
        if let Some(copy) = Starred::mirror_of(message) {
            self.starred.insert((copy.user.clone(), copy.at), copy);
        }
    }

    fn delete(&mut self, message: &Message) {
        let place = (message.user.clone(), message.at);
        self.messages.remove(&place);
        self.in_rooms.remove(&(message.room.clone(), message.at));
        if message.stars.is_some() {
            self.starred.remove(&place);
        }
    }

    fn without_strays(&mut self) {
        let messages = &self.messages;
        self.in_rooms.retain(|(room, at), copy| {
            let message = messages.get(&(copy.user.clone(), *at));
            message.is_some_and(|one| one.room == *room)
        });
        self.starred.retain(|place, _| {
            let message = messages.get(place);
            message.is_some_and(|one| one.stars.is_some())
        });
    }

    async fn check(&self, db: &dyn Backend) {
        let db = db.handle();
        let messages = db.fetch(&Message::scan().events().in_key_order()).await;
        let messages = messages.unwrap().into_iter();
        let messages = messages.map(|one| ((one.user.clone(), one.at), one));
        assert_eq!(messages.collect::<BTreeMap<_, _>>(), self.messages);
        let in_rooms = db.fetch(&InRoom::scan().events().in_key_order()).await;
        let in_rooms = in_rooms.unwrap().into_iter();
        let in_rooms = in_rooms.map(|one| ((one.room.clone(), one.at), one));
        assert_eq!(in_rooms.collect::<BTreeMap<_, _>>(), self.in_rooms);
        let starred = db.fetch(&Starred::scan()).await.unwrap().into_iter();
        let starred = starred.map(|one| ((one.user.clone(), one.at), one));
        assert_eq!(starred.collect::<BTreeMap<_, _>>(), self.starred);
    }
}

/// No two users write at the same time, so no two messages share a copy.
fn message(rng: &mut Rng, user: usize) -> Message {
    let second = i64::try_from(user).unwrap();
    Message {
        user: USERS[user].to_owned(),
        at: Timestamp::from_seconds(world::time(rng).as_seconds() + second),
        room: ROOMS[rng.usize(..ROOMS.len())].to_owned(),
        text: format!("{} says {}", USERS[user], rng.u8(..)),
        stars: rng.bool().then(|| rng.i64(0..5)),
    }
}

fn many(rng: &mut Rng) -> Vec<Message> {
    let mut many = BTreeMap::new();
    for _ in 0..rng.usize(1..20) {
        let user = rng.usize(..USERS.len());
        let message = message(rng, user);
        many.insert((message.user.clone(), message.at), message);
    }
    many.into_values().collect()
}

/// How often a call was ended by a fault.
static KILLS: AtomicU64 = AtomicU64::new(0);

/// One step: a write, a delete, a repair, or a job.
async fn step(db: &dyn Backend, stored: &mut Stored, rng: &mut Rng) {
    let db = db.handle();
    let user = rng.usize(..USERS.len());
    match rng.u8(0..20) {
        0..4 => {
            let message = message(rng, user);
            db.insert(&message).await.unwrap();
            stored.insert(message);
        }
        4..6 => {
            let many = many(rng);
            db.insert_many(&many).await.into_result().unwrap();
            many.into_iter().for_each(|one| stored.insert(one));
        }
        6 => {
            let message = message(rng, user);
            let is_new = !stored
                .messages
                .contains_key(&(message.user.clone(), message.at));
            assert_eq!(db.insert_if_absent(&message).await.unwrap(), is_new);
            if is_new {
                stored.insert(message);
            }
        }
        7..9 => {
            let many = many(rng);
            let failing = world::failing(&*db, rng);
            let written = packed::insert(&failing, many.clone()).await.unwrap();
            if let Err(error) = written.into_result() {
                let is_fault = matches!(error, Error::Backend { .. } | Error::NotMirrored { .. });
                assert!(is_fault, "{error:?}");
                KILLS.fetch_add(1, Ordering::Relaxed);
                let again = packed::insert(&*db, many.clone()).await.unwrap();
                assert_eq!(again.into_result().unwrap(), many.len() as u64);
            }
            many.into_iter().for_each(|one| stored.insert(one));
        }
        9..11 => {
            let all: Vec<_> = stored.messages.values().cloned().collect();
            if let Some(message) = rng.choice(&all) {
                db.delete_mirrored(message).await.unwrap();
                stored.delete(message);
            }
        }
        11 => {
            let (one, other) = (world::time(rng), world::time(rng));
            let times = one.min(other)..one.max(other);
            let query = Message::query().user(USERS[user]).at(times.clone());
            let outcome = db.delete_all(&query).await;
            let gone: Vec<_> = stored.messages.values().cloned().collect();
            let gone = gone.iter().filter(|one| one.user == USERS[user]);
            let gone: Vec<_> = gone.filter(|one| times.contains(&one.at)).collect();
            assert_eq!(outcome.into_result().unwrap(), gone.len() as u64);
            gone.into_iter().for_each(|one| stored.delete(one));
        }
        12 => {
            let report = db.repair(&Message::scan()).await.unwrap();
            assert_eq!(report.events, stored.messages.len() as u64);
            for message in stored.messages.clone().values() {
                stored.copied(message);
            }
        }
        13..15 => {
            let tables = db.delete_strays::<Message>().await.unwrap();
            assert!(tables.iter().all(|one| one.failed == 0), "{tables:?}");
            let before = stored.in_rooms.len() + stored.starred.len();
            stored.without_strays();
            let strays = before - stored.in_rooms.len() - stored.starred.len();
            let deleted: u64 = tables.iter().map(|one| one.deleted).sum();
            assert_eq!(deleted, strays as u64);
        }
        15 if rng.bool() => {
            // Strays are not found from their events, and what a block holds of copies that were
            // deleted before is left to the job.
            db.delete_strays::<Message>().await.unwrap();
            stored.without_strays();
            PackJob::new(InRoom::SCHEMA)
                .unwrap()
                .run(&*db)
                .await
                .unwrap();
            let report = db
                .forget(&Message::query().user(USERS[user]))
                .await
                .unwrap();
            assert!(report.is_complete(), "{report}");
            let all: Vec<_> = stored.messages.values().cloned().collect();
            let gone = all.iter().filter(|one| one.user == USERS[user]);
            gone.for_each(|one| stored.delete(one));
            assert!(!is_anywhere(&*db, USERS[user]).await);
        }
        number => {
            let schema = [Message::SCHEMA, InRoom::SCHEMA][usize::from(number % 2)];
            let job = PackJob::new(schema).unwrap();
            let ended = match rng.u8(0..6) {
                0 => job.unpack(&*db).await,
                1 => job.run(&world::failing(&*db, rng)).await,
                _ => job.run(&*db).await,
            };
            match ended {
                Ok(report) => assert_eq!((report.refused, report.contended), (0, 0)),
                Err(error) => {
                    assert!(matches!(error, Error::Backend { .. }), "{error:?}");
                    KILLS.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }
}

/// Whether a name is in a key, a qualifier or a value of the tables.
async fn is_anywhere(db: &dyn Backend, name: &str) -> bool {
    let has = |bytes: &[u8]| {
        bytes
            .windows(name.len())
            .any(|part| part == name.as_bytes())
    };
    for table in ["MESSAGE", "IN_ROOM", "STARRED"] {
        for row in world::rows(db, table).await {
            let in_cells = row.cells.iter();
            let mut in_cells = in_cells.map(|cell| has(&cell.qualifier) || has(&cell.value));
            if has(&row.key) || in_cells.any(|found| found) {
                return true;
            }
        }
    }
    false
}

async fn round(db: &dyn Backend, seed: u64, steps: usize) {
    let mut rng = Rng::with_seed(seed);
    let mut stored = Stored::default();
    emptied::<Message>(db).await;
    emptied::<InRoom>(db).await;
    emptied::<Starred>(db).await;
    for _ in 0..steps {
        step(db, &mut stored, &mut rng).await;
        stored.check(db).await;
    }
}

#[tokio::test]
async fn copies_are_those_of_plain_values() {
    for seed in 0..6 {
        round(&MemoryBackend::new(), seed, 150).await;
    }
    let kills = KILLS.load(Ordering::Relaxed);
    assert!(kills > 20, "{kills}");
}

#[tokio::test]
async fn copies_on_servers() {
    for (name, db) in world::backends("mirrored").await {
        println!("{name}");
        round(&*db, 100, 60).await;
    }
}

/// A user's messages are in blocks with those of others.
#[tokio::test]
async fn nothing_of_a_user_is_left_in_blocks_of_copies() {
    for (name, db) in world::backends("forgotten").await {
        println!("{name}");
        emptied::<Message>(&*db).await;
        emptied::<InRoom>(&*db).await;
        emptied::<Starred>(&*db).await;
        let mut rng = Rng::with_seed(7);
        let mut all = BTreeMap::new();
        for number in 0..200 {
            let message = message(&mut rng, number % USERS.len());
            // Without strays, which are not found from their events.
            all.entry((message.user.clone(), message.at))
                .or_insert(message);
        }
        let written = packed::insert(&*db, all.into_values()).await.unwrap();
        written.into_result().unwrap();
        let job = PackJob::new(InRoom::SCHEMA).unwrap();
        assert!(job.run(&*db).await.unwrap().changed > 0);
        let of_others = db.fetch(&InRoom::scan()).await.unwrap().into_iter();
        let of_others: Vec<_> = of_others.filter(|one| one.user != USERS[0]).collect();
        assert!(is_anywhere(&*db, USERS[0]).await);
        let report = db.forget(&Message::query().user(USERS[0])).await.unwrap();
        assert!(report.is_complete(), "{report}");
        assert!(
            report.to_string().contains("the next `PackJob`"),
            "{report}"
        );
        assert!(!is_anywhere(&*db, USERS[0]).await);
        assert!(is_anywhere(&*db, USERS[1]).await);
        assert_eq!(db.fetch(&InRoom::scan()).await.unwrap(), of_others);
        // The blocks of others are still blocks.
        assert_eq!(job.backlog(&*db).await.unwrap().rows, 0);
    }
}

/// A copy that another event overwrote is in the block until the row is packed again.
#[tokio::test]
async fn a_copy_that_was_overwritten_is_forgotten_too() {
    let db = MemoryBackend::new();
    emptied::<Message>(&db).await;
    emptied::<InRoom>(&db).await;
    emptied::<Starred>(&db).await;
    let [ann, bob] = [0, 1].map(|user| Message {
        at: world::at(0),
        room: "hall".to_owned(),
        stars: None,
        ..message(&mut Rng::with_seed(1), user)
    });
    db.insert(&ann).await.unwrap();
    let job = PackJob::new(InRoom::SCHEMA).unwrap();
    assert_eq!(job.run(&db).await.unwrap().changed, 1);
    db.insert(&bob).await.unwrap();
    let report = db.forget(&Message::query().user(USERS[0])).await.unwrap();
    assert!(report.is_complete(), "{report}");
    assert!(!is_anywhere(&db, USERS[0]).await);
    let left = db.fetch(&InRoom::scan()).await.unwrap();
    assert_eq!(
        left,
        InRoom::mirror_of(&bob).into_iter().collect::<Vec<_>>()
    );
}

/// A call that forgets does not pack rows that have not settled.
#[tokio::test]
async fn a_row_without_blocks_stays_in_cells() {
    let db = MemoryBackend::new();
    emptied::<Message>(&db).await;
    emptied::<InRoom>(&db).await;
    emptied::<Starred>(&db).await;
    let mut rng = Rng::with_seed(3);
    let [ann, bob] = [0, 1].map(|user| Message {
        room: "hall".to_owned(),
        at: world::at(i64::try_from(user).unwrap()),
        ..message(&mut rng, user)
    });
    db.insert_many([&ann, &bob]).await.into_result().unwrap();
    let report = db.forget(&Message::query().user(USERS[0])).await.unwrap();
    assert!(report.is_complete(), "{report}");
    let rows = world::rows(&db, "IN_ROOM").await;
    let mut cells = rows.iter().flat_map(|row| &row.cells);
    assert!(cells.any(|cell| cell.family == "R"), "{rows:?}");
    assert!(!is_anywhere(&db, USERS[0]).await);
}
