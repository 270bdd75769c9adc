//! Derived models compared with an oracle of natural values: writes, updates, conditions and
//! queries use derived code, and the expected results are computed from the documentation with
//! plain values. The library's own tests use the same oracle with random layouts.

/// What the library's errors mean to the oracle.
mod errors {
    use bigtable_model::key::KeyError;
    use bigtable_model::{Error, QueryError};

    bigtable_model_oracle::reasons!();
}

#[macro_use]
mod setters;
mod derived;
mod fields;
mod typed;
mod world;

use bigtable_model::MemoryBackend;
use bigtable_model_oracle::{
    asked, calendar, draw, event, judge, model, models, places, pools, question, store, value,
    writes, written,
};
use bigtable_model_tests::runs::nightly;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use self::draw::{Draw, words};
use self::typed::Typed;
use self::world::World;

/// The number of cases for each model: by day the same on every machine; at night more, and
/// different each time.
fn cases() -> ProptestConfig {
    let by_day = (20, RngSeed::Fixed(1_425_330_836));
    let (cases, rng_seed) = nightly((4_000, RngSeed::Random), by_day);
    ProptestConfig {
        cases,
        max_shrink_iters: 4_000,
        failure_persistence: None,
        rng_seed,
        ..ProptestConfig::default()
    }
}

/// The random input of a case.
type Case = (Vec<u16>, Vec<Vec<u16>>, Vec<Vec<u16>>);

fn case() -> impl Strategy<Value = Case> {
    let events = prop::collection::vec(words(24), 0..20);
    let steps = prop::collection::vec(words(120), 1..8);
    (words(60), events, steps)
}

async fn run<M: Typed>((model, events, steps): &Case) -> Result<(), TestCaseError> {
    let drawn = typed::drawn::<M>(&mut Draw::new(model));
    let mut world = World::<M>::new(MemoryBackend::new(), drawn).await;
    let inserts = events.iter();
    let inserts = inserts.map(|words| world.drawn.insert(&mut Draw::new(words)));
    let inserts: Vec<_> = inserts.collect();
    let (together, alone) = inserts.split_at(inserts.len() / 2);
    let done = world.insert_many(together).await;
    told(&world, &together, done)?;
    for write in alone {
        let done = world.write(write).await;
        told(&world, write, done)?;
    }
    for words in steps {
        let mut draw = Draw::new(words);
        let known = world.store.identities();
        if draw.chance(40) {
            let write = world.drawn.write(&mut draw, &known);
            let done = world.write(&write).await;
            told(&world, &write, done)?;
            continue;
        }
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

/// A failure with everything needed to understand it.
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
