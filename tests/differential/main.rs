//! Random operations on Google's emulator and on the memory backend in its profile give the same
//! answers.
//!
//! A case is a table and some dozens of operations drawn from one seed. A run has 20,000
//! operations, or a million with `BIGTABLE_MODEL_NIGHTLY=1`. A failure prints its seed, which
//! `BIGTABLE_MODEL_SEED` replays alone:
//!
//! ```text
//! BIGTABLE_MODEL_SEED=1234 cargo test -p bigtable-model-tests --test differential
//! ```
//!
//! Answers are compared exactly: rows, cells, labels, codes and words; only families are sorted
//! first, since the emulator's order of them is random. The test leaves out what depends on chance
//! (row samples, samples of row keys, garbage collection, order across families, the server's times
//! of one request on both sides of a millisecond, order among more than 12 copies of a cell) and
//! what crashes the emulator (negative offsets). The known differences are in `compare.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod compare;
mod copies;
mod filters;
mod generator;
mod operation;
mod pair;
mod pools;
mod random;
mod raw;

use std::env;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bigtable_model::Backend;
use bigtable_model::Timestamp;
use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings, RequestLimits};
use bigtable_model_tests::emulator::Emulator;
use bigtable_model_tests::runs::nightly;

use generator::Case;
use operation::Operation;
use pair::{Difference, EXCUSED, run};

/// Operations of a case.
const CASE: usize = 40;
/// Cases that run in parallel.
const WORKERS: usize = 4;
/// Attempts to shrink a failing case.
const SHRINKS: usize = 400;

fn operations() -> usize {
    nightly(1_000_000, 20_000)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_emulator_profile_answers_as_the_emulator() {
    let Some(emulator) = Emulator::start() else {
        return;
    };
    // Requests that the client would refuse must reach the servers.
    let limits = RequestLimits {
        checked: false,
        ..RequestLimits::default()
    };
    let settings = (GrpcSettings::new("p", "i").emulator(emulator.address())).limits(limits);
    let backend = GrpcBackend::new(&settings).unwrap();
    let backend: Arc<dyn Backend> = Arc::new(
        backend
            .with_options(CallOptions::new().unordered())
            .unwrap(),
    );
    if let Ok(seed) = env::var("BIGTABLE_MODEL_SEED") {
        let seed = seed.parse().unwrap();
        return check(&*backend, seed).await;
    }
    // Seeds that no other run uses.
    let first = Timestamp::now().as_micros().cast_unsigned();
    let next = Arc::new(AtomicU64::new(0));
    let cases = u64::try_from(operations() / CASE).unwrap();
    let workers = (0..WORKERS).map(|_| {
        let (backend, next) = (backend.clone(), next.clone());
        tokio::spawn(async move {
            loop {
                let case = next.fetch_add(1, Ordering::Relaxed);
                if case >= cases {
                    return;
                }
                check(&*backend, first.wrapping_add(case)).await;
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.unwrap();
    }
    let excused = EXCUSED.load(Ordering::Relaxed);
    eprintln!(
        "{} operations, {excused} answers not compared",
        operations()
    );
    assert!(excused < cases, "{excused} answers were not compared");
}

/// Runs the case of a seed; panics with the smallest failing form found.
async fn check(backend: &dyn Backend, seed: u64) {
    let case = Case::draw(seed, CASE);
    let Some(found) = run(backend, &case.families, &case.operations).await else {
        return;
    };
    let (operations, found) = shrink(backend, &case, found).await;
    panic!("{}", told(seed, &case, &operations, &found));
}

/// Removes operations as long as a difference remains.
async fn shrink(
    backend: &dyn Backend,
    case: &Case,
    mut found: Box<Difference>,
) -> (Vec<Operation>, Box<Difference>) {
    let mut operations = case.operations.clone();
    // The first operation of a run creates the table, and is not in the list.
    operations.truncate(found.at);
    let mut at = operations.len();
    for _ in 0..SHRINKS {
        let Some(before) = at.checked_sub(1) else {
            break;
        };
        at = before;
        let mut fewer = operations.clone();
        fewer.remove(at);
        if let Some(still) = run(backend, &case.families, &fewer).await {
            operations = fewer;
            operations.truncate(still.at);
            at = at.min(operations.len());
            found = still;
        }
    }
    (operations, found)
}

fn told(seed: u64, case: &Case, operations: &[Operation], found: &Difference) -> String {
    let mut text = format!("seed {seed} (replay with BIGTABLE_MODEL_SEED={seed})\n");
    writeln!(text, "families: {:?}", case.families).unwrap();
    // The first operation of a run creates the table; the differing one is shown separately.
    for operation in operations.iter().take(found.at.saturating_sub(1)) {
        writeln!(text, "then {operation:?}").unwrap();
    }
    writeln!(text, "differs at {:?}", found.operation).unwrap();
    writeln!(text, "emulator: {:?}", found.emulator).unwrap();
    writeln!(text, "memory:   {:?}", found.memory).unwrap();
    let reasons = compare::DEVIATIONS.iter().map(|known| known.reason);
    writeln!(text, "none of the {} listed deviations", reasons.count()).unwrap();
    text
}
