//! Random layouts compared with an oracle of natural values: writes and queries run on what is
//! drawn, and the expected results are computed from the documents with plain values.

#![allow(clippy::cast_sign_loss, reason = "a test may panic")]

mod answers;
mod codec;
#[cfg(feature = "grpc")]
#[path = "../../../../../tests/src/emulator.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
mod emulator;
mod expired;
mod maps;
mod pages;
mod rows;
mod schema;
mod world;

/// What the library's errors mean to the oracle.
mod errors {
    use crate::key::KeyError;
    use crate::{Error, QueryError};

    bigtable_model_oracle::reasons!();
}

use std::env;
use std::sync::Arc;
#[cfg(feature = "grpc")]
use std::sync::atomic::{AtomicU32, Ordering};

use bigtable_model_oracle::{
    asked, calendar, draw, ends, event, judge, model, models, question, rules, steps, store, value,
    writes, written,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use self::draw::{Draw, words};
use self::judge::Failure;
use self::model::{Codec, Column, Kind};
use self::models::Drawn;
use self::steps::Step;
use self::world::World;
use super::probe::Probe;
use crate::backend::Backend;
#[cfg(feature = "grpc")]
use crate::backend::grpc::{GrpcBackend, GrpcSettings};

/// How many cases run. Normally they are the same on every machine, so that what passes here passes
/// elsewhere. Nightly runs draw new cases each time: 150 times as many, or as many times as
/// `BIGTABLE_MODEL_NIGHTLY=15` says.
fn cases(normally: u32) -> ProptestConfig {
    let (times, rng_seed) = match env::var("BIGTABLE_MODEL_NIGHTLY") {
        Ok(times) => {
            let times = times.parse().ok().filter(|times| *times > 1);
            (times.unwrap_or(150), RngSeed::Random)
        }
        Err(_) => (1, RngSeed::Fixed(1_425_330_836)),
    };
    ProptestConfig {
        cases: normally * times,
        max_shrink_iters: 20_000,
        failure_persistence: None,
        rng_seed,
        ..ProptestConfig::default()
    }
}

/// The numbers from which a case is drawn.
#[derive(Debug, Clone)]
struct Case {
    model: Vec<u16>,
    /// For garbage-collection rules, if there are any.
    rules: Option<Vec<u16>>,
    events: Vec<Vec<u16>>,
    steps: Vec<Vec<u16>>,
}

fn case() -> impl Strategy<Value = Case> {
    let events = prop::collection::vec(words(24), 0..32);
    let steps = prop::collection::vec(words(120), 1..6);
    let case = (words(120), events, steps);
    case.prop_map(|(model, events, steps)| Case {
        model,
        rules: None,
        events,
        steps,
    })
}

/// A case of a model with rules, with a clock that moves.
fn case_with_rules() -> impl Strategy<Value = Case> {
    (case(), words(40)).prop_map(|(case, rules)| Case {
        rules: Some(rules),
        ..case
    })
}

/// The step drawn from numbers, after the earlier steps.
fn step(world: &World, draw: &mut Draw<'_>) -> Step {
    let known = world.store.identities();
    let kind = draw.below(13);
    let question = |draw: &mut Draw<'_>| world.drawn.question(draw, &known);
    match kind {
        0..=6 => Step::Ask(question(draw)),
        7..=9 => {
            let question = question(draw);
            let size = 1 + draw.below(4);
            let writes = (0..5).map(|_| world.drawn.write(draw, &known)).collect();
            Step::Pages(question, size, writes)
        }
        10 | 11 => Step::Write(world.drawn.write(draw, &known)),
        _ => Step::Delete(question(draw)),
    }
}

/// A drawn model: codecs that this build lacks are text.
fn drawn(words: &[u16]) -> Drawn {
    let mut drawn = models::draw(&mut Draw::new(words));
    for column in &mut drawn.model.columns {
        column.codec = match column.codec {
            Codec::Postcard if !cfg!(feature = "postcard") => Codec::Text,
            Codec::Json if !cfg!(feature = "json") => Codec::Text,
            codec => codec,
        };
    }
    drawn
}

async fn run(db: Arc<dyn Backend>, probe: Option<Probe>, case: &Case) -> Result<(), TestCaseError> {
    let drawn = drawn(&case.model);
    let rules = case.rules.as_ref();
    let rules = rules.map(|words| expired::draw_rules(&mut Draw::new(words), &drawn));
    let is_kept_by = |column: &Column| !matches!(column.kind, Kind::Least | Kind::Greatest);
    // Google's emulator keeps the last input instead of the minimum or the maximum.
    if probe.is_none() && !drawn.model.columns.iter().all(is_kept_by) {
        return Ok(());
    }
    let mut world = World::new(db, probe, drawn, rules.unwrap_or_default()).await;
    for words in &case.events {
        let write = world.drawn.insert(&mut Draw::new(words));
        let done = world.write(&write).await;
        told(&world, &write, done)?;
    }
    for words in &case.steps {
        let draw = &mut Draw::new(words);
        if !world.rules.is_empty() {
            world.move_clock(draw);
        }
        let step = step(&world, draw);
        let done = match &step {
            Step::Write(write) => world.write(write).await,
            Step::Ask(question) => match world.ask(question).await {
                Ok(()) => world.ask_with_expired(question).await,
                failed => failed,
            },
            Step::Pages(question, size, writes) => {
                world.pages_with_writes(question, *size, writes).await
            }
            Step::Delete(question) => world.delete(question).await,
        };
        told(&world, &step, done)?;
    }
    Ok(())
}

/// A failure with everything needed to understand it.
fn told(
    world: &World,
    what: &impl std::fmt::Debug,
    done: Result<(), Failure>,
) -> Result<(), TestCaseError> {
    done.map_err(|failure| {
        TestCaseError::fail(format!(
            "{failure}\nby {what:?}\nof {:?}\nunder {:?} at {:?}\nwith {:?}\nkeys {}",
            world.model(),
            world.rules,
            world.clock_of_reads,
            world.store,
            world.schema.key,
        ))
    })
}

fn runtime() -> tokio::runtime::Runtime {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap()
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let probe = Probe::default();
    runtime().block_on(run(Arc::new(probe.clone()), Some(probe), case))
}

proptest! {
    #![proptest_config(cases(700))]

    #[test]
    fn models_do_what_the_documents_say(case in case()) {
        check(&case)?;
    }
}

proptest! {
    #![proptest_config(cases(700))]

    #[test]
    fn what_has_expired_is_not_seen(case in case_with_rules()) {
        check(&case)?;
    }
}

/// An instance of its own on Google's emulator.
#[cfg(feature = "grpc")]
fn instance(address: &str) -> Arc<dyn Backend> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("natural-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let settings = GrpcSettings::new("queries", name).emulator(address);
    Arc::new(GrpcBackend::new(&settings).unwrap())
}

#[cfg(feature = "grpc")]
proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn the_emulator_does_it_too(case in case()) {
        if let Some(emulator) = emulator::Emulator::shared() {
            runtime().block_on(run(instance(emulator.address()), None, &case))?;
        }
    }

    #[test]
    fn nor_on_the_emulator(case in case_with_rules()) {
        if let Some(emulator) = emulator::Emulator::shared() {
            runtime().block_on(run(instance(emulator.address()), None, &case))?;
        }
    }
}
