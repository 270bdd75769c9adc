//! Metrics of hosts, and the newest of each: events that are out of order, late or repeated, and
//! failures between writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use bigtable_model::backend::faults::When;
use bigtable_model::data::RowDeletion;
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};

use super::{failing, faulty};
use crate::support::emulated;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METRIC", family = "M", mirror(CurrentMetric))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(text)]
    user: u8,
    #[bigtable(text)]
    idle: Option<u8>,
    #[bigtable(columns, text)]
    rest: BTreeMap<String, u8>,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "CURRENT_METRIC", family = "M", layout = "latest")]
struct CurrentMetric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(text)]
    user: u8,
    #[bigtable(text)]
    idle: Option<u8>,
    #[bigtable(columns, text)]
    rest: BTreeMap<String, u8>,
}

impl From<&Metric> for CurrentMetric {
    fn from(metric: &Metric) -> Self {
        let Metric {
            host,
            at,
            user,
            idle,
            rest,
        } = metric.clone();
        Self {
            host,
            at,
            user,
            idle,
            rest,
        }
    }
}

/// An event, and how it is written: alone or with others, with or without a retry after a failure.
#[derive(Debug, Clone)]
struct Write {
    metrics: Vec<Metric>,
    at_once: bool,
    again: bool,
}

fn metric() -> impl Strategy<Value = Metric> {
    let rest = prop::collection::btree_map("[ab]", any::<u8>(), 0..3);
    let (host, at) = ("[xyz]", 0..6_i64);
    (host, at, any::<u8>(), any::<Option<u8>>(), rest).prop_map(|(host, at, user, idle, rest)| {
        Metric {
            host,
            at: Timestamp::from_millis(at),
            user,
            idle,
            rest,
        }
    })
}

fn writes() -> impl Strategy<Value = Vec<Write>> {
    let metrics = prop::collection::vec(metric(), 1..5);
    let write = (metrics, any::<bool>(), any::<bool>());
    let write = write.prop_map(|(metrics, at_once, again)| Write {
        metrics,
        at_once,
        again,
    });
    prop::collection::vec(write, 1..12)
}

/// The newest event of each host in the source.
async fn newest(db: &dyn Backend) -> Vec<CurrentMetric> {
    let all = db.fetch(&Metric::scan()).await.unwrap();
    let mut newest: BTreeMap<&str, &Metric> = BTreeMap::new();
    for metric in &all {
        let known = newest.entry(&metric.host).or_insert(metric);
        if metric.at >= known.at {
            *known = metric;
        }
    }
    newest.into_values().map(CurrentMetric::from).collect()
}

async fn current(db: &dyn Backend) -> Vec<CurrentMetric> {
    db.fetch(&CurrentMetric::scan()).await.unwrap()
}

/// Writes with failures, repairs, compares; returns whether a repair was needed.
async fn case(
    inner: &Arc<dyn Backend>,
    seed: u64,
    writes: &[Write],
) -> Result<bool, TestCaseError> {
    let rules = vec![
        failing("METRIC", When::Probability(0.2)),
        failing("CURRENT_METRIC", When::Probability(0.4)),
    ];
    let db = faulty(inner.clone(), seed, rules);
    db.ensure_tables::<Metric>().await.unwrap();
    for table in ["METRIC", "CURRENT_METRIC"] {
        db.tables()
            .drop_rows(table, RowDeletion::All)
            .await
            .unwrap();
    }
    db.set_active(true);
    for write in writes {
        let mut failed = send(&db, write).await;
        if failed && write.again {
            failed = send(&db, write).await;
        }
        let _ = failed;
    }
    db.set_active(false);
    let report = db.repair(&Metric::scan()).await.unwrap();
    prop_assert!(report.is_clean(), "{:?}", report);
    prop_assert_eq!(current(&db).await, newest(&db).await);
    let again = db.repair(&Metric::scan()).await.unwrap();
    prop_assert_eq!(again.written(), 0);
    Ok(report.written() > 0)
}

/// Returns whether it failed.
async fn send(db: &dyn Backend, write: &Write) -> bool {
    if write.at_once {
        return !db.insert_many(&write.metrics).await.failed().is_empty();
    }
    let mut failed = false;
    for metric in &write.metrics {
        failed |= db.insert(metric).await.is_err();
    }
    failed
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn after_a_repair_the_latest_value_is_the_newest_event(seed in any::<u64>(), writes in writes()) {
        let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
        runtime().block_on(case(&memory, seed, &writes))?;
    }
}

#[tokio::test]
async fn after_a_repair_the_latest_value_is_the_newest_event_on_the_emulator() {
    let Some(emulator) = emulated("mirrors", "servers") else {
        return;
    };
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let mut repaired = 0;
    for seed in 0..20 {
        let writes = writes().new_tree(&mut runner).unwrap().current();
        repaired += usize::from(case(&emulator, seed, &writes).await.unwrap());
    }
    assert!(repaired > 5, "{repaired} cases had something to repair");
}
