//! Random writes, deletes and queries while the copy runs and is killed: each event is returned
//! once, none is lost, none reappears. The expected events are plain values.

use std::sync::Arc;
use std::task::Poll;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, When};
use bigtable_model::data::{ReadRows, RowFilter};
use bigtable_model::{Backend, BackendExt, Code, Error, MemoryBackend, Status, former};
use bigtable_model_tests::runs::nightly;
use fastrand::Rng;
use futures::TryStreamExt as _;
use futures::future::BoxFuture;

use crate::pairs::{self, Pair, Stored};
use crate::slow::Slow;
use crate::world::{self, Ask, Events, KeyOrder};

/// The number of queries and writes in a round.
const STEPS: usize = 40;

/// The number of rounds of a pair in memory.
pub fn rounds() -> u64 {
    nightly(400, 40)
}

/// How often a finish is killed at most.
const FINISHES: usize = 20;

/// The number of rounds over gRPC.
const FEW_ROUNDS: u64 = 2;
const FEW_STEPS: usize = 15;

/// A copy or its finish, running in parallel.
type Running<'a> = BoxFuture<'a, Result<(), Error>>;

/// A backend on which a call fails, or loses its answer.
fn failing(db: &Arc<dyn Backend>, rng: &mut Rng) -> FaultyBackend {
    let status = Status::new(Code::Internal, "killed here");
    let fault = match rng.bool() {
        true => Fault::Error(status),
        false => Fault::LoseAnswer(status),
    };
    let rule = FaultRule::new(fault).when(When::Nth(rng.u64(1..12)));
    FaultyBackend::new(db.clone(), rng.u64(..), vec![rule]).unwrap()
}

/// Whether a job ended; otherwise it was killed, which is counted.
fn ended<T>(result: Result<T, Error>, kills: &mut u64) -> bool {
    match result {
        Ok(_) => true,
        Err(Error::Backend { .. }) => {
            *kills += 1;
            false
        }
        Err(error) => panic!("{error:?}"),
    }
}

async fn write<P: Pair>(db: &dyn Backend, events: &mut Events, rng: &mut Rng) {
    let known: Vec<_> = events.keys().cloned().collect();
    let identity = match known.is_empty() || rng.u8(0..4) == 0 {
        true => world::identity(rng),
        false => known[rng.usize(..known.len())].clone(),
    };
    match rng.u8(0..8) {
        0..2 => {
            let event = world::event(rng);
            db.insert(&P::New::of(&event)).await.unwrap();
            events.insert(event.identity(), event);
        }
        2..4 => {
            db.delete::<P::New>(&P::New::key_of(&identity))
                .await
                .unwrap();
            events.remove(&identity);
        }
        4..6 => {
            // Changing a missing event would create a part of one.
            if let Some(event) = events.get_mut(&identity) {
                event.note = world::note(rng);
                let note = event.note.clone();
                P::set_note(db, &identity, note).await.unwrap();
            }
        }
        6 => {
            let times = world::times(rng);
            let is_asked = |at: i64, site: u8, sensor: &str| {
                site == world::SITE && sensor == "a" && times.contains(&at)
            };
            let deleted = P::delete_times(db, "a", times.clone()).await;
            let before = events.len();
            events.retain(|(at, site, sensor), _| !is_asked(*at, *site, sensor));
            assert_eq!(
                deleted.into_result().unwrap(),
                (before - events.len()) as u64
            );
        }
        _ => {
            let gone = [identity, world::identity(rng)];
            let keys = gone.each_ref().map(P::New::key_of);
            db.delete_many::<P::New>(&keys).await.into_result().unwrap();
            events.retain(|identity, _| !gone.contains(identity));
        }
    }
}

async fn check<P: Pair>(db: &dyn Backend, events: &Events, rng: &mut Rng, seed: u64) {
    let mut ask = world::ask(rng);
    if let Ask::Sensors { level_above, .. } | Ask::Series { level_above } = &mut ask
        && !P::COMPARES
    {
        *level_above = None;
    }
    let answer = P::answer(db, &ask).await;
    let mut answer = answer.unwrap_or_else(|error| panic!("seed {seed}: {ask:?}: {error:?}"));
    if let (KeyOrder::Salted, Ask::Site { reversed, .. }) = (P::ORDER, &ask) {
        answer.sort_by_sensor(*reversed);
    }
    let expected = ask.expected(events, P::ORDER, P::NARROWS);
    assert_eq!(answer, expected, "seed {seed}: {ask:?}");
}

/// Continues or starts a job for some steps; then it may be killed.
async fn run_beside<'a>(
    running: &mut Option<Running<'a>>,
    begin: impl Fn() -> Running<'a>,
    rng: &mut Rng,
    kills: &mut u64,
) {
    for _ in 0..rng.u8(1..20) {
        let job = running.get_or_insert_with(&begin);
        if let Poll::Ready(result) = futures::poll!(job) {
            result.unwrap();
            *running = None;
            return;
        }
        tokio::task::yield_now().await;
    }
    if rng.u8(0..3) == 0 {
        *running = None;
        *kills += 1;
    }
}

async fn round<P: Pair>(db: Arc<dyn Backend>, seed: u64, steps: usize, in_memory: bool) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let rng = &mut rng;
    let mut kills = 0;
    P::Old::ensure(&*db).await;
    P::New::ensure(&*db).await;
    let mut events = Events::new();
    for _ in 0..rng.usize(0..40) {
        let event = world::event(rng);
        db.insert(&P::Old::of(&event)).await.unwrap();
        events.insert(event.identity(), event);
    }
    let beside = Slow(db.clone()).handle();
    let mut running = None;
    for _ in 0..steps {
        match rng.u8(0..8) {
            0..3 => write::<P>(&*db, &mut events, rng).await,
            3 if in_memory => {
                let begin = || -> Running<'_> {
                    Box::pin(async { former::copy::<P::New>(&*beside).await.map(drop) })
                };
                run_beside(&mut running, begin, rng, &mut kills).await;
            }
            3 => {
                ended(former::copy::<P::New>(&failing(&db, rng)).await, &mut kills);
            }
            4 => {
                ended(former::copy::<P::New>(&failing(&db, rng)).await, &mut kills);
            }
            _ => check::<P>(&*db, &events, rng, seed).await,
        }
    }
    drop(running);
    former::copy::<P::New>(&*db).await.unwrap();
    // The former layout is no longer written: the finish may be killed too, during reads. With many
    // tables it makes more calls than a fault waits for, and is killed each time.
    for _ in 0..FINISHES {
        let finished = former::finish::<P::New>(&failing(&db, rng)).await;
        if ended(finished, &mut kills) {
            break;
        }
        check::<P>(&*db, &events, rng, seed).await;
        write::<P>(&*db, &mut events, rng).await;
    }
    former::finish::<P::New>(&*db).await.unwrap();
    check::<P>(&*db, &events, rng, seed).await;
    assert_eq!(P::Old::all(&*db).await.unwrap().len(), 0, "seed {seed}");
    assert_eq!(tombstones(&*db).await, 0, "seed {seed}");
    let plain = P::Plain::all(&*db)
        .await
        .unwrap()
        .into_iter()
        .map(Stored::event);
    let plain: Events = plain.map(|event| (event.identity(), event)).collect();
    assert_eq!(plain, events, "seed {seed}");
    for table in db.tables().list().await.unwrap() {
        db.tables().delete(&table).await.unwrap();
    }
    kills
}

async fn tombstones(db: &dyn Backend) -> usize {
    let mut found = 0;
    for table in db.tables().list().await.unwrap() {
        if table.starts_with("SAMPLE_V2") {
            let rows = db
                .read_rows(ReadRows {
                    table,
                    filter: Some(RowFilter::FamilyRegex("_deleted".to_owned())),
                    ..ReadRows::default()
                })
                .rows();
            found += rows.try_collect::<Vec<_>>().await.unwrap().len();
        }
    }
    found
}

pub async fn in_memory<P: Pair>() -> u64 {
    let mut kills = 0;
    for seed in 0..rounds() {
        kills += round::<P>(Arc::new(MemoryBackend::new()), seed, STEPS, true).await;
    }
    kills
}

/// On a server, or in memory as one.
pub async fn over_calls<P: Pair>(db: &Arc<dyn Backend>) {
    for seed in 0..FEW_ROUNDS {
        round::<P>(db.clone(), seed, FEW_STEPS, false).await;
    }
}

macro_rules! every_pair {
    ($callback:ident) => {
        $callback!(row_to_cells cells_to_row row_to_row json_to_columns columns_to_wider);
        $callback!(swapped_to_row reversed_to_cells weeks_to_row row_to_salted salted_to_row hot_to_hotter);
    };
}

#[tokio::test]
async fn killed_at_a_thousand_points() {
    let mut kills = 0;
    macro_rules! run {
        ($($pair:ident)*) => {$(
            kills += in_memory::<pairs::$pair::Both>().await;
        )*};
    }
    every_pair!(run);
    assert!(kills >= 1_000, "{kills}");
}

#[tokio::test]
async fn on_servers() {
    for db in world::backends("oracle").await {
        macro_rules! run {
            ($($pair:ident)*) => {$(
                over_calls::<pairs::$pair::Both>(&db).await;
            )*};
        }
        every_pair!(run);
    }
}
