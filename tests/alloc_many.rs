//! Many events are read and written in batches: memory is allocated for each batch, not for each
//! event.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::alloc::System;
use std::sync::Arc;

use bigtable_model::backend::{Backend, EntryOutcome, Status, Wrapper};
use bigtable_model::data::EntryBatch;
use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
use futures::StreamExt;
use futures::future::BoxFuture;
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

/// Takes entries, and forgets them.
#[derive(Debug, Clone)]
struct Forgetful(MemoryBackend);

impl Wrapper for Forgetful {
    fn inner(&self) -> &dyn Backend {
        &self.0
    }

    fn mutate_rows<'a>(
        &'a self,
        _: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Box::pin(async move { Ok(vec![Ok(()); entries.len()]) })
    }
}

/// The only test: the counts are those of the whole process.
#[tokio::test]
async fn an_event_of_many_needs_no_memory_of_its_own() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Tick>().await.unwrap();
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

    let forgetful = Forgetful(db.clone());
    let region = Region::new(ALLOCATOR);
    let written = forgetful.insert_many(&ticks).await;
    let inserted = region.change().allocations;
    assert_eq!(written.into_result().unwrap(), 5_000);
    assert!(inserted < EVENTS / 10, "{inserted} allocations");

    let region = Region::new(ALLOCATOR);
    let mut ticks = db.stream(&Tick::query().feed(1));
    let mut count = 0;
    while let Some(tick) = ticks.next().await {
        count += usize::from(tick.unwrap().bid == 5);
    }
    let typed = region.change().allocations;
    assert_eq!(count, EVENTS);
    assert!(typed < EVENTS / 10, "{typed} allocations");
}
