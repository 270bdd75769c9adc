//! Every fault of `FaultyBackend`, for its caller and for typed operations.
#![cfg(feature = "testing")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_wrap,
    reason = "tests"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, Method, When};
use bigtable_model::data::{
    CheckAndMutateRow, EntryBatch, FamilySchema, Mutation, ReadModifyWriteRow, ReadModifyWriteRule,
    ReadRows, RowMutations, RowRange, RowSet, RuleAction, TableSchema,
};
use bigtable_model::testing::backend_suite;
use bigtable_model::{Backend, BackendExt, Code, Error, MemoryBackend, Model, Status, Timestamp};
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};

#[path = "faults/rules.rs"]
mod rules;
#[path = "faults/typed.rs"]
mod typed;

fn busy() -> Status {
    Status {
        retry_delay: Some(Duration::from_millis(7)),
        ..Status::new(Code::ResourceExhausted, "busy")
    }
}

fn moving() -> Status {
    Status::new(Code::Unavailable, "the tablet is moving")
}

/// A table `t` with the family `f`, with these rules.
async fn database(rules: Vec<FaultRule>) -> FaultyBackend {
    let db = FaultyBackend::new(Arc::new(MemoryBackend::new()), 7, rules).unwrap();
    db.set_active(false);
    let schema = TableSchema {
        table: "t".to_owned(),
        families: [("f".to_owned(), FamilySchema::default())].into(),
        ..TableSchema::default()
    };
    db.tables().create(schema, Vec::new()).await.unwrap();
    db.set_active(true);
    db
}

fn row(key: &str) -> RowMutations {
    RowMutations {
        key: Bytes::copy_from_slice(key.as_bytes()),
        mutations: vec![Mutation::SetCell {
            family: "f".into(),
            qualifier: Bytes::from_static(b"q"),
            timestamp_micros: 0,
            value: Bytes::from_static(b"v"),
        }],
    }
}

fn request() -> ReadRows {
    ReadRows {
        table: "t".to_owned(),
        ..ReadRows::default()
    }
}

/// The keys of the table, read without the rules.
async fn keys(db: &FaultyBackend) -> Vec<Bytes> {
    db.set_active(false);
    let rows: Vec<_> = db.read_rows(request()).rows().try_collect().await.unwrap();
    db.set_active(true);
    rows.into_iter().map(|row| row.key).collect()
}

#[tokio::test]
async fn without_rules_it_is_the_backend_it_wraps() {
    let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let db: Arc<dyn Backend> = Arc::new(FaultyBackend::new(memory, 0, Vec::new()).unwrap());
    let report = backend_suite(|| db.clone(), &[]).await;
    report.assert_passed();
}

#[tokio::test]
async fn an_error_comes_in_the_backends_place() {
    let rule = FaultRule::new(Fault::Error(busy())).method(Method::MutateRow);
    let db = database(vec![rule]).await;
    let error = db.mutate_row("t", row("a")).await.unwrap_err();
    assert_eq!(error, busy());
    assert!(error.is_retryable(), "the delay says so");
    assert!(keys(&db).await.is_empty());
    let injected = db.injected();
    assert_eq!((injected.errors, injected.total()), (1, 1));
    assert_eq!(injected.by_rule, [1]);
}

#[tokio::test]
async fn a_failed_read_is_one_error() {
    let db = database(vec![FaultRule::new(Fault::Error(moving()))]).await;
    let got: Vec<_> = db.read_rows(request()).rows().collect().await;
    assert_eq!(got, [Err(moving())]);
}

#[tokio::test]
async fn latencies_add_up() {
    let late = |millis| FaultRule::new(Fault::Latency(Duration::from_millis(millis)));
    let db = database(vec![late(20), late(30)]).await;
    let start = Instant::now();
    db.mutate_row("t", row("a")).await.unwrap();
    assert!(start.elapsed() >= Duration::from_millis(50));
    let start = Instant::now();
    let rows: Vec<_> = db.read_rows(request()).rows().collect().await;
    assert!(start.elapsed() >= Duration::from_millis(50));
    assert_eq!(rows.len(), 1);
    assert_eq!(db.injected().latencies, 4);
}

fn cut(after_rows: u64, inside_row: bool) -> FaultRule {
    FaultRule::new(Fault::CutRead {
        after_rows,
        inside_row,
        status: moving(),
    })
}

/// The number of rows that a read of three returns before its error, if any.
async fn cut_read(rule: FaultRule) -> (usize, Option<Status>, u64) {
    let db = database(vec![rule]).await;
    db.mutate_rows("t", EntryBatch::of([row("a"), row("b"), row("c")]))
        .await
        .unwrap();
    let mut rows: Vec<_> = db.read_rows(request()).rows().collect().await;
    let error = rows
        .pop_if(|last| last.is_err())
        .map(|last| last.unwrap_err());
    assert!(rows.iter().all(Result::is_ok));
    (rows.len(), error, db.injected().cuts)
}

#[tokio::test]
async fn a_read_is_cut_between_rows_and_inside_one() {
    for inside_row in [false, true] {
        for after_rows in 0..3 {
            let (rows, error, cuts) = cut_read(cut(after_rows, inside_row)).await;
            assert_eq!((rows as u64, error, cuts), (after_rows, Some(moving()), 1));
        }
    }
    // After the last row there is no row to break inside.
    assert_eq!(cut_read(cut(3, false)).await, (3, Some(moving()), 1));
    assert_eq!(cut_read(cut(3, true)).await, (3, None, 0));
    assert_eq!(cut_read(cut(4, false)).await, (3, None, 0));
}

#[tokio::test]
async fn a_cut_read_is_resumed_after_its_last_row() {
    let db = database(vec![cut(2, true).when(When::First(1))]).await;
    db.mutate_rows("t", EntryBatch::of(["a", "b", "c", "d"].map(row)))
        .await
        .unwrap();
    let mut rows = db.read_rows(request()).rows();
    let mut last = Bytes::new();
    while let Ok(Some(row)) = rows.try_next().await {
        last = row.key;
    }
    let after = RowRange {
        start: std::ops::Bound::Excluded(last),
        ..RowRange::all()
    };
    let rest = ReadRows {
        rows: RowSet::range(after),
        ..request()
    };
    let rest: Vec<_> = db.read_rows(rest).rows().try_collect().await.unwrap();
    let rest: Vec<_> = rest.iter().map(|row| row.key.as_ref()).collect();
    assert_eq!(rest, [b"c", b"d"]);
}

#[tokio::test]
async fn failed_entries_are_applied_or_not_as_declared() {
    for (applied, there) in [(false, vec!["a", "c"]), (true, vec!["a", "b", "c"])] {
        let status = moving();
        let rule = FaultRule::new(Fault::FailEntry { applied, status }).key("b");
        let db = database(vec![rule]).await;
        let entries = ["a", "b", "c"].map(row).to_vec();
        let outcomes = db.mutate_rows("t", EntryBatch::of(entries)).await.unwrap();
        assert_eq!(outcomes, [Ok(()), Err(moving()), Ok(())]);
        assert_eq!(keys(&db).await, there);
        assert_eq!(db.injected().entries, 1);
        let call = &db.calls()[1];
        assert_eq!(call.method, Method::MutateRows);
        assert_eq!((call.faults[0].rule, call.faults[0].entry), (0, Some(1)));
    }
}

#[tokio::test]
async fn every_entry_may_fail() {
    let status = moving();
    let applied = false;
    let db = database(vec![FaultRule::new(Fault::FailEntry { applied, status })]).await;
    let outcomes = db
        .mutate_rows("t", EntryBatch::of([row("a"), row("b")]))
        .await
        .unwrap();
    assert_eq!(outcomes, [Err(moving()), Err(moving())]);
    // A call that the backend refuses stays refused.
    let refused = db.mutate_rows("t", EntryBatch::of([])).await.unwrap_err();
    assert_eq!(refused.code, Code::InvalidArgument);
}

#[tokio::test]
async fn a_lost_answer_leaves_the_write_applied() {
    let db = database(vec![FaultRule::new(Fault::LoseAnswer(moving()))]).await;
    assert_eq!(db.mutate_row("t", row("a")).await, Err(moving()));
    let bulk = db
        .mutate_rows("t", EntryBatch::of([row("b"), row("c")]))
        .await;
    assert_eq!(bulk, Err(moving()));
    let checked = CheckAndMutateRow {
        table: "t".to_owned(),
        key: "d".into(),
        if_false: row("d").mutations,
        ..CheckAndMutateRow::default()
    };
    assert_eq!(db.check_and_mutate_row(checked).await, Err(moving()));
    let appended = ReadModifyWriteRow {
        table: "t".to_owned(),
        key: "e".into(),
        rules: vec![ReadModifyWriteRule {
            family: "f".into(),
            qualifier: "n".into(),
            action: RuleAction::Increment(1),
        }],
    };
    assert_eq!(db.read_modify_write_row(appended).await, Err(moving()));
    assert_eq!(keys(&db).await, ["a", "b", "c", "d", "e"]);
    assert_eq!(db.tables().delete("t").await, Err(moving()));
    assert_eq!(db.injected().answers, 5);
    db.set_active(false);
    assert_eq!(db.tables().list().await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_handle_has_the_same_rules() {
    let db = database(vec![FaultRule::new(Fault::Error(moving()))]).await;
    let handle = db.handle();
    assert!(format!("{handle:?}").contains("rules"));
    let got: Vec<_> = handle.read_rows(request()).rows().collect().await;
    assert_eq!(got, [Err(moving())]);
    assert_eq!(handle.tables().list().await, Err(moving()));
    assert_eq!(db.injected().errors, 2);
}
