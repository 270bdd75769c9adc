//! The ends of a batcher (flushed, closed, dropped, without its runtime), and its settings.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use futures::{FutureExt as _, TryStreamExt as _, poll};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::Instant;

use super::*;
use crate::MemoryBackend;
use crate::data::{FamilySchema, Mutation, ReadRows, TableSchema};
use crate::faults::{Fault, FaultRule, FaultyBackend, Method};

const TABLE: &str = "t";

async fn memory() -> MemoryBackend {
    let db = MemoryBackend::new();
    let schema = TableSchema {
        table: TABLE.to_owned(),
        families: [("f".to_owned(), FamilySchema::default())].into(),
        ..TableSchema::default()
    };
    db.tables().create(schema, Vec::new()).await.unwrap();
    db
}

/// A backend whose bulk writes take some time.
async fn slow(delay: Duration) -> Arc<FaultyBackend> {
    let late = FaultRule::new(Fault::Latency(delay)).method(Method::MutateRows);
    let db = FaultyBackend::new(Arc::new(memory().await), 1, vec![late]);
    Arc::new(db.unwrap())
}

/// Bulk writes that reached the backend.
fn requests(db: &FaultyBackend) -> usize {
    let calls = db.calls();
    let bulk = calls
        .iter()
        .filter(|call| call.method == Method::MutateRows);
    bulk.count()
}

fn entry(key: &str, value: &str) -> RowMutations {
    let set = Mutation::SetCell {
        family: "f".into(),
        qualifier: "q".into(),
        timestamp_micros: 1000,
        value: value.to_owned().into(),
    };
    RowMutations {
        key: key.to_owned().into(),
        mutations: vec![set],
    }
}

const NEVER: Duration = Duration::from_secs(3600);

const NANO: Duration = Duration::from_nanos(1);

fn settings() -> BatcherSettings {
    BatcherSettings {
        entries: 10,
        delay: NEVER,
        ..BatcherSettings::default()
    }
}

const MILLI: Duration = Duration::from_millis(1);

fn one_at_a_time() -> BatcherSettings {
    BatcherSettings {
        entries: 1,
        outstanding_entries: 1,
        ..settings()
    }
}

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

fn two_threads() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap()
}

/// Three tasks that add until no entry is taken any more. The outcomes come over the channel, which
/// ends with the tasks.
fn adders(runtime: &Handle, batcher: &Batcher, count: &Arc<AtomicUsize>) -> Receiver<Outcome> {
    let (taken, outcomes) = std::sync::mpsc::channel();
    for name in 0..3 {
        let (batcher, count, taken) = (batcher.clone(), Arc::clone(count), taken.clone());
        runtime.spawn(async move {
            for number in 0_u32.. {
                match batcher.add(entry(&format!("{name}-{number}"), "v")).await {
                    Ok(outcome) => taken.send(outcome).unwrap(),
                    Err(status) => {
                        assert_eq!(status.code, Code::FailedPrecondition, "{status}");
                        return;
                    }
                }
                count.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    outcomes
}

async fn stored(db: &MemoryBackend) -> usize {
    let all = ReadRows {
        table: TABLE.to_owned(),
        ..ReadRows::default()
    };
    let rows: Vec<_> = db.read_rows(all).rows().try_collect().await.unwrap();
    rows.len()
}

/// The outcome, which has already arrived.
fn ready(outcome: Outcome) -> EntryOutcome {
    outcome.now_or_never().expect("an outcome is missing")
}

/// Three tasks add, one closes, and the runtime goes at once. The entries that were taken are
/// written, and their outcomes arrive.
#[test]
fn nothing_taken_before_a_close_is_lost() {
    let mut taken = 0;
    for round in 0..1_000 {
        let runtime = two_threads();
        let (db, outcomes) = runtime.block_on(async {
            let db = memory().await;
            let few = BatcherSettings {
                outstanding_entries: 7,
                entries: 3,
                ..settings()
            };
            let batcher = Batcher::new(db.handle(), TABLE, few).unwrap();
            let count = Arc::default();
            let outcomes = adders(&Handle::current(), &batcher, &count);
            while count.load(Ordering::SeqCst) < round % 50 {
                tokio::task::yield_now().await;
            }
            batcher.close().await;
            (db, outcomes)
        });
        runtime.shutdown_background();
        let outcomes: Vec<_> = outcomes.into_iter().collect();
        taken += outcomes.len();
        let kept = futures::executor::block_on(stored(&db));
        assert_eq!(kept, outcomes.len(), "round {round}");
        for outcome in outcomes {
            assert_eq!(ready(outcome), Ok(()), "round {round}");
        }
    }
    assert!(taken >= 20 * (0..50).sum::<usize>(), "{taken}");
}

/// The runtime ends while others add. Each outcome comes: written, or cancelled.
#[test]
fn a_runtime_that_ends_leaves_no_outcome_open() {
    let others = two_threads();
    let mut cancelled = 0;
    for round in 0..300 {
        let runtime = two_threads();
        let db = others.block_on(memory());
        let few = BatcherSettings {
            outstanding_entries: 50,
            ..settings()
        };
        let batcher = {
            let _inside = runtime.enter();
            Batcher::new(db.handle(), TABLE, few).unwrap()
        };
        let count = Arc::default();
        let outcomes = adders(others.handle(), &batcher, &count);
        while count.load(Ordering::SeqCst) < round % 50 {
            std::thread::yield_now();
        }
        runtime.shutdown_background();
        // Callers that wait for room are told, and so are those that flush or close.
        let told = others.block_on(async {
            tokio::time::timeout(PATIENCE, async {
                batcher.flush().await;
                let mut failed = Vec::new();
                for outcome in outcomes {
                    failed.extend(outcome.await.err());
                }
                batcher.close().await;
                failed
            })
            .await
        });
        let failed = told.expect("an outcome is still open");
        assert!(failed.iter().all(|status| status.code == Code::Cancelled));
        cancelled += failed.len();
    }
    assert!(cancelled > 0);
}

#[test]
fn a_batcher_whose_runtime_has_ended_takes_nothing() {
    let runtime = two_threads();
    let batcher = runtime.block_on(async {
        let db = memory().await.handle();
        Batcher::new(db, TABLE, settings()).unwrap()
    });
    drop(runtime);
    let error = futures::executor::block_on(batcher.add(entry("a", "v"))).unwrap_err();
    assert_eq!(error.code, Code::FailedPrecondition);
    assert!(error.message.contains("runtime"), "{error}");
    futures::executor::block_on(batcher.close());
}

#[tokio::test(start_paused = true)]
async fn an_add_that_is_given_up_has_taken_nothing() {
    let db = slow(1000 * MILLI).await;
    let batcher = Batcher::new(db.clone(), TABLE, one_at_a_time()).unwrap();
    let first = batcher.add(entry("a", "v")).await.unwrap();
    for number in 0..200 {
        let mut add = Box::pin(batcher.add(entry(&format!("given up {number}"), "v")));
        assert!(poll!(&mut add).is_pending());
    }
    let second = batcher.add(entry("b", "v")).await.unwrap();
    batcher.close().await;
    assert_eq!((ready(first), ready(second)), (Ok(()), Ok(())));
    assert_eq!(requests(&db), 2);
}

/// Others go on to add while one waits; what they add is not waited for.
#[tokio::test(start_paused = true)]
async fn a_flush_ends_while_others_add() {
    let db = slow(100 * MILLI).await;
    let batcher = Batcher::new(db, TABLE, settings()).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let adder = tokio::spawn({
        let (batcher, stop) = (batcher.clone(), Arc::clone(&stop));
        async move {
            let mut outcomes = Vec::new();
            while !stop.load(Ordering::SeqCst) {
                let key = format!("{:06}", outcomes.len());
                outcomes.push(batcher.add(entry(&key, "v")).await.unwrap());
                tokio::time::sleep(10 * MILLI).await;
            }
            outcomes
        }
    });
    tokio::time::sleep(55 * MILLI).await;
    for _ in 0..20 {
        let mine = batcher.add(entry("mine", "v")).await.unwrap();
        let begun = Instant::now();
        tokio::time::timeout(PATIENCE, batcher.flush())
            .await
            .unwrap();
        assert_eq!(ready(mine), Ok(()));
        assert!(begun.elapsed() < 250 * MILLI, "{:?}", begun.elapsed());
    }
    stop.store(true, Ordering::SeqCst);
    batcher.close().await;
    let outcomes = adder.await.unwrap();
    assert!(outcomes.len() > 100);
    assert!(outcomes.into_iter().all(|outcome| ready(outcome).is_ok()));
}

/// A flush sends what was taken before it, and leaves what comes later to wait for others.
#[tokio::test(start_paused = true)]
async fn what_comes_after_a_flush_waits_for_others() {
    let db = slow(1000 * MILLI).await;
    let batcher = Batcher::new(db.clone(), TABLE, settings()).unwrap();
    batcher.add(entry("before", "v")).await.unwrap();
    let mut flush = Box::pin(batcher.flush());
    assert!(poll!(&mut flush).is_pending());
    for number in 0..9 {
        let key = number.to_string();
        batcher.add(entry(&key, "v")).await.unwrap();
        tokio::time::sleep(MILLI).await;
    }
    flush.await;
    assert_eq!(requests(&db), 1);
    batcher.add(entry("tenth", "v")).await.unwrap();
    batcher.close().await;
    assert_eq!(requests(&db), 2);
}

#[tokio::test(start_paused = true)]
async fn it_may_be_closed_by_several_and_given_up() {
    let db = slow(1000 * MILLI).await;
    let batcher = Batcher::new(db.clone(), TABLE, settings()).unwrap();
    let clone = batcher.clone();
    let outcomes = [
        batcher.add(entry("a", "v")).await.unwrap(),
        clone.add(entry("a", "w")).await.unwrap(),
        clone.add(entry("b", "v")).await.unwrap(),
    ];
    // Even if the close is given up after its first poll, the batcher is closed, and the entries
    // are being sent.
    assert!(poll!(Box::pin(batcher.close())).is_pending());
    let error = clone.add(entry("c", "v")).await.unwrap_err();
    assert_eq!(error.code, Code::FailedPrecondition);
    tokio::join!(batcher.close(), clone.close(), clone.flush());
    for outcome in outcomes {
        assert_eq!(ready(outcome), Ok(()));
    }
    batcher.close().await;
    assert_eq!(requests(&db), 2);
}

#[tokio::test(start_paused = true)]
async fn those_who_wait_for_room_are_told_of_the_end() {
    let db = slow(1000 * MILLI).await;
    let batcher = Batcher::new(db.clone(), TABLE, one_at_a_time()).unwrap();
    let taken = batcher.add(entry("a", "v")).await.unwrap();
    let mut waiting = Box::pin(batcher.add(entry("b", "v")));
    assert!(poll!(&mut waiting).is_pending());
    batcher.close().await;
    assert_eq!(waiting.await.unwrap_err().code, Code::FailedPrecondition);
    assert_eq!(ready(taken), Ok(()));
    assert_eq!(requests(&db), 1);
}

/// The outstanding entries may never fill a request; then they are sent once callers wait for room.
#[tokio::test(start_paused = true)]
async fn callers_who_wait_for_room_are_not_left_waiting() {
    let db = slow(MILLI).await;
    let entries = BatcherSettings {
        outstanding_entries: 3,
        delay: Duration::MAX,
        ..settings()
    };
    let bytes = BatcherSettings {
        outstanding_bytes: 1_500,
        delay: NEVER,
        ..settings()
    };
    for few in [entries, bytes] {
        let batcher = Batcher::new(db.clone(), TABLE, few).unwrap();
        let begun = Instant::now();
        let mut outcomes = Vec::new();
        for number in 0..100 {
            let large = entry(&number.to_string(), &"x".repeat(500));
            let add = tokio::time::timeout(PATIENCE, batcher.add(large));
            outcomes.push(add.await.unwrap().unwrap());
        }
        assert!(begun.elapsed() < PATIENCE);
        batcher.close().await;
        assert!(outcomes.into_iter().all(|outcome| ready(outcome).is_ok()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_batcher_refuses_numbers_of_none_and_takes_any_delay() {
    type Number = (&'static str, fn(&mut BatcherSettings) -> &mut usize);
    let numbers: [Number; 4] = [
        ("BatcherSettings::entries", |all| &mut all.entries),
        ("BatcherSettings::bytes", |all| &mut all.bytes),
        ("BatcherSettings::outstanding_entries", |all| {
            &mut all.outstanding_entries
        }),
        ("BatcherSettings::outstanding_bytes", |all| {
            &mut all.outstanding_bytes
        }),
    ];
    let db = memory().await.handle();
    for (field, number) in numbers {
        let mut all = settings();
        *number(&mut all) = 0;
        let refused = Batcher::new(Arc::clone(&db), TABLE, all).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("{field} is 0: give at least 1")
        );
        for count in [1, usize::MAX] {
            *number(&mut all) = count;
            let batcher = Batcher::new(Arc::clone(&db), TABLE, all).unwrap();
            let outcome = batcher.add(entry("a", "v")).await.unwrap();
            batcher.close().await;
            assert_eq!(outcome.await, Ok(()), "{field}: {count}");
        }
    }
    for delay in [Duration::ZERO, NANO, Duration::MAX] {
        let all = BatcherSettings {
            delay,
            ..settings()
        };
        let batcher = Batcher::new(Arc::clone(&db), TABLE, all).unwrap();
        let mut outcome = batcher.add(entry("a", "v")).await.unwrap();
        if delay == Duration::MAX {
            tokio::time::sleep(Duration::from_secs(1 << 20)).await;
            assert!(poll!(&mut outcome).is_pending());
            batcher.flush().await;
        }
        assert_eq!(outcome.await, Ok(()), "{delay:?}");
    }
}
