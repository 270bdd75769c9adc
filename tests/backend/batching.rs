//! Single writes, sent together.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bigtable_model::backend::batcher::{Batcher, BatcherSettings};
use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, Method, When};
use bigtable_model::data::{FamilySchema, RowMutations, TableSchema};
use bigtable_model::{Backend, Code, MemoryBackend, Status};
use futures::TryStreamExt;

use crate::fixture::{TABLE, all, row, set, show};

pub(crate) async fn memory() -> MemoryBackend {
    let db = MemoryBackend::new();
    let schema = TableSchema {
        table: TABLE.to_owned(),
        families: [("f".to_owned(), FamilySchema::default())].into(),
        ..TableSchema::default()
    };
    db.tables().create(schema, Vec::new()).await.unwrap();
    db
}

pub(crate) async fn slow(rules: Vec<FaultRule>) -> Arc<FaultyBackend> {
    let faulty = FaultyBackend::new(Arc::new(memory().await), 1, rules);
    Arc::new(faulty.unwrap())
}

pub(crate) fn late(delay: Duration) -> FaultRule {
    FaultRule::new(Fault::Latency(delay)).method(Method::MutateRows)
}

pub(crate) fn entry(key: &str, value: &str) -> RowMutations {
    row(key, vec![set("f", "q", 1000, value)])
}

pub(crate) const NEVER: Duration = Duration::from_secs(3600);

pub(crate) fn settings() -> BatcherSettings {
    BatcherSettings {
        entries: 10,
        delay: NEVER,
        ..BatcherSettings::default()
    }
}

/// The bulk writes that reached the backend.
pub(crate) fn requests(db: &FaultyBackend) -> usize {
    let calls = db.calls();
    calls
        .iter()
        .filter(|call| call.method == Method::MutateRows)
        .count()
}

#[tokio::test]
async fn a_full_batch_goes_out_at_once() {
    let db = slow(Vec::new()).await;
    let batcher = Batcher::new(db.clone(), TABLE, settings()).unwrap();
    let mut outcomes = Vec::new();
    for number in 0..25 {
        outcomes.push(
            batcher
                .add(entry(&format!("{number:02}"), "v"))
                .await
                .unwrap(),
        );
    }
    let rest = outcomes.split_off(20);
    for outcome in outcomes {
        assert_eq!(outcome.await, Ok(()));
    }
    assert_eq!(requests(&db), 2);
    batcher.flush().await;
    for outcome in rest {
        assert_eq!(outcome.await, Ok(()));
    }
    assert_eq!(requests(&db), 3);
}

#[tokio::test]
async fn bytes_and_time_send_a_batch_too() {
    let db = slow(Vec::new()).await;
    let by_bytes = BatcherSettings {
        bytes: 1000,
        ..settings()
    };
    let batcher = Batcher::new(db.clone(), TABLE, by_bytes).unwrap();
    let large = entry("large", &"x".repeat(1000));
    batcher.add(large).await.unwrap().await.unwrap();
    let by_time = BatcherSettings {
        delay: Duration::from_millis(50),
        ..settings()
    };
    let batcher = Batcher::new(db.clone(), TABLE, by_time).unwrap();
    let begun = Instant::now();
    batcher
        .add(entry("small", "v"))
        .await
        .unwrap()
        .await
        .unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(50));
}

#[tokio::test]
async fn entries_of_a_row_keep_their_order_and_never_meet() {
    let db = slow(vec![late(Duration::from_millis(5))]).await;
    let batcher = Batcher::new(db.clone(), TABLE, settings()).unwrap();
    let mut outcomes = Vec::new();
    for number in 0..30 {
        let key = ["a", "b"][number % 2];
        outcomes.push(batcher.add(entry(key, &number.to_string())).await.unwrap());
    }
    batcher.close().await;
    for outcome in outcomes {
        assert_eq!(outcome.await, Ok(()));
    }
    assert_eq!(requests(&db), 15);
    let rows: Vec<_> = db.read_rows(all()).rows().try_collect().await.unwrap();
    let shown: Vec<_> = rows.iter().flat_map(show).collect();
    assert_eq!(shown, ["f:q@1000=28", "f:q@1000=29"]);
}

#[tokio::test]
async fn a_failed_request_fails_its_entries() {
    let lost = Status::new(Code::Unavailable, "lost");
    let rule = FaultRule::new(Fault::Error(lost.clone())).when(When::First(1));
    let db = slow(vec![rule.method(Method::MutateRows)]).await;
    let batcher = Batcher::new(db, TABLE, settings()).unwrap();
    let first = batcher.add(entry("a", "v")).await.unwrap();
    let second = batcher.add(entry("a", "v")).await.unwrap();
    batcher.close().await;
    assert_eq!(first.await, Err(lost));
    assert_eq!(second.await, Ok(()));
}

#[tokio::test]
async fn callers_wait_when_too_much_is_outstanding() {
    let db = slow(vec![late(Duration::from_millis(100))]).await;
    let few = BatcherSettings {
        entries: 1,
        outstanding_entries: 3,
        ..settings()
    };
    let batcher = Batcher::new(db.clone(), TABLE, few).unwrap();
    let begun = Instant::now();
    for number in 0..7 {
        batcher.add(entry(&number.to_string(), "v")).await.unwrap();
    }
    assert!(begun.elapsed() >= Duration::from_millis(200));
    let few = BatcherSettings {
        outstanding_bytes: 100,
        ..few
    };
    let batcher = Batcher::new(db.clone(), TABLE, few).unwrap();
    let begun = Instant::now();
    for number in 0..3 {
        let large = entry(&number.to_string(), &"x".repeat(500));
        batcher.add(large).await.unwrap();
    }
    assert!(begun.elapsed() >= Duration::from_millis(200));
}

#[tokio::test]
async fn nothing_taken_is_lost() {
    let db = slow(vec![late(Duration::from_millis(20))]).await;
    let batcher = Batcher::new(db.clone(), TABLE, settings()).unwrap();
    let mut outcomes = Vec::new();
    for number in 0..15 {
        outcomes.push(
            batcher
                .add(entry(&format!("{number:02}"), "v"))
                .await
                .unwrap(),
        );
    }
    drop(batcher);
    for outcome in outcomes {
        assert_eq!(outcome.await, Ok(()));
    }

    let batcher = Batcher::new(db.clone(), TABLE, settings()).unwrap();
    let clone = batcher.clone();
    let outcome = batcher.add(entry("a", "v")).await.unwrap();
    batcher.close().await;
    assert_eq!(outcome.await, Ok(()));
    let error = clone.add(entry("b", "v")).await.unwrap_err();
    assert_eq!(error.code, Code::FailedPrecondition);
    batcher.close().await;
}
