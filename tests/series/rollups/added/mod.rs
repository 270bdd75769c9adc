//! Roll-ups that the server adds: after inserts by several tasks with lost answers, buckets agree
//! with the events.

mod answers;
mod models;
mod ways;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::faults::FaultyBackend;
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::rollup::{NotAdded, at_most, every, recount};
use bigtable_model::server::{Server, ServerOptions};
use bigtable_model::{Backend, BackendExt, DeadLetter, Error, InsertOutcome, MemoryBackend};
use bigtable_model_tests::emulator::Emulator;
use bigtable_model_tests::runs::nightly;
use fastrand::Rng;
use futures::future::join_all;
use futures::stream;

use super::random::faults;
use super::{spans, streamed};
use models::{Hit, Plain, PlainBucket, Traffic, cells, columns, rows};

const HOSTS: [&str; 3] = ["a", "b", "web-1"];

const MINUTE: i64 = 60_000;

/// 2024-11-01: clocks go back in New York on the 3rd.
const START: i64 = 1_730_419_200_000;

/// Events of one task; all have different identities.
fn events(task: usize, rng: &mut Rng) -> Vec<Plain> {
    let mut taken = BTreeSet::new();
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

/// Resends what may be missing until it is stored.
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

/// Inserts an event until it succeeds.
async fn insist<T: Hit>(db: &dyn Backend, event: &T, rng: &mut Rng) {
    loop {
        match db.insert(event).await {
            Ok(_) => return,
            // Either works: the same single event has the same token.
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
                let outcome = db
                    .insert_stream(stream::iter(&some))
                    .requests_in_flight(requests)
                    .unwrap()
                    .await;
                failed.extend(unwritten(&outcome));
            }
            _ => {
                let given = some.clone();
                let note = |letter: DeadLetter<T>| {
                    failed.push((letter.index, missing(&letter.error)));
                };
                let inserts = db.insert_many(given).requests_in_flight(requests);
                inserts.unwrap().give_back(note).await;
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

/// The aggregates of events in windows, by brute force.
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

/// The contents of a table of the roll-up.
async fn stored<T: Hit>(db: &dyn Backend, table: &'static str) -> Vec<PlainBucket> {
    let own = T::TABLES[0].0;
    let named = db.with_tables(move |name: &str| match name == own {
        true => table.to_owned(),
        false => name.to_owned(),
    });
    let found = named.fetch(&T::Traffic::all()).await.unwrap();
    let mut found: Vec<_> = found.iter().map(Traffic::plain).collect();
    found.sort();
    found
}

/// Every table of the roll-up agrees with the events.
async fn check_tables<T: Hit>(db: &dyn Backend, events: &[Plain]) {
    for (table, length) in T::TABLES {
        let found = stored::<T>(db, table).await;
        assert_eq!(found, buckets(events, length), "{table}");
    }
}

/// Windows of random spans agree with the events.
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
        let found = db.fetch(&windows).await.unwrap();
        let found: Vec<_> = found.iter().map(Traffic::plain).collect();
        let one_by_one = streamed(db, &windows).await.unwrap();
        let one_by_one: Vec<_> = one_by_one.iter().map(Traffic::plain).collect();
        assert_eq!(one_by_one, found, "{from}..{to} {explained}");
        let is_asked =
            |one: &&Plain| hosts.contains(&&*one.host) && (from..to).contains(&one.millis);
        let asked: Vec<_> = events.iter().filter(is_asked).cloned().collect();
        let length = explained.window.to_string();
        assert_eq!(found, buckets(&asked, &length), "{from}..{to} {explained}");
    }
}

/// Several tasks insert through `faulty`; returns their events.
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

/// Several tasks insert through `faulty`, and `db` agrees with their events.
async fn run<T: Hit>(db: &dyn Backend, faulty: &dyn Backend, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let events = written::<T>(db, faulty, &mut rng).await;
    check_tables::<T>(db, &events).await;
    check_windows::<T>(db, &events, &mut rng).await;
}

#[tokio::test]
async fn the_server_adds_each_event_once_in_memory() {
    for seed in 0..nightly(1_000, 20) {
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

/// The emulator keeps no tokens, and loses no answer. For minima and maxima it keeps the last
/// input.
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
    let recounted = recount::<T::Traffic>(&all, db).await.unwrap();
    recounted.into_result().unwrap();
    check_tables::<T>(db, &events).await;
    check_windows::<T>(db, &events, &mut rng).await;
}

#[tokio::test]
async fn the_server_adds_each_event_once_on_the_emulator() {
    if let Some(emulator) = Emulator::shared() {
        for seed in 200..204 {
            let settings = GrpcSettings::new("added", format!("i-{seed}"));
            let client = GrpcBackend::new(&settings.emulator(emulator.address())).unwrap();
            assert!(!client.capabilities().tokens);
            run_on_emulator::<rows::Request>(&client, seed).await;
            run_on_emulator::<cells::Request>(&client, seed).await;
            run_on_emulator::<columns::Request>(&client, seed).await;
        }
    }
}
