//! Random writes, deletes and jobs, checked against plain values, whatever the layout: `Host` is
//! the parent module's.

use std::collections::BTreeMap;

use bigtable_model::dynamic::AnyQuery;
use bigtable_model::packed::{self, PackJob};
use bigtable_model::{
    Backend, BackendExt as _, Error, MemoryBackend, Model, Projection, Timestamp,
};
use fastrand::Rng;

use super::{Host, MARKED, Marked, TABLE};
use crate::kinds::emptied;
use crate::world;

/// Two of the columns.
#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = Host)]
struct User {
    at: Timestamp,
    #[bigtable(of = cpu)]
    user: Option<f64>,
    #[bigtable(of = disk, column = "z")]
    last: Option<i64>,
}

const HOSTS: [&str; 2] = ["a", "b"];
const CPU: [&str; 3] = ["user", "sys", "caf\u{e9}"];
const DISK: [&str; 4] = ["", "b", "sp", "z"];

/// What is stored.
type Hosts = BTreeMap<(String, Timestamp), Host>;

fn place(host: &Host) -> (String, Timestamp) {
    (host.host.clone(), host.at)
}

fn some<V>(names: &[&str], rng: &mut Rng, value: impl Fn(&mut Rng) -> V) -> BTreeMap<String, V> {
    let mut drawn = BTreeMap::new();
    for name in names {
        if rng.bool() {
            drawn.insert((*name).to_owned(), value(rng));
        }
    }
    drawn
}

fn host(rng: &mut Rng) -> Host {
    Host {
        host: HOSTS[rng.usize(..HOSTS.len())].to_owned(),
        at: world::time(rng),
        up: rng.bool(),
        cpu: some(&CPU, rng, |rng| f64::from(rng.u8(..)) / 4.0),
        disk: some(&DISK, rng, |rng| rng.i64(..)),
        spare: rng.bool().then(|| rng.i64(..)),
        first: rng.bool().then(|| world::state(rng)),
    }
}

/// An insert replaces the declared columns of an event, and leaves others that it does not name.
fn insert(hosts: &mut Hosts, host: Host) {
    let place = place(&host);
    let mut merged = host;
    if let Some(known) = hosts.remove(&place) {
        let (cpu, disk) = (known.cpu.into_iter(), known.disk.into_iter());
        for (name, value) in cpu {
            merged.cpu.entry(name).or_insert(value);
        }
        for (name, value) in disk {
            merged.disk.entry(name).or_insert(value);
        }
    }
    hosts.insert(place, merged);
}

/// One step: a write, a delete, or a job.
async fn step(db: &dyn Backend, hosts: &mut Hosts, rng: &mut Rng) {
    let db = db.handle();
    let known: Vec<_> = hosts.values().cloned().collect();
    match (rng.u8(0..16), rng.choice(&known)) {
        (0..3, _) => {
            let host = host(rng);
            db.insert(&host).await.unwrap();
            insert(hosts, host);
        }
        (3..6, _) => {
            let many: Vec<_> = (0..rng.usize(1..12)).map(|_| host(rng)).collect();
            let many: Hosts = many.into_iter().map(|one| (place(&one), one)).collect();
            let many: Vec<_> = many.into_values().collect();
            let outcome = match rng.bool() {
                true => db.insert_many(&many).await,
                false => packed::insert(&*db, many.clone()).await.unwrap(),
            };
            outcome.into_result().unwrap();
            many.into_iter().for_each(|one| insert(hosts, one));
        }
        (6, Some(one)) => {
            let cpu = some(&CPU, rng, |rng| f64::from(rng.u8(..)));
            let spare = rng.bool().then(|| rng.bool().then_some(7));
            let update = Host::update(&one.key()).cpu(cpu.clone());
            let one = hosts.get_mut(&place(one)).unwrap();
            match spare {
                Some(spare) => {
                    db.send(update.spare(spare)).await.unwrap();
                    one.spare = spare;
                }
                // Nothing but columns of the map.
                None if !cpu.is_empty() => db.send(update).await.unwrap(),
                None => return,
            }
            one.cpu.extend(cpu);
        }
        (7..9, Some(one)) => {
            let name = DISK[rng.usize(..DISK.len())];
            let key = one.key();
            db.delete_cell(&key, Host::FIELDS.disk.entry(name))
                .await
                .unwrap();
            hosts.get_mut(&place(one)).unwrap().disk.remove(name);
        }
        (9, Some(one)) => {
            db.delete::<Host>(&one.key()).await.unwrap();
            hosts.remove(&place(one));
        }
        (10, Some(one)) => {
            let until = one.at;
            let query = Host::query().host(one.host.clone()).at(..=until);
            let gone: Vec<_> = known
                .iter()
                .filter(|other| other.host == one.host && other.at <= until)
                .collect();
            let deleted = db.delete_all(&query).await.into_result().unwrap();
            assert_eq!(deleted, gone.len() as u64);
            gone.into_iter()
                .for_each(|one| drop(hosts.remove(&place(one))));
        }
        (number, _) => {
            let job = PackJob::new(Host::SCHEMA).unwrap();
            let failing = world::failing(&*db, rng);
            let ended = match number {
                11 => job.unpack(&*db).await,
                12 => job.run(&failing).await,
                13 => job.unpack(&failing).await,
                _ => job.run(&*db).await,
            };
            match ended {
                Ok(report) => assert_eq!((report.refused, report.contended), (0, 0)),
                Err(error) => assert!(matches!(error, Error::Backend { .. }), "{error:?}"),
            }
            if number > 13 {
                assert_eq!(job.backlog(&*db).await.unwrap().rows, 0);
                let rows = world::rows(&*db, TABLE).await;
                let mut cells = rows.iter().flat_map(|row| &row.cells);
                assert!(cells.all(|cell| cell.family == "_packed"), "{rows:?}");
            }
        }
    }
}

async fn check(db: &dyn Backend, hosts: &Hosts) {
    let db = db.handle();
    for host in HOSTS {
        let query = Host::query().host(host);
        let wanted: Vec<_> = hosts.values().filter(|one| one.host == host).collect();
        let found = db.fetch(&query).await.unwrap();
        assert!(
            found.iter().eq(wanted.iter().copied()),
            "{found:#?}\n{wanted:#?}"
        );
        let users = db.fetch(&query.clone().events().select::<User>()).await;
        let of_wanted = wanted.iter().map(|one| User {
            at: one.at,
            user: one.cpu.get("user").copied(),
            last: one.disk.get("z").copied(),
        });
        assert_eq!(users.unwrap(), of_wanted.collect::<Vec<_>>());
        let batch = db.fetch(&AnyQuery::by_column(&query)).await.unwrap();
        assert_eq!(batch.len(), wanted.len());
        for (event, one) in batch.events().zip(&wanted) {
            let text = event.to_string();
            let named =
                |family, name: &String| format!("{family}:{}=", name.as_bytes().escape_ascii());
            let cpu = one.cpu.keys().map(|name| named("cpu", name));
            let disk = one.disk.keys().map(|name| named("disk", name));
            assert!(cpu.chain(disk).all(|name| text.contains(&name)), "{text}");
        }
        assert_eq!(db.count(&query).await.unwrap(), wanted.len() as u64);
        let condition =
            Host::FIELDS.disk.entry("z").within(0..).and(
                (Host::FIELDS.cpu.entry("user").is_absent()).or(Host::FIELDS.spare.is_present()),
            );
        let matching = wanted.iter().copied().filter(|one| {
            one.disk.get("z").is_some_and(|z| *z >= 0)
                && (!one.cpu.contains_key("user") || one.spare.is_some())
        });
        let found = db.fetch(&query.clone().events().matching(condition)).await;
        assert!(found.unwrap().iter().eq(matching));
        if let Some(one) = wanted.first() {
            let got = db.get::<Host>(&one.key()).await.unwrap();
            assert_eq!(got.as_ref(), Some(*one));
        }
    }
}

async fn round(db: &dyn Backend, seed: u64, steps: usize) {
    let mut rng = Rng::with_seed(seed);
    let mut hosts = Hosts::default();
    emptied::<Host>(db).await;
    for _ in 0..steps {
        step(db, &mut hosts, &mut rng).await;
        check(db, &hosts).await;
    }
}

#[tokio::test]
async fn columns_of_maps_are_packed_like_others() {
    for seed in 0..6 {
        round(&MemoryBackend::new(), seed, 150).await;
    }
    for (name, db) in world::backends("maps").await {
        println!("{name}");
        round(&*db, 100, 60).await;
    }
}

#[tokio::test]
async fn a_packed_row_has_no_cell_of_a_map() {
    let db = MemoryBackend::new();
    emptied::<Host>(&db).await;
    let mut rng = Rng::with_seed(1);
    let many: Hosts = (0..100)
        .map(|_| host(&mut rng))
        .map(|one| (place(&one), one))
        .collect();
    db.insert_many(many.values().cloned())
        .await
        .into_result()
        .unwrap();
    let report = PackJob::new(Host::SCHEMA).unwrap().run(&db).await.unwrap();
    assert_eq!(report.events, many.len() as u64);
    for row in world::rows(&db, TABLE).await {
        let families: Vec<_> = row.cells.iter().map(|cell| &*cell.family).collect();
        assert_eq!(families, ["_packed", "_packed"]);
    }
    check(&db, &many).await;
}

#[tokio::test]
async fn an_event_stays_without_any_column_but_its_mark() {
    for (name, db) in world::backends("marked").await {
        println!("{name}");
        emptied::<Marked>(&*db).await;
        let cpu = [("sys", 1), ("user", 2)].map(|(name, value)| (name.to_owned(), value));
        let mut event = Marked {
            host: "a".to_owned(),
            at: world::at(0),
            note: Some("new".to_owned()),
            cpu: cpu.into(),
        };
        let key = event.key();
        db.insert(&event).await.unwrap();
        let job = PackJob::new(Marked::SCHEMA).unwrap();
        for round in 0..3 {
            assert_eq!(job.run(&*db).await.unwrap().changed, 1);
            assert_eq!(db.get(&key).await.unwrap().as_ref(), Some(&event));
            match round {
                0 => {
                    let entry = db.delete_cell(&key, Marked::FIELDS.cpu.entry("user"));
                    entry.await.unwrap();
                    event.cpu.remove("user");
                }
                1 => {
                    db.send(Marked::update(&key).note(None)).await.unwrap();
                    event.note = None;
                }
                _ => {
                    db.delete::<Marked>(&key).await.unwrap();
                    assert_eq!(db.get::<Marked>(&key).await.unwrap(), None);
                    continue;
                }
            }
            assert_eq!(db.get(&key).await.unwrap().as_ref(), Some(&event));
        }
        assert_eq!(job.run(&*db).await.unwrap().changed, 1);
        assert!(world::rows(&*db, MARKED).await.is_empty());
    }
}

/// Columns without an event protect their place, as in rows that are not packed.
#[tokio::test]
async fn a_column_of_a_map_is_a_column() {
    for (name, db) in world::backends("absent").await {
        println!("{name}");
        emptied::<Host>(&*db).await;
        let host = Host {
            cpu: BTreeMap::new(),
            ..host(&mut Rng::with_seed(5))
        };
        let user = BTreeMap::from([("user".to_owned(), 1.0)]);
        let update = Host::update(&host.key()).cpu(user.clone());
        db.send(update).await.unwrap();
        let job = PackJob::new(Host::SCHEMA).unwrap();
        for _ in 0..2 {
            assert!(!db.insert_if_absent(&host).await.unwrap());
            assert_eq!(job.run(&*db).await.unwrap().refused, 0);
        }
        assert_eq!(db.get::<Host>(&host.key()).await.unwrap(), None);
        db.insert(&host).await.unwrap();
        let whole = Host { cpu: user, ..host };
        assert_eq!(db.get(&whole.key()).await.unwrap(), Some(whole));
    }
}

/// A name of its own for each event: few of all places are taken.
#[test]
fn many_names_are_split_over_blocks() {
    let db = MemoryBackend::new();
    let events = (0..4_000).map(|second| Host {
        host: "a".to_owned(),
        at: world::at(second),
        up: true,
        cpu: BTreeMap::from([(format!("c{second}"), 0.5)]),
        disk: BTreeMap::new(),
        spare: None,
        first: None,
    });
    let events: Vec<_> = events.collect();
    futures::executor::block_on(async {
        emptied::<Host>(&db).await;
        db.insert_many(&events).await.into_result().unwrap();
        let report = PackJob::new(Host::SCHEMA).unwrap().run(&db).await.unwrap();
        assert_eq!((report.refused, report.events), (0, 4_000));
        assert_eq!(db.fetch(&Host::query().host("a")).await.unwrap(), events);
        let rows = world::rows(&db, TABLE).await;
        assert_eq!(rows[0].cells.len(), 3, "the guard and two blocks");
    });
}
