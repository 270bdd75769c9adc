//! Queries over random layouts give what a filter of all events gives.

mod case;
mod condition;
mod delete;
#[cfg(feature = "grpc")]
#[path = "../../../../../tests/src/emulator.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
mod emulator;
mod judge;
mod world;

use std::env;
use std::sync::Arc;
#[cfg(feature = "grpc")]
use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;

use self::case::{Drawn, DrawnEvent, DrawnQuery, drawn, drawn_event};
use self::condition::query_and_condition;
use self::world::World;
use crate::MemoryBackend;
use crate::backend::Backend;
#[cfg(feature = "grpc")]
use crate::backend::grpc::{GrpcBackend, GrpcSettings};

/// How many cases run: more of them at night.
fn cases(normally: u32) -> ProptestConfig {
    let times = match env::var_os("BIGTABLE_MODEL_NIGHTLY") {
        Some(_) => 50,
        None => 1,
    };
    ProptestConfig {
        cases: normally * times,
        max_shrink_iters: 4_000,
        ..ProptestConfig::default()
    }
}

fn check(
    db: impl FnOnce() -> Arc<dyn Backend>,
    drawn: Drawn,
    events: &[DrawnEvent],
    queries: &[DrawnQuery],
) -> Result<(), TestCaseError> {
    // Some layouts are refused, as they would be in an attribute.
    let Some(schema) = drawn.schema() else {
        return Ok(());
    };
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    runtime.block_on(async {
        let world = World::new(db(), drawn, schema, events).await;
        for query in queries {
            world.check(query).await?;
        }
        match queries.last() {
            Some(query) => world.check_delete(query).await,
            None => Ok(()),
        }
    })
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn queries_give_what_filtering_all_events_gives(
        drawn in drawn(),
        events in prop::collection::vec(drawn_event(), 0..30),
        queries in prop::collection::vec(query_and_condition(), 3),
    ) {
        check(|| Arc::new(MemoryBackend::new()), drawn, &events, &queries)?;
    }
}

/// An instance of its own on Google's emulator.
#[cfg(feature = "grpc")]
fn instance(address: &str) -> Arc<dyn Backend> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("layouts-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let settings = GrpcSettings::new("queries", name).emulator(address);
    Arc::new(GrpcBackend::new(&settings).unwrap())
}

#[cfg(feature = "grpc")]
proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn the_emulator_gives_it_too(
        drawn in drawn(),
        events in prop::collection::vec(drawn_event(), 0..20),
        queries in prop::collection::vec(query_and_condition(), 2),
    ) {
        if let Some(emulator) = emulator::Emulator::shared() {
            check(|| instance(emulator.address()), drawn, &events, &queries)?;
        }
    }
}
