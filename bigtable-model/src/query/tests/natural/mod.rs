//! An oracle of natural values. A model is drawn, and writes and questions; what has to come of them is worked out from the documents with
//! plain values: no key's bytes, and none of the library's comparisons, buckets or refusals are used for it. What the library refuses
//! and the documents allow is a failure, and so is the contrary.

mod answers;
mod asked;
mod calendar;
mod codec;
mod draw;
#[cfg(feature = "grpc")]
#[path = "../../../../../tests/src/emulator.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest of it")]
mod emulator;
mod event;
mod gaps;
mod judge;
mod model;
mod models;
mod order;
mod pages;
mod places;
mod pools;
mod question;
mod rows;
mod rules;
mod schema;
mod steps;
mod store;
mod value;
mod world;
mod writes;
mod written;

/// What the parts that are shared with other tests take of the library.
mod library {
    pub(super) use crate::key::KeyError;
    pub(super) use crate::{Error, QueryError};
}

use std::env;
use std::sync::Arc;

use proptest::prelude::*;

use self::draw::{Draw, words};
use self::judge::Failure;
use self::steps::Step;
use self::world::World;
use super::probe::Probe;
use crate::backend::Backend;

/// How many cases run: more of them at night.
fn cases(normally: u32) -> ProptestConfig {
    let times = match env::var_os("BIGTABLE_MODEL_NIGHTLY") {
        Some(_) => 50,
        None => 1,
    };
    ProptestConfig {
        cases: normally * times,
        max_shrink_iters: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// What a case is drawn from.
#[derive(Debug, Clone)]
struct Case {
    model: Vec<u16>,
    events: Vec<Vec<u16>>,
    steps: Vec<Vec<u16>>,
}

fn case() -> impl Strategy<Value = Case> {
    let events = prop::collection::vec(words(24), 0..20);
    let steps = prop::collection::vec(words(120), 1..6);
    let case = (words(120), events, steps);
    case.prop_map(|(model, events, steps)| Case {
        model,
        events,
        steps,
    })
}

/// The step that numbers draw, once the steps before are done.
fn step(world: &World, draw: &mut Draw<'_>) -> Step {
    let known = world.store.identities();
    let kind = draw.below(12);
    let question = |draw: &mut Draw<'_>| world.drawn.question(draw, &known);
    match kind {
        0..=6 => Step::Ask(question(draw)),
        7 | 8 => {
            let question = question(draw);
            let size = 1 + draw.below(4);
            let writes = (0..5).map(|_| world.drawn.write(draw)).collect();
            Step::Pages(question, size, writes)
        }
        9 | 10 => Step::Write(world.drawn.write(draw)),
        _ => Step::Delete(question(draw)),
    }
}

async fn run(db: Arc<dyn Backend>, probe: Option<Probe>, case: &Case) -> Result<(), TestCaseError> {
    let drawn = models::draw(&mut Draw::new(&case.model));
    let mut world = World::new(db, probe, drawn).await;
    for words in &case.events {
        let write = world.drawn.insert(&mut Draw::new(words));
        let done = world.write(&write).await;
        told(&world, &write, done)?;
    }
    for words in &case.steps {
        let step = step(&world, &mut Draw::new(words));
        let done = match &step {
            Step::Write(write) => world.write(write).await,
            Step::Ask(question) => world.ask(question).await,
            Step::Pages(question, size, writes) => {
                world.pages_with_writes(question, *size, writes).await
            }
            Step::Delete(question) => world.delete(question).await,
        };
        told(&world, &step, done)?;
    }
    Ok(())
}

/// A failure with all that it takes to understand it.
fn told(
    world: &World,
    what: &impl std::fmt::Debug,
    done: Result<(), Failure>,
) -> Result<(), TestCaseError> {
    done.map_err(|failure| {
        TestCaseError::fail(format!(
            "{failure}\nby {what:?}\nof {:?}\nwith {:?}\nkeys {}",
            world.model(),
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
    #![proptest_config(cases(2_000))]

    #[test]
    fn models_do_what_the_documents_say(case in case()) {
        check(&case)?;
    }
}

#[test]
#[ignore = "a survey"]
fn survey() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let count: u32 = env::var("CASES").map_or(2_000, |count| count.parse().unwrap());
    let mut runner = TestRunner::new(ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(
            env::var("SEED").map_or(1, |seed| seed.parse().unwrap()),
        ),
        ..ProptestConfig::default()
    });
    let strategy = case();
    let mut known: std::collections::BTreeMap<String, (usize, String)> = Default::default();
    let failing = |case: &Case| -> Option<(String, String)> {
        let one = std::panic::AssertUnwindSafe(|| check(case));
        let text = match std::panic::catch_unwind(one) {
            Ok(Ok(())) => return None,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => match panic.downcast_ref::<String>() {
                Some(text) => format!("PANIC {text}"),
                None => "PANIC".to_owned(),
            },
        };
        let kind: String = text
            .replace("QUOTE_{at:", "")
            .chars()
            .filter(|one| !one.is_ascii_digit())
            .take(75)
            .collect();
        Some((kind, text))
    };
    std::panic::set_hook(Box::new(|_| ()));
    let mut slowest: Vec<(u128, String)> = Vec::new();
    let only = env::var("ONLY").ok();
    for _ in 0..count {
        let mut tree = strategy.new_tree(&mut runner).unwrap();
        let Some((kind, text)) = failing(&tree.current()) else {
            continue;
        };
        let entry = known.entry(kind.clone()).or_insert((0, text));
        entry.0 += 1;
        if entry.0 > 1
            || only
                .as_ref()
                .is_some_and(|only| !kind.contains(only.as_str()))
        {
            continue;
        }
        println!("--- {kind:?}");
        let mut tries = 0;
        let begun = std::time::Instant::now();
        while tries < 3_000 && begun.elapsed().as_secs() < 15 {
            tries += 1;
            let moved = match failing(&tree.current()) {
                Some((other, text)) if other == kind => {
                    entry.1 = text;
                    tree.simplify()
                }
                _ => tree.complicate(),
            };
            if !moved {
                break;
            }
        }
    }
    slowest.sort();
    println!(
        "slow: {} in all {}",
        slowest.len(),
        slowest.iter().map(|one| one.0).sum::<u128>()
    );
    for (millis, text) in slowest.iter().rev().take(12) {
        println!("SLOW {millis} {text}");
    }
    for (kind, (count, text)) in &known {
        println!("=== {count} x {kind}\n{text}\n");
    }
    assert!(known.is_empty());
}
