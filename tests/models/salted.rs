//! What a salted query reads and holds, counted in the backend.

use std::sync::atomic::Ordering;

use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};

use crate::watched::Watched;

const SHARDS: usize = 64;
const EVENTS: u32 = 100_000;

/// A tick of a series that is too large for one node.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TICK", family = "T", salt(shards = 64, of(source, at)))]
struct Tick {
    #[bigtable(key)]
    source: u8,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    number: u32,
}

async fn filled() -> Watched {
    let db = MemoryBackend::new();
    db.ensure_tables::<Tick>().await.unwrap();
    let numbers: Vec<u32> = (0..EVENTS).collect();
    for numbers in numbers.chunks(10_000) {
        let ticks: Vec<_> = numbers
            .iter()
            .map(|&number| Tick {
                source: 1,
                at: Timestamp::from_millis(1_426_535_612_000 + i64::from(number)),
                number,
            })
            .collect();
        db.insert_many(&ticks).await.into_result().unwrap();
    }
    Watched::new(db)
}

/// Reads the newest `n`: the numbers of the ticks, the delivered rows, and the maximum number of
/// rows delivered before their events were returned.
async fn newest(db: &Watched, n: u64) -> (Vec<u32>, usize, usize) {
    db.rows.store(0, Ordering::Relaxed);
    db.reads.store(0, Ordering::Relaxed);
    let mut ticks = db.stream(&Tick::query().source(1).events().newest_first().limit(n));
    let (mut numbers, mut held) = (Vec::new(), 0);
    while let Some(tick) = ticks.try_next().await.unwrap() {
        // The current one was delivered too.
        held = held.max(db.rows.load(Ordering::Relaxed) - numbers.len());
        numbers.push(tick.number);
    }
    (numbers, db.rows.load(Ordering::Relaxed), held)
}

#[tokio::test]
async fn the_newest_of_many_over_64_shards_are_few_rows() {
    let db = filled().await;
    let (numbers, rows, held) = newest(&db, 10).await;
    let last: Vec<u32> = (EVENTS - 10..EVENTS).rev().collect();
    assert_eq!(numbers, last);
    assert_eq!(db.reads.load(Ordering::Relaxed), SHARDS);
    assert!(rows <= 10 * SHARDS, "{rows} rows were read");
    assert!(held <= SHARDS, "{held} rows were held");

    let latest = db
        .fetch(&Tick::query().source(1).events().newest_first().limit(10))
        .await
        .unwrap();
    let latest: Vec<_> = latest.iter().map(|tick| tick.number).collect();
    assert_eq!(latest, last);
}
