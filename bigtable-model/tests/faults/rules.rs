//! Which calls match rules.

use bigtable_model::data::EntryBatch;
use proptest::prelude::*;

use super::*;
use bigtable_model::backend::faults::KeyMatch;

fn error() -> FaultRule {
    FaultRule::new(Fault::Error(moving()))
}

/// The writes that fail, out of ten.
async fn failed(db: &FaultyBackend) -> Vec<u32> {
    let mut failed = Vec::new();
    for number in 1..=10 {
        if db.mutate_row("t", row("a")).await.is_err() {
            failed.push(number);
        }
    }
    failed
}

#[tokio::test]
async fn matches_are_counted_from_one() {
    for (when, expected) in [
        (When::Always, (1..=10).collect()),
        (When::Nth(3), vec![3]),
        (When::Every(4), vec![4, 8]),
        (When::First(2), vec![1, 2]),
        (When::Probability(0.0), Vec::new()),
        (When::Probability(1.0), (1..=10).collect()),
    ] {
        let db = database(vec![error().when(when)]).await;
        assert_eq!(failed(&db).await, expected, "{when:?}");
    }
}

#[tokio::test]
async fn a_seed_replays() {
    let mut drawn = Vec::new();
    for seed in [1, 1, 2] {
        let rule = error().when(When::Probability(0.5));
        let memory = Arc::new(MemoryBackend::new());
        let db = FaultyBackend::new(memory, seed, vec![rule]).unwrap();
        assert_eq!(db.seed(), seed);
        let mut hits = Vec::new();
        for _ in 0..1_000 {
            hits.push(db.tables().list().await.is_err());
        }
        let share = db.injected().errors;
        assert!((420..580).contains(&share), "{share} of 1,000");
        drawn.push(hits);
    }
    assert_eq!(drawn[0], drawn[1]);
    assert_ne!(drawn[0], drawn[2]);
}

#[tokio::test]
async fn the_first_rule_that_fails_a_call_ends_the_search() {
    let other = || FaultRule::new(Fault::Error(busy())).when(When::Nth(1));
    let db = database(vec![error().when(When::Nth(1)), other()]).await;
    assert_eq!(db.mutate_row("t", row("a")).await, Err(moving()));
    // The second rule did not count the first call.
    assert_eq!(db.mutate_row("t", row("a")).await, Err(busy()));
    assert_eq!(db.mutate_row("t", row("a")).await, Ok(()));
    assert_eq!(db.injected().by_rule, [1, 1]);
    let rules: Vec<Vec<_>> = db.calls()[1..]
        .iter()
        .map(|call| call.faults.iter().map(|fault| fault.rule).collect())
        .collect();
    assert_eq!(rules, [vec![0], vec![1], vec![]]);
}

#[tokio::test]
async fn tables_methods_and_keys_narrow_a_rule() {
    let db = database(vec![
        error().table("other"),
        error().method(Method::MutateRow).key("k"),
        error().method(Method::ReadRows).prefix("p"),
    ])
    .await;
    assert_eq!(db.mutate_row("t", row("a")).await, Ok(()));
    assert_eq!(db.mutate_row("t", row("k")).await, Err(moving()));
    assert_eq!(db.mutate_row("other", row("a")).await, Err(moving()));
    assert_eq!(
        db.mutate_rows("t", EntryBatch::of([row("k")])).await,
        Ok(vec![Ok(())])
    );
    let read = |rows| {
        let request = ReadRows { rows, ..request() };
        async {
            db.read_rows(request)
                .rows()
                .try_collect::<Vec<_>>()
                .await
                .is_err()
        }
    };
    assert!(read(RowSet::all()).await);
    assert!(read(RowSet::key("pq")).await);
    assert!(!read(RowSet::key("a")).await);
    assert!(read(RowSet::range(RowRange::half_open("a", "p\0"))).await);
    assert!(!read(RowSet::range(RowRange::half_open("a", "p"))).await);
    assert!(!read(RowSet::range(RowRange::half_open("q", "z"))).await);
}

#[tokio::test]
async fn calls_are_logged_in_order() {
    let db = database(Vec::new()).await;
    db.mutate_row("t", row("a")).await.unwrap();
    db.tables().list().await.unwrap();
    // A read that is never polled never happens.
    drop(db.read_rows(request()).rows());
    let calls = db.calls();
    let shown: Vec<_> = calls
        .iter()
        .map(|call| {
            (
                call.number,
                call.method,
                call.table.as_deref(),
                call.key.clone(),
            )
        })
        .collect();
    let expected = [
        (1, Method::CreateTable, Some("t"), None),
        (2, Method::MutateRow, Some("t"), Some(Bytes::from("a"))),
        (3, Method::ListTables, None, None),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_rule_that_can_do_nothing_is_refused() {
    let latency = || FaultRule::new(Fault::Latency(Duration::ZERO));
    for (rule, words) in [
        (
            cut(1, false).method(Method::MutateRow),
            "CutRead cannot hit MutateRow",
        ),
        (
            FaultRule::new(Fault::LoseAnswer(busy())).method(Method::ReadRows),
            "LoseAnswer cannot hit ReadRows",
        ),
        (
            latency().method(Method::GetTable).key("k"),
            "GetTable names no rows",
        ),
        (
            latency().method(Method::ListTables).table("t"),
            "names no table",
        ),
        (
            FaultRule::new(Fault::Error(Status::new(Code::Ok, ""))),
            "cannot be OK",
        ),
        (latency().when(When::Every(0)), "counted from 1"),
        (
            latency().when(When::Probability(1.5)),
            "1.5 is no probability",
        ),
        (
            latency().when(When::Probability(f64::NAN)),
            "is no probability",
        ),
    ] {
        let memory = Arc::new(MemoryBackend::new());
        let refused = FaultyBackend::new(memory, 0, vec![latency(), rule]).unwrap_err();
        assert_eq!(refused.rule, 1);
        let shown = refused.to_string();
        assert!(shown.contains(words), "{shown}");
    }
}

fn key() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(prop_oneof![Just(0_u8), Just(b'a'), Just(0xff)], 0..4)
        .prop_map(Bytes::from)
}

fn bound() -> impl Strategy<Value = std::ops::Bound<Bytes>> {
    use std::ops::Bound;
    prop_oneof![
        key().prop_map(Bound::Included),
        key().prop_map(Bound::Excluded),
        Just(Bound::Unbounded),
    ]
}

proptest! {
    /// A read of a key matches the rules for that key and for each of its prefixes.
    #[test]
    fn a_read_is_matched_by_every_key_it_asks_for(
        start in bound(), end in bound(), key in key(), cut in 0_usize..4,
    ) {
        let range = RowRange { start, end };
        let prefix = key.slice(..cut.min(key.len()));
        let exact = hit(KeyMatch::Exact(key.clone()), range.clone());
        prop_assert_eq!(exact, range.contains(&key));
        if exact {
            prop_assert!(hit(KeyMatch::Prefix(prefix), range));
        }
    }

    /// The range of a read that matches a prefix can hold a key with that prefix.
    #[test]
    fn a_prefix_matches_no_range_before_or_after_it(
        start in bound(), end in bound(), prefix in key(),
    ) {
        let range = RowRange { start, end };
        let last = Bytes::from([prefix.as_ref(), &[0xff; 8]].concat());
        let (from, to) = range.bounds();
        let before = to.map(|end| *end < *prefix);
        let after = from.map(|start| *start > *last);
        let outside = [before, after].into_iter().any(|side| {
            matches!(side, std::ops::Bound::Included(true) | std::ops::Bound::Excluded(true))
        });
        if outside {
            prop_assert!(!hit(KeyMatch::Prefix(prefix), range));
        }
    }
}

/// Whether a rule for these keys matches a read of this range, which may be empty.
fn hit(keys: KeyMatch, range: RowRange) -> bool {
    let rule = FaultRule {
        keys: Some(keys),
        ..error()
    };
    let db = FaultyBackend::new(Arc::new(MemoryBackend::new()), 0, vec![rule]).unwrap();
    let rows = RowSet::range(range);
    let read = db.read_rows(ReadRows { rows, ..request() }).rows();
    drop(futures::executor::block_on(read.collect::<Vec<_>>()));
    db.injected().errors == 1
}

#[tokio::test(start_paused = true)]
async fn a_fault_takes_any_time() {
    for latency in [Duration::ZERO, Duration::from_nanos(1), Duration::MAX] {
        let rules = vec![FaultRule::new(Fault::Latency(latency)); 3];
        let db = FaultyBackend::new(Arc::new(MemoryBackend::new()), 1, rules).unwrap();
        let mut listed = db.tables().list();
        if latency == Duration::MAX {
            assert!(futures::poll!(&mut listed).is_pending());
            continue;
        }
        assert_eq!(listed.await, Ok(Vec::new()));
    }
}
