//! A typed scan allocates for each batch of rows, not for each row.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::alloc::System;

use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
use futures::StreamExt;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[derive(Debug, Model)]
#[bigtable(table = "TICK", family = "T")]
struct Tick {
    #[bigtable(key)]
    feed: u32,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: u64,
    ask: Option<u64>,
}

const EVENTS: usize = 5_000;

/// The only test: the counts are those of the whole process.
#[tokio::test]
async fn a_scan_allocates_nothing_a_row() {
    let db = MemoryBackend::new();
    db.ensure_table::<Tick>().await.unwrap();
    let ticks: Vec<_> = (0..EVENTS)
        .map(|number| Tick {
            feed: 1,
            at: Timestamp::from_millis(i64::try_from(number).unwrap()),
            bid: 5,
            ask: (number % 2 == 0).then_some(6),
        })
        .collect();
    let written = db.insert_many(&ticks).await;
    assert_eq!(written.into_result().unwrap(), 5_000);

    let region = Region::new(ALLOCATOR);
    let mut ticks = Tick::query().feed(1).stream(&db);
    let mut count = 0;
    while let Some(tick) = ticks.next().await {
        count += usize::from(tick.unwrap().bid == 5);
    }
    let typed = region.change().allocations;
    assert_eq!(count, EVENTS);
    assert!(typed < EVENTS / 10, "{typed} allocations");
}
