//! Random writes, deletes and queries while rows are packed, unpacked and packed again: each event
//! is returned once, none is lost, none reappears. The expected events are plain values.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bigtable_model::backend::faults::FaultyBackend;
use bigtable_model::packed::{self, PackJob};
use bigtable_model::{Backend, BackendExt as _, Error, MemoryBackend, former};
use bigtable_model_tests::runs::nightly;
use fastrand::Rng;

use crate::kinds::{InCells, InColumns, Kind, Local, Salted};
use crate::versions::{InCellsNow, InColumnsNow};
use crate::world::{self, Ask, Change, Event, Events, METERS};

/// The number of rounds of a model in memory.
fn rounds() -> u64 {
    nightly(96, 4)
}

/// What is stored.
#[derive(Default)]
struct Stored {
    events: Events,
    /// Columns of times without an event: updates of missing events write them.
    orphans: Events,
}

/// How often a job was killed.
static KILLS: AtomicU64 = AtomicU64::new(0);

/// One step: a write, or a job.
async fn step<K: Kind>(db: &dyn Backend, stored: &mut Stored, rng: &mut Rng) {
    let Stored { events, orphans } = stored;
    let known: Vec<_> = events.keys().cloned().collect();
    let (meter, at) = match known.is_empty() || rng.u8(0..3) == 0 {
        true => (
            METERS[rng.usize(..METERS.len())].to_owned(),
            world::time(rng),
        ),
        false => known[rng.usize(..known.len())].clone(),
    };
    let identity = (meter.clone(), at);
    let key = K::key_of(&meter, at);
    let is_united = K::SCHEMA.former.is_some();
    match rng.u8(0..26) {
        // A condition would be on one layout alone.
        14..17 if is_united => {}
        21 if is_united => {
            let failing = world::failing(db, rng);
            if let Err(error) = former::copy::<K>(&failing).await {
                assert!(matches!(error, Error::Backend { .. }), "{error:?}");
                KILLS.fetch_add(1, Ordering::Relaxed);
            }
        }
        22 if is_united && rng.u8(0..4) == 0 => {
            former::copy::<K>(db).await.unwrap();
            former::finish::<K>(db).await.unwrap();
        }
        0..6 => {
            let event = world::event(rng, &meter, at);
            db.insert(&K::of(&event)).await.unwrap();
            orphans.remove(&identity);
            events.insert(identity, event);
        }
        6..9 => {
            let many: Vec<_> = (0..rng.usize(1..12))
                .map(|_| {
                    let at = world::time(rng);
                    world::event(rng, &meter, at)
                })
                .collect();
            // Events of one row in one request are written in any order.
            let one_each: Events = many.into_iter().map(|one| (one.identity(), one)).collect();
            let outcome = db.insert_many(one_each.values().map(K::of)).await;
            outcome.into_result().unwrap();
            orphans.retain(|identity, _| !one_each.contains_key(identity));
            events.extend(one_each);
        }
        9..11 => {
            db.delete::<K>(&key).await.unwrap();
            events.remove(&identity);
            orphans.remove(&identity);
        }
        11..14 => {
            let change = world::change(rng);
            db.send(K::change(&key, &change)).await.unwrap();
            // The column that marks events makes an event of the columns written before.
            if matches!(change, Change::Watts(_)) && !events.contains_key(&identity) {
                let orphan = orphans.remove(&identity);
                let event = orphan.unwrap_or_else(|| Event::new(&meter, at));
                events.insert(identity.clone(), event);
            }
            match events.get_mut(&identity) {
                Some(event) => event.changed(&change),
                None => {
                    let orphan = orphans.entry(identity);
                    orphan
                        .or_insert_with(|| Event::new(&meter, at))
                        .changed(&change);
                }
            }
        }
        14 => {
            let event = world::event(rng, &meter, at);
            let inserted = db.insert_if_absent(&K::of(&event)).await.unwrap();
            // Columns without an event are protected too.
            let is_orphan = orphans.get(&identity).is_some_and(|one| !one.is_bare());
            assert_eq!(inserted, !events.contains_key(&identity) && !is_orphan);
            if !inserted {
                return;
            }
            orphans.remove(&identity);
            events.entry(identity).or_insert(event);
        }
        15 => {
            let (state, change) = (world::state(rng), world::change(rng));
            let sent = db.send_if(K::change(&key, &change), K::is_in(&state)).await;
            let has_state = |one: &Event| one.state.as_ref() == Some(&state);
            let is_in = events.get(&identity).or_else(|| orphans.get(&identity));
            let is_in = is_in.is_some_and(has_state);
            assert_eq!(sent.unwrap(), is_in);
            if is_in && matches!(change, Change::Watts(_)) {
                events.extend(orphans.remove_entry(&identity));
            }
            for stored in [events, orphans] {
                if let Some(event) = stored.get_mut(&identity).filter(|_| is_in) {
                    event.changed(&change);
                }
            }
        }
        16 => {
            let state = world::state(rng);
            let deleted = db.delete_if::<K>(&key, K::is_in(&state)).await.unwrap();
            let is_in = events.get(&identity).or_else(|| orphans.get(&identity));
            let is_in = is_in.is_some_and(|one| one.state == Some(state));
            assert_eq!(deleted, is_in);
            if is_in {
                events.remove(&identity);
                orphans.remove(&identity);
            }
        }
        17 => {
            K::without_turns(db, &key).await;
            for stored in [events, orphans] {
                if let Some(event) = stored.get_mut(&identity) {
                    event.turns = None;
                }
            }
        }
        18 => {
            let times = Ask::draw(rng).times;
            K::deleted(db, &meter, times.clone()).await;
            events.retain(|(one, at), _| *one != meter || !times.contains(at));
        }
        24..26 => {
            let mut many = Events::new();
            for _ in 0..rng.usize(1..20) {
                let meter = METERS[rng.usize(..METERS.len())];
                let at = world::time(rng);
                many.insert((meter.to_owned(), at), world::event(rng, meter, at));
            }
            let failing = match rng.u8(0..4) {
                0 => world::failing(db, rng),
                _ => FaultyBackend::new(db.handle(), 0, Vec::new()).unwrap(),
            };
            let written = packed::insert(&failing, many.values().map(K::of));
            if let Err(error) = written.await.unwrap().into_result() {
                assert!(matches!(error, Error::Backend { .. }), "{error:?}");
                KILLS.fetch_add(1, Ordering::Relaxed);
                let again = packed::insert(db, many.values().map(K::of)).await.unwrap();
                assert_eq!(again.into_result().unwrap(), many.len() as u64);
            }
            orphans.retain(|identity, _| !many.contains_key(identity));
            events.extend(many);
        }
        19 => {
            PackJob::new(K::SCHEMA).unwrap().unpack(db).await.unwrap();
        }
        20 => {
            let failing = world::failing(db, rng);
            let job = PackJob::new(K::SCHEMA).unwrap();
            let ended = match rng.u8(0..3) {
                0 => job.unpack(&failing).await,
                _ => job.run(&failing).await,
            };
            if let Err(error) = ended {
                assert!(matches!(error, Error::Backend { .. }), "{error:?}");
                KILLS.fetch_add(1, Ordering::Relaxed);
            }
        }
        _ => {
            let report = PackJob::new(K::SCHEMA).unwrap().run(db).await.unwrap();
            assert_eq!(
                (report.refused, report.unsettled, report.contended),
                (0, 0, 0)
            );
        }
    }
}

async fn check<K: Kind>(db: &dyn Backend, events: &Events, rng: &mut Rng) {
    let ask = Ask::draw(rng);
    assert_eq!(
        K::asked(db, ask.clone()).await,
        ask.answered(events),
        "{ask:?}"
    );
    let keys: Vec<_> = (0..4)
        .map(|_| {
            (
                METERS[rng.usize(..METERS.len())].to_owned(),
                world::time(rng),
            )
        })
        .collect();
    let wanted: Vec<_> = keys.iter().map(|key| events.get(key).cloned()).collect();
    let keys: Vec<K::Key> = keys
        .iter()
        .map(|(meter, at)| K::key_of(meter, *at))
        .collect();
    let found = db.get_many::<K>(&keys).await.unwrap();
    let found: Vec<_> = found.into_iter().map(|one| one.map(K::event)).collect();
    assert_eq!(found, wanted);
    let first = db.get::<K>(&keys[0]).await.unwrap();
    assert_eq!(first.map(K::event), wanted[0]);
}

async fn round<K: Kind>(db: &dyn Backend, seed: u64, steps: usize) {
    let mut rng = Rng::with_seed(seed);
    let mut stored = Stored::default();
    if K::SCHEMA.former.is_some() {
        for _ in 0..30 {
            let meter = METERS[rng.usize(..METERS.len())];
            let at = world::time(&mut rng);
            let event = world::event(&mut rng, meter, at);
            stored.events.insert(event.identity(), event);
        }
    }
    K::begun(db, &stored.events).await;
    for _ in 0..steps {
        step::<K>(db, &mut stored, &mut rng).await;
        check::<K>(db, &stored.events, &mut rng).await;
    }
}

async fn in_memory<K: Kind>() {
    for seed in 0..rounds() {
        round::<K>(&MemoryBackend::new(), seed, 60).await;
    }
}

#[tokio::test]
async fn in_memory_and_killed() {
    in_memory::<InCells>().await;
    in_memory::<InColumns>().await;
    in_memory::<Salted>().await;
    in_memory::<Local>().await;
    in_memory::<InCellsNow>().await;
    in_memory::<InColumnsNow>().await;
    let kills = KILLS.load(Ordering::Relaxed);
    println!("{kills} kills");
    assert!(kills >= 11 * rounds(), "{kills}");
}

#[tokio::test]
async fn on_servers() {
    for (name, db) in world::backends("oracle").await {
        println!("{name}");
        let db: Arc<dyn Backend> = db;
        for seed in 0..rounds().div_ceil(32) {
            round::<InCells>(&*db, seed, 40).await;
            round::<InColumns>(&*db, seed, 40).await;
            round::<Local>(&*db, seed, 40).await;
            round::<InCellsNow>(&*db, seed, 40).await;
            round::<InColumnsNow>(&*db, seed, 40).await;
        }
    }
}
