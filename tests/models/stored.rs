//! What is stored, as bytes: bulk writes store what single ones store, and rows with any bytes are
//! read without a panic.
//!
//! With `BIGTABLE_MODEL_NIGHTLY=1` 100 times as many events and rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{Mutation, ReadRows, Row, RowMutations};
use bigtable_model::server::{Instances, Server, ServerOptions};
use bigtable_model::{Backend, BackendExt, MemoryBackend};
use bigtable_model_tests::runs::nightly;
use bytes::Bytes;
use fastrand::Rng;
use futures::TryStreamExt as _;

use crate::samples::{Ask, Event, Sampled, every_layout};

const TABLE: &str = "SAMPLE";

/// An hour before a Monday on which clocks change in Berlin.
const START: i64 = 1_711_832_400_000;

fn rounds(by_day: u64) -> std::ops::Range<u64> {
    nightly(0..100 * by_day, 0..by_day)
}

fn event(rng: &mut Rng) -> Event {
    Event {
        site: rng.u8(0..2),
        sensor: ["a", "b", "bb"][rng.usize(0..3)].to_owned(),
        at: START + rng.i64(0..40) * 3_600_000 + rng.i64(-1..2),
        level: rng.i64(..),
        gain: rng.bool().then(|| rng.f64()),
        note: rng.bool().then(|| "n".repeat(rng.usize(0..4))),
    }
}

fn events(rng: &mut Rng) -> Vec<Event> {
    (0..rng.usize(0..60)).map(|_| event(rng)).collect()
}

async fn rows(db: &dyn Backend) -> Vec<Row> {
    let all = ReadRows {
        table: TABLE.to_owned(),
        ..ReadRows::default()
    };
    db.read_rows(all).rows().try_collect().await.unwrap()
}

/// Rows without times, of layouts whose cells have the time of the write.
fn timeless(mut rows: Vec<Row>) -> Vec<Row> {
    let cells = rows.iter_mut().flat_map(|row| &mut row.cells);
    cells.for_each(|cell| cell.timestamp_micros = 0);
    rows
}

fn unique(events: Vec<Event>) -> Vec<Event> {
    let events = events.into_iter().map(|one| (one.identity(), one));
    let unique: BTreeMap<_, _> = events.collect();
    unique.into_values().collect()
}

/// Writes events one by one and in bulk, here and over gRPC, and compares the tables.
async fn alike<S: Sampled>(name: &str, address: &str, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let mut events = events(&mut rng);
    let is_written = name.ends_with("_written");
    if is_written {
        // A second version of a cell may have the time of the first, or a later one.
        events = unique(events);
    }
    let single = MemoryBackend::new();
    single.ensure_tables::<S>().await.unwrap();
    for event in &events {
        single.insert(&S::of(event)).await.unwrap();
    }
    let expected = rows(&single).await;
    let settings = GrpcSettings::new("stored", format!("{name}-{seed}")).emulator(address);
    let bulk: [Arc<dyn Backend>; 2] = [
        Arc::new(MemoryBackend::new()),
        Arc::new(GrpcBackend::new(&settings).unwrap()),
    ];
    for db in bulk {
        db.ensure_tables::<S>().await.unwrap();
        let samples: Vec<S> = events.iter().map(S::of).collect();
        let written = db.insert_many(&samples).await.into_result().unwrap();
        assert_eq!(written, events.len() as u64);
        let found = rows(&*db).await;
        match is_written {
            true => assert_eq!(
                timeless(found),
                timeless(expected.clone()),
                "{name}, seed {seed}"
            ),
            false => assert_eq!(found, expected, "{name}, seed {seed}"),
        }
    }
}

#[tokio::test]
async fn bulk_writes_store_what_single_ones_store() {
    let instances = Instances::new(|_: &str| Arc::new(MemoryBackend::new()));
    let server = Server::bind("127.0.0.1:0", instances, &ServerOptions::default()).await;
    let server = server.unwrap();
    let address = server.local_addr().to_string();
    let serving = tokio::spawn(server.serve());
    for seed in rounds(2) {
        macro_rules! check {
            ($($layout:ident)*) => {$(
                alike::<crate::samples::$layout::Sample>(stringify!($layout), &address, seed).await;
            )*};
        }
        every_layout!(check);
    }
    serving.abort();
}

/// Changes some bytes, or all of them.
fn damaged(bytes: &Bytes, rng: &mut Rng) -> Bytes {
    let mut bytes = bytes.to_vec();
    match rng.u8(0..6) {
        0 => bytes.truncate(rng.usize(0..=bytes.len())),
        1 => bytes.extend((0..rng.usize(1..9)).map(|_| rng.u8(..))),
        2 => bytes = (0..rng.usize(0..40)).map(|_| rng.u8(..)).collect(),
        3 => bytes = [0xff; 20][..rng.usize(0..20)].to_vec(),
        _ => {
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(0..bytes.len().max(1));
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = rng.u8(..);
                }
            }
        }
    }
    bytes.into()
}

/// A row like one that the model wrote, with some damage.
fn damaged_row(row: &Row, rng: &mut Rng) -> RowMutations {
    let mut key = row.key.clone();
    if rng.u8(0..3) == 0 {
        key = damaged(&key, rng);
    }
    let cells = row.cells.iter().map(|cell| {
        let (mut qualifier, mut value) = (cell.qualifier.clone(), cell.value.clone());
        let mut millis = cell.timestamp_micros / 1_000;
        match rng.u8(0..6) {
            0 | 1 => value = damaged(&value, rng),
            2 => qualifier = damaged(&qualifier, rng),
            3 => millis = rng.i64(0..i64::MAX / 1_000),
            _ => {}
        }
        Mutation::SetCell {
            family: cell.family.clone(),
            qualifier,
            timestamp_micros: millis * 1_000,
            value,
        }
    });
    let mutations = cells.collect();
    RowMutations { key, mutations }
}

/// Reads damaged rows in every way: each read ends with events, or with an error that is not a
/// backend's.
async fn is_read<S: Sampled>(name: &str, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let db = MemoryBackend::new();
    db.ensure_tables::<S>().await.unwrap();
    let samples: Vec<S> = events(&mut rng).iter().map(S::of).collect();
    db.insert_many(&samples).await.into_result().unwrap();
    let rows = rows(&db).await;
    let damaged = rows.iter().map(|row| damaged_row(row, &mut rng));
    let damaged: Vec<_> = damaged.filter(|row| !row.key.is_empty()).collect();
    for row in damaged {
        // A row that is too long is refused.
        drop(db.mutate_row(TABLE, row).await);
        let times = START..START + 40 * 3_600_000;
        let asks = [
            Ask::Series(0, "a".to_owned(), times.clone()),
            Ask::Count(1, "b".to_owned(), times),
            Ask::Latest(0, vec!["a".to_owned(), "bb".to_owned()], 3),
            Ask::Site(1),
        ];
        let ask = &asks[rng.usize(0..asks.len())];
        for error in [S::answer(&db, ask).await.err(), S::all(&db).await.err()] {
            let is_of_row = error.as_ref().is_none_or(|error| {
                !error.to_string().is_empty()
                    && !matches!(error, bigtable_model::Error::Backend { .. })
            });
            assert!(is_of_row, "{name}, seed {seed}: {error:?}");
        }
    }
}

#[tokio::test]
async fn rows_with_any_bytes_are_read_or_refused() {
    for seed in rounds(6) {
        macro_rules! check {
            ($($layout:ident)*) => {$(
                is_read::<crate::samples::$layout::Sample>(stringify!($layout), seed).await;
            )*};
        }
        every_layout!(check);
    }
}
