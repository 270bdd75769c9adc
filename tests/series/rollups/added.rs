//! Roll-ups that the server adds: after inserts of several tasks whose answers are lost, buckets
//! are what the events come to.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend};
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::RowDeletion;
use bigtable_model::query::{ByKey, ByTime, Erased, Query};
use bigtable_model::rollup::{NotAdded, Rollup, at_most, every, recount};
use bigtable_model::server::{Server, ServerOptions};
use bigtable_model::{
    Backend, BackendExt, Code, DeadLetter, Error, InsertOutcome, MemoryBackend, Model, Status,
    Timestamp,
};
use bigtable_model_tests::emulator::Emulator;
use fastrand::Rng;
use futures::future::join_all;
use futures::stream;

use super::random::faults;
use super::spans;

const HOSTS: [&str; 3] = ["a", "b", "web-1"];

const MINUTE: i64 = 60_000;

/// 2024-11-01: clocks go back in New York on the 3rd.
const START: i64 = 1_730_419_200_000;

/// A request in plain values: host, millisecond, bytes, and how long it took.
#[derive(Debug, Clone, PartialEq)]
struct Plain {
    host: String,
    millis: i64,
    bytes: i64,
    took: Option<i64>,
}

/// Start and host of a bucket, and number, sum, least and greatest.
type PlainBucket = (i64, String, i64, i64, i64, Option<i64>);

trait Hit: Model<Key: Clone> + Clone + Sync {
    type Traffic: Traffic<Source = Self>;
    /// The tables of the roll-up, with the lengths of their buckets in words.
    const TABLES: [(&'static str, &'static str); 3];

    fn of(plain: &Plain) -> Self;
    fn asked(hosts: &[&str], from: i64, to: i64) -> Query<Self, Erased<ByTime>, Self>;
}

trait Traffic: Rollup + std::fmt::Debug {
    fn plain(&self) -> PlainBucket;
    fn all() -> Query<Self, Erased<ByKey>, Self>;
}

macro_rules! hits {
    ($module:ident, [$($table:tt)*], [$($time:tt)*], $own:literal, $hours:literal, $days:literal) => {
        mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(family = "T", append_only, rollup(Minute), $($table)*)]
            pub(super) struct Request {
                #[bigtable(key)]
                host: String,
                #[bigtable($($time)*)]
                at: Timestamp,
                bytes: i64,
                took: Option<i64>,
            }

            #[derive(Debug, Clone, PartialEq, Model, Rollup)]
            #[bigtable(table = $own, family = "SUM")]
            #[rollup(
                of = Request,
                every = "1m",
                longer(every = "1h", table = $hours),
                longer(every = "day", zone = "America/New_York", table = $days),
                added
            )]
            pub(super) struct Minute {
                #[bigtable(key)]
                host: String,
                #[bigtable(time, unit = "s")]
                start: Timestamp,
                #[bigtable(aggregate = "sum")]
                #[rollup(count)]
                requests: i64,
                #[bigtable(aggregate = "sum")]
                #[rollup(sum)]
                bytes: i64,
                #[bigtable(aggregate = "min", family = "MIN")]
                #[rollup(min(bytes))]
                least: i64,
                #[bigtable(aggregate = "max", family = "MAX")]
                #[rollup(max(took))]
                slowest: Option<i64>,
            }

            impl super::Hit for Request {
                type Traffic = Minute;
                const TABLES: [(&'static str, &'static str); 3] = [
                    ($own, "60 seconds"),
                    ($hours, "3600 seconds"),
                    ($days, "1 day in America/New_York"),
                ];

                fn of(plain: &Plain) -> Self {
                    Self {
                        host: plain.host.clone(),
                        at: Timestamp::from_millis(plain.millis),
                        bytes: plain.bytes,
                        took: plain.took,
                    }
                }

                fn asked(hosts: &[&str], from: i64, to: i64) -> Query<Self, Erased<ByTime>, Self> {
                    let at = Timestamp::from_millis;
                    Self::query().host(hosts).at(at(from)..at(to)).erase()
                }
            }

            impl super::Traffic for Minute {
                fn plain(&self) -> PlainBucket {
                    let start = self.start.as_millis();
                    let sums = (self.requests, self.bytes);
                    (start, self.host.clone(), sums.0, sums.1, self.least, self.slowest)
                }

                fn all() -> Query<Self, Erased<ByKey>, Self> {
                    Self::query().scan().erase()
                }
            }
        }
    };
}

hits!(
    rows,
    [table = "REQUEST"],
    [time, unit = "ms"],
    "MINUTE",
    "HOUR",
    "DAY"
);
hits!(
    cells,
    [table = "CREQUEST", layout = "cells"],
    [time, bucket = "hour"],
    "CMINUTE",
    "CHOUR",
    "CDAY"
);
hits!(
    columns,
    [
        table = "OREQUEST",
        layout = "columns",
        serialize(postcard),
        salt(shards = 3, of(host, at))
    ],
    [time, bucket = "day"],
    "OMINUTE",
    "OHOUR",
    "ODAY"
);

/// Events of one task: no two have one identity.
fn events(task: usize, rng: &mut Rng) -> Vec<Plain> {
    let mut taken = std::collections::BTreeSet::new();
    let draw = |_| {
        let minute = [0, 1, 59, 60, 239, 240, 1_439, 2_880, 2_940][rng.usize(0..9)] * MINUTE;
        Plain {
            host: HOSTS[rng.usize(0..3)].to_owned(),
            millis: START + minute + rng.i64(0..6_000) * 8 + task as i64,
            bytes: rng.i64(-50..1_000),
            took: rng.bool().then(|| rng.i64(0..99)),
        }
    };
    let drawn: Vec<_> = (0..40).map(draw).collect();
    let is_new = |one: &Plain| taken.insert((one.host.clone(), one.millis));
    drawn.into_iter().filter(is_new).collect()
}

/// Sends what may be missing until it is there.
async fn resend(db: &dyn Backend, missing: Box<NotAdded>) {
    let mut missing = missing;
    assert!(missing.has_tokens());
    while let Err(error) = missing.send_again(db).await {
        let Error::NotAdded(still) = error else {
            panic!("{error}");
        };
        assert!(still.rollups().count() <= missing.rollups().count());
        missing = still;
    }
}

/// Inserts an event until that goes well.
async fn insist<T: Hit>(db: &dyn Backend, event: &T, rng: &mut Rng) {
    loop {
        match db.insert(event).await {
            Ok(()) => return,
            // Either is right: the same event alone has the same token.
            Err(Error::NotAdded(missing)) if rng.bool() => return resend(db, missing).await,
            Err(_) => {}
        }
    }
}

/// Inserts the events of one task in one of several ways.
async fn write<T: Hit>(db: &dyn Backend, events: &[Plain], mut rng: Rng) {
    let mut left: Vec<T> = events.iter().map(T::of).collect();
    while !left.is_empty() {
        let some: Vec<T> = left.split_off(left.len() - rng.usize(1..=left.len().min(15)));
        let mut failed: Vec<(usize, Option<Box<NotAdded>>)> = Vec::new();
        let requests = rng.usize(1..3);
        let inserts = || db.inserts::<T>().requests_in_flight(requests).unwrap();
        match rng.u8(0..5) {
            0 | 1 => {
                for one in &some {
                    insist(db, one, &mut rng).await;
                }
            }
            2 => {
                let outcome = db.insert_many(&some).await;
                failed.extend(unwritten(&outcome));
            }
            3 => {
                let outcome = inserts().run_stream(stream::iter(&some)).await;
                failed.extend(unwritten(&outcome));
            }
            _ => {
                let given = some.clone();
                let note = |letter: DeadLetter<T>| {
                    failed.push((letter.index, missing(&letter.error)));
                };
                inserts().run_owned(given, note).await;
            }
        }
        for (index, missing) in failed {
            match missing {
                Some(missing) => resend(db, missing).await,
                None => insist(db, &some[index], &mut rng).await,
            }
        }
    }
}

fn unwritten(outcome: &InsertOutcome) -> Vec<(usize, Option<Box<NotAdded>>)> {
    let failed = outcome.failed().iter();
    failed.map(|one| (one.index, missing(&one.error))).collect()
}

fn missing(error: &Error) -> Option<Box<NotAdded>> {
    match error {
        Error::NotAdded(missing) => Some(missing.clone()),
        _ => None,
    }
}

/// What events come to in windows, by brute force.
fn buckets(events: &[Plain], length: &str) -> Vec<PlainBucket> {
    let mut windows: BTreeMap<(i64, String), Vec<&Plain>> = BTreeMap::new();
    for one in events {
        let window = (spans::start(length, one.millis), one.host.clone());
        windows.entry(window).or_default().push(one);
    }
    let bucket = |((start, host), events): ((i64, String), Vec<&Plain>)| {
        let bytes = || events.iter().map(|one| one.bytes);
        let slowest = events.iter().filter_map(|one| one.took).max();
        let least = bytes().min().unwrap();
        (
            start,
            host,
            events.len() as i64,
            bytes().sum(),
            least,
            slowest,
        )
    };
    windows.into_iter().map(bucket).collect()
}

/// What a table of the roll-up holds.
async fn stored<T: Hit>(db: &dyn Backend, table: &'static str) -> Vec<PlainBucket> {
    let own = T::TABLES[0].0;
    let named = db.with_tables(move |name: &str| match name == own {
        true => table.to_owned(),
        false => name.to_owned(),
    });
    let found = T::Traffic::all().fetch(&named).await.unwrap();
    let mut found: Vec<_> = found.iter().map(Traffic::plain).collect();
    found.sort();
    found
}

/// Every table of the roll-up holds what the events come to.
async fn check_tables<T: Hit>(db: &dyn Backend, events: &[Plain]) {
    for (table, length) in T::TABLES {
        let found = stored::<T>(db, table).await;
        assert_eq!(found, buckets(events, length), "{table}");
    }
}

/// Windows of random spans are what the events come to.
async fn check_windows<T: Hit>(db: &dyn Backend, events: &[Plain], rng: &mut Rng) {
    for _ in 0..5 {
        let from = START + rng.i64(-90..3_000) * 30_000;
        let to = from + rng.i64(1..6_000) * 30_000;
        let resolution = match rng.u8(0..3) {
            0 => at_most(rng.u32(2..4_000)),
            1 => every(Duration::from_secs(60 * rng.u64(1..200))),
            _ => every(bigtable_model::series::Length::days(1).zone("America/New_York")),
        };
        let hosts = &HOSTS[..rng.usize(1..4)];
        let windows = T::asked(hosts, from, to).resolution::<T::Traffic>(resolution);
        let explained = windows.explain().unwrap();
        let found = windows.fetch(db).await.unwrap();
        let found: Vec<_> = found.iter().map(Traffic::plain).collect();
        let is_asked =
            |one: &&Plain| hosts.contains(&&*one.host) && (from..to).contains(&one.millis);
        let asked: Vec<_> = events.iter().filter(is_asked).cloned().collect();
        let length = explained.window.to_string();
        assert_eq!(found, buckets(&asked, &length), "{from}..{to} {explained}");
    }
}

/// Several tasks insert through `faulty`; gives what they insert.
async fn written<T: Hit>(db: &dyn Backend, faulty: &dyn Backend, rng: &mut Rng) -> Vec<Plain> {
    db.ensure_tables::<T>().await.unwrap();
    let tasks: Vec<_> = (0..4).map(|task| events(task, rng)).collect();
    let writes = tasks.iter().map(|events| {
        let rng = rng.fork();
        write::<T>(faulty, events, rng)
    });
    join_all(writes).await;
    tasks.concat()
}

/// Several tasks insert through `faulty`, and `db` holds what they come to.
async fn run<T: Hit>(db: &dyn Backend, faulty: &dyn Backend, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let events = written::<T>(db, faulty, &mut rng).await;
    check_tables::<T>(db, &events).await;
    check_windows::<T>(db, &events, &mut rng).await;
}

#[tokio::test]
async fn the_server_adds_each_event_once_in_memory() {
    for seed in 0..60 {
        let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
        let faulty = FaultyBackend::new(Arc::clone(&db), seed, faults()).unwrap();
        run::<rows::Request>(&*db, &faulty, seed).await;
        run::<cells::Request>(&*db, &faulty, seed).await;
        run::<columns::Request>(&*db, &faulty, seed).await;
    }
}

#[tokio::test]
async fn the_server_adds_each_event_once_on_a_server() {
    for seed in 100..106 {
        let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
        let faulty = FaultyBackend::new(Arc::clone(&memory), seed, faults()).unwrap();
        let options = ServerOptions::default();
        let server = Server::bind("127.0.0.1:0", faulty.handle(), &options);
        let server = server.await.unwrap();
        let settings = GrpcSettings::new("added", "i").emulator(server.local_addr().to_string());
        let serving = tokio::spawn(server.serve());
        let client = GrpcBackend::new(&settings.repeat_adds()).unwrap();
        run::<rows::Request>(&*memory, &client, seed).await;
        run::<cells::Request>(&*memory, &client, seed).await;
        run::<columns::Request>(&*memory, &client, seed).await;
        serving.abort();
    }
}

/// The emulator keeps no tokens, and loses no answer. Of what is added to a minimum or a maximum it
/// takes the last.
async fn run_on_emulator<T: Hit>(db: &dyn Backend, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let events = written::<T>(db, db, &mut rng).await;
    for (table, length) in T::TABLES {
        let sums = |(start, host, count, sum, ..): PlainBucket| (start, host, count, sum);
        let found = stored::<T>(db, table).await.into_iter().map(sums);
        let wanted = buckets(&events, length).into_iter().map(sums);
        assert_eq!(found.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
    }
    let all = T::asked(&HOSTS, START, START + 4_000 * MINUTE);
    recount::<T::Traffic, _>(&all, db).await.unwrap();
    check_tables::<T>(db, &events).await;
    check_windows::<T>(db, &events, &mut rng).await;
}

#[tokio::test]
async fn the_server_adds_each_event_once_on_the_emulator() {
    if let Some(emulator) = Emulator::shared() {
        for seed in 200..204 {
            let settings = GrpcSettings::new("added", format!("i-{seed}"));
            let client = GrpcBackend::new(&settings.emulator(emulator.address())).unwrap();
            assert!(!client.keeps_tokens());
            run_on_emulator::<rows::Request>(&client, seed).await;
            run_on_emulator::<cells::Request>(&client, seed).await;
            run_on_emulator::<columns::Request>(&client, seed).await;
        }
    }
}

fn one(millis: i64, bytes: i64) -> Plain {
    Plain {
        host: "a".to_owned(),
        millis: START + millis,
        bytes,
        took: None,
    }
}

/// An event that is inserted again is the same one.
#[tokio::test]
async fn an_event_that_comes_again_is_added_once() {
    let db = MemoryBackend::new();
    db.ensure_tables::<rows::Request>().await.unwrap();
    let events = [one(0, 5), one(1, 6)];
    for event in events.iter().chain(&events) {
        db.insert(&rows::Request::of(event)).await.unwrap();
    }
    check_tables::<rows::Request>(&db, &events).await;
}

/// A write of an event that fails has added nothing.
#[tokio::test]
async fn nothing_is_added_without_its_event() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    db.ensure_tables::<rows::Request>().await.unwrap();
    let lost = Status::new(Code::Internal, "lost");
    for fault in [Fault::LoseAnswer(lost.clone()), Fault::Error(lost)] {
        let rule = FaultRule::new(fault).table("REQUEST");
        let faulty = FaultyBackend::new(Arc::clone(&db), 1, vec![rule]).unwrap();
        let event = rows::Request::of(&one(0, 5));
        let error = faulty.insert(&event).await.unwrap_err();
        assert!(matches!(error, Error::Backend { .. }), "{error}");
        let outcome = faulty.insert_many(&[event]).await;
        assert_eq!(outcome.failed().len(), 1);
        check_tables::<rows::Request>(&*db, &[]).await;
    }
}

/// Hides that the backend keeps tokens.
#[derive(Debug, Clone)]
struct Untold(Arc<dyn Backend>);

impl bigtable_model::backend::Wrapper for Untold {
    fn inner(&self) -> &dyn Backend {
        &*self.0
    }

    fn keeps_tokens(&self) -> bool {
        false
    }
}

/// Without tokens what is added goes out once, whatever becomes of the answer; events are counted
/// anew on demand.
#[tokio::test]
async fn without_tokens_nothing_is_counted_twice() {
    let lost = || Status::new(Code::Unavailable, "lost");
    for (fault, is_added) in [
        (Fault::LoseAnswer(lost()), true),
        (Fault::Error(lost()), false),
    ] {
        let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
        db.ensure_tables::<rows::Request>().await.unwrap();
        let rule = FaultRule::new(fault).table("HOUR");
        let faulty = FaultyBackend::new(Arc::clone(&db), 1, vec![rule]).unwrap();
        let untold = Untold(faulty.handle());
        let event = one(0, 5);
        let error = untold.insert(&rows::Request::of(&event)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "table REQUEST: host=a at=2024-11-01T00:00:00Z was written, and may be missing in the roll-up in table HOUR: \
             without tokens it is not sent again, `rollup::recount` makes the roll-up right"
        );
        assert_eq!((error.table(), error.is_retryable()), ("REQUEST", false));
        let Error::NotAdded(missing) = error else {
            unreachable!();
        };
        assert!(!missing.has_tokens());
        assert!(missing.send_again(&*db).await.is_err());
        let hours = rows::Request::asked(&HOSTS, START, START + 60 * MINUTE);
        let hours = hours.resolution::<rows::Minute>(every(Duration::from_secs(3_600)));
        let found = hours.fetch(&*db).await.unwrap();
        assert_eq!(found.len(), usize::from(is_added));

        let asked = rows::Request::asked(&HOSTS, START, START + MINUTE);
        assert_eq!(recount::<rows::Minute, _>(&asked, &*db).await.unwrap(), 3);
        check_tables::<rows::Request>(&*db, &[event]).await;
    }
}

/// Buckets are counted anew, and those go that hold no event any more.
#[tokio::test]
async fn buckets_are_counted_anew() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    db.ensure_tables::<cells::Request>().await.unwrap();
    let events = events(0, &mut Rng::with_seed(7));
    let stored: Vec<_> = events.iter().map(cells::Request::of).collect();
    db.insert_many(&stored).await.into_result().unwrap();

    // The first hour of one host goes past the model, and the table of hours with it.
    let gone = |one: &&Plain| one.host == "a" && one.millis < START + 60 * MINUTE;
    assert!(events.iter().any(|one| gone(&one)));
    let key = cells::RequestKey {
        host: "a".to_owned(),
        at: Timestamp::from_millis(START),
    };
    let row = RowDeletion::Prefix(key.encode().unwrap().into());
    db.drop_rows("CREQUEST", row).await.unwrap();
    db.drop_rows("CHOUR", RowDeletion::All).await.unwrap();
    let left: Vec<_> = events.iter().filter(|one| !gone(one)).cloned().collect();

    let all = cells::Request::asked(&HOSTS, START, START + 4_000 * MINUTE);
    recount::<cells::Minute, _>(&all, &*db).await.unwrap();
    check_tables::<cells::Request>(&*db, &left).await;
}

#[test]
fn words_tell_what_the_server_adds() {
    let asked = rows::Request::asked(&["a"], START, START + 90 * MINUTE);
    let hours = asked.resolution::<rows::Minute>(every(Duration::from_secs(3_600)));
    assert_eq!(
        hours.explain().unwrap().to_string(),
        "windows of 3600 seconds\n\
         HOUR, buckets of 3600 seconds that the server adds: from 2024-11-01T00:00:00Z, before 2024-11-01T01:00:00Z\n\
         MINUTE, buckets of 60 seconds that the server adds: from 2024-11-01T01:00:00Z, before 2024-11-01T01:30:00Z\n"
    );
    let rolled = rows::Request::SCHEMA.rollups[0];
    assert!(rolled.is_added() && rows::Request::SCHEMA.append_only);
    let families = rolled.schema().families();
    assert_eq!(
        families.into_iter().collect::<Vec<_>>(),
        ["MAX", "MIN", "SUM"]
    );
}

/// A copy may write an event twice.
#[tokio::test]
async fn a_copy_does_not_add() {
    use bigtable_model::copy::{CopyError, CopyJob};

    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    db.ensure_tables::<rows::Request>().await.unwrap();
    let asked = cells::Request::asked(&HOSTS, START, START + 1);
    let job = CopyJob::filter_map(&asked, |_: cells::Request| None::<rows::Request>);
    let error = job.run(&*db).await.unwrap_err();
    assert!(
        matches!(&error, CopyError::Added { table, rollup } if table == "REQUEST" && rollup == "Minute"),
        "{error}"
    );
    let spare = job.into_table("SPARE").without_verification();
    db.ensure_tables::<cells::Request>().await.unwrap();
    spare.run(&*db).await.unwrap();
}
