//! Derived models beside an oracle of natural values: writes, updates, conditions and questions go through what the derive makes, and what has
//! to come of them is worked out from the documents with plain values. The oracle is that of the library's own tests over random layouts.

// What these share with the library's own tests.
macro_rules! shared {
    ($($module:ident $path:literal)*) => {$(
        #[path = $path]
        #[allow(dead_code, reason = "the tests of random layouts use the rest")]
        mod $module;
    )*};
}
shared! {
    asked "../../../bigtable-model/src/query/tests/natural/asked.rs"
    calendar "../../../bigtable-model/src/query/tests/natural/calendar.rs"
    draw "../../../bigtable-model/src/query/tests/natural/draw.rs"
    event "../../../bigtable-model/src/query/tests/natural/event.rs"
    gaps "../../../bigtable-model/src/query/tests/natural/gaps.rs"
    judge "../../../bigtable-model/src/query/tests/natural/judge.rs"
    model "../../../bigtable-model/src/query/tests/natural/model.rs"
    order "../../../bigtable-model/src/query/tests/natural/order.rs"
    places "../../../bigtable-model/src/query/tests/natural/places.rs"
    pools "../../../bigtable-model/src/query/tests/natural/pools.rs"
    question "../../../bigtable-model/src/query/tests/natural/question.rs"
    rules "../../../bigtable-model/src/query/tests/natural/rules.rs"
    steps "../../../bigtable-model/src/query/tests/natural/steps.rs"
    store "../../../bigtable-model/src/query/tests/natural/store.rs"
    value "../../../bigtable-model/src/query/tests/natural/value.rs"
    writes "../../../bigtable-model/src/query/tests/natural/writes.rs"
    written "../../../bigtable-model/src/query/tests/natural/written.rs"
}

/// What the shared parts take of the library.
mod library {
    pub(super) use bigtable_model::key::KeyError;
    pub(super) use bigtable_model::{Error, QueryError};
}

/// A model, and the times that its events are drawn from.
mod models {
    #[derive(Debug, Clone)]
    pub(super) struct Drawn {
        pub(super) model: super::model::Model,
        pub(super) times: super::places::Times,
    }
}

#[macro_use]
mod typed;
mod derived;
mod fields;
mod world;

use std::env;

use bigtable_model::MemoryBackend;
use proptest::prelude::*;

use self::draw::{Draw, words};
use self::typed::Typed;
use self::world::World;

/// How many cases run of each model: more of them at night.
fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: match env::var_os("BIGTABLE_MODEL_NIGHTLY") {
            Some(_) => 4_000,
            None => 60,
        },
        max_shrink_iters: 4_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// What a case is drawn from.
type Case = (Vec<u16>, Vec<Vec<u16>>, Vec<Vec<u16>>);

fn case() -> impl Strategy<Value = Case> {
    let events = prop::collection::vec(words(24), 0..20);
    let steps = prop::collection::vec(words(120), 1..8);
    (words(60), events, steps)
}

async fn run<M: Typed>((model, events, steps): &Case) -> Result<(), TestCaseError> {
    let drawn = typed::drawn::<M>(&mut Draw::new(model));
    let mut world = World::<M>::new(MemoryBackend::new(), drawn).await;
    for words in events {
        let write = world.drawn.insert(&mut Draw::new(words));
        let done = world.write(&write).await;
        told(&world, &write, done)?;
    }
    for words in steps {
        let mut draw = Draw::new(words);
        if draw.chance(40) {
            let write = world.drawn.write(&mut draw);
            let done = world.write(&write).await;
            told(&world, &write, done)?;
            continue;
        }
        let known = world.store.identities();
        let question = world.drawn.question(&mut draw, &known);
        let question = typed::as_typed(&world.drawn.model, question);
        let done = match draw.chance(15) {
            true => world.delete(&question).await,
            false => world.ask(&question).await,
        };
        told(&world, &question, done)?;
    }
    Ok(())
}

/// A failure with all that it takes to understand it.
fn told<M: Typed>(
    world: &World<M>,
    what: &impl std::fmt::Debug,
    done: Result<(), judge::Failure>,
) -> Result<(), TestCaseError> {
    done.map_err(|failure| {
        TestCaseError::fail(format!(
            "{failure}\nby {what:?}\nof {:?}\nwith {:?}\nkeys {}",
            world.drawn.model,
            world.store,
            M::SCHEMA.key,
        ))
    })
}

fn check<M: Typed>(case: &Case) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.unwrap().block_on(run::<M>(case))
}

macro_rules! tests {
    ($($name:ident)*) => {
        proptest! {
            #![proptest_config(cases())]
            $(
                #[test]
                fn $name(case in case()) {
                    check::<derived::$name::Sample>(&case)?;
                }
            )*
        }
    };
}

derived::every!(tests);
