//! Queries over random layouts give what a filter of all events gives.

mod case;
mod condition;
mod delete;
mod judge;
mod world;

use std::env;

use proptest::prelude::*;

use self::case::{Drawn, DrawnEvent, DrawnQuery, drawn, drawn_event};
use self::condition::query_and_condition;
use self::world::World;

/// How many cases run: more of them at night.
fn cases() -> u32 {
    match env::var_os("BIGTABLE_MODEL_NIGHTLY") {
        Some(_) => 100_000,
        None => 2_000,
    }
}

fn check(drawn: Drawn, events: &[DrawnEvent], queries: &[DrawnQuery]) -> Result<(), TestCaseError> {
    // Some layouts are refused, as they would be in an attribute.
    let Some(schema) = drawn.schema() else {
        return Ok(());
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let world = World::new(drawn, schema, events).await;
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
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn queries_give_what_filtering_all_events_gives(
        drawn in drawn(),
        events in prop::collection::vec(drawn_event(), 0..30),
        queries in prop::collection::vec(query_and_condition(), 3),
    ) {
        check(drawn, &events, &queries)?;
    }
}
