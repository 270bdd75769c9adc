//! Heat maps: keys that are computed and counted, compared with the same keys only computed; and
//! what a recorder costs for a row that is written and read, compared with the same backend without
//! one.
//!
//! `cargo bench -p bigtable-model-tests --bench heat`
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may panic"
)]

mod support;

use std::sync::Arc;
use std::time::Duration;

use bigtable_load::{Load, Rate, Recorder, Sizes, Writes};
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use support::{compare, timed, way};
use tokio::runtime::Builder;

#[derive(Debug, Clone, Model)]
#[bigtable(table = "BATTERY", family = "B", salt(shards = 64, of(vehicle)))]
struct Battery {
    #[bigtable(key)]
    vehicle: u64,
    #[bigtable(time, unit = "ms", truncate)]
    at: Timestamp,
    level: u8,
}

const EVENTS: u64 = 10_000_000;
const VEHICLES: u64 = 10_000;
const ROWS: u64 = 500_000;
const WEEK: u64 = 7 * 86_400;

fn battery(vehicle: u64, at: Timestamp) -> Battery {
    Battery {
        vehicle,
        at,
        level: 80,
    }
}

fn time(second: u64) -> Timestamp {
    Timestamp::UNIX_EPOCH.saturating_add(Duration::from_secs(1_426_464_000 + second))
}

fn main() {
    simulated();
    recorded();
}

fn simulated() {
    let rate = Rate::every(Duration::from_secs(WEEK)).times(EVENTS);
    let writes = Writes::of(Sizes::equal(VEHICLES), rate, battery);
    let load = Load::over(time(0)..time(WEEK)).writes(writes);
    compare(
        "an event of a week of 10,000,000",
        10_000_000,
        3,
        [
            way("counted in a heat map", || timed(|| load.heat().unwrap())),
            way("computed alone", || {
                timed(|| {
                    let (mut key, mut bytes) = (Vec::new(), 0);
                    for event in 0..EVENTS {
                        key.clear();
                        let event = battery(event % VEHICLES, time(event / (EVENTS / WEEK)));
                        event.encode_key(&mut key).unwrap();
                        bytes += key.len();
                    }
                    bytes
                })
            }),
        ],
    );
}

fn recorded() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let events: Vec<Battery> = (0..ROWS)
        .map(|row| battery(row % VEHICLES, time(row)))
        .collect();
    let write = |db: Arc<dyn Backend>| {
        runtime.block_on(db.ensure_tables::<Battery>()).unwrap();
        timed(|| runtime.block_on(async { db.insert_many(&events).await.into_result().unwrap() }))
    };
    let watched = || Recorder::new().watch(MemoryBackend::new().handle());
    compare(
        "a row of 500,000 that are written",
        500_000,
        7,
        [
            way("recorded", || write(watched())),
            way("not recorded", || write(MemoryBackend::new().handle())),
        ],
    );
    let (recorded, plain) = (watched(), MemoryBackend::new().handle());
    write(Arc::clone(&recorded));
    write(Arc::clone(&plain));
    let read = |db: &Arc<dyn Backend>| {
        timed(|| {
            runtime
                .block_on(db.count(&Battery::scan().events()))
                .unwrap()
        })
    };
    compare(
        "a row of 500,000 that are read",
        500_000,
        7,
        [
            way("recorded", || read(&recorded)),
            way("not recorded", || read(&plain)),
        ],
    );
}
