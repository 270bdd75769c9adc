//! The metrics that a program can collect.

use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings};
use bigtable_model::backend::metered::MeteredBackend;
use bigtable_model::data::{EntryBatch, FamilySchema, ReadRows, RowSet, TableSchema};
use bigtable_model::testing::backend_suite;
use bigtable_model::{Backend, MemoryBackend};
use bigtable_model_tests::emulator::lasting_port;
use futures::StreamExt;
use metrics::Unit;
use metrics_util::MetricKind;
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};

use crate::fixture::{TABLE, all, row, set};
use crate::scripted::{Scripted, Step};
use crate::scripted_calls::{begin, commit, read, send};

const OPERATION: &str = "bigtable_operation_duration_seconds";
const ATTEMPT: &str = "bigtable_attempt_duration_seconds";
const FIRST: &str = "bigtable_first_response_duration_seconds";
const RETRIES: &str = "bigtable_retries_total";
const UNREACHED: &str = "bigtable_connectivity_errors_total";

/// Collects the metrics of the test's thread, on which its runtime runs.
struct Figures {
    snapshotter: Snapshotter,
    _here: metrics::LocalRecorderGuard<'static>,
}

impl Figures {
    fn collect() -> Self {
        let recorder: &'static DebuggingRecorder = Box::leak(Box::default());
        Self {
            snapshotter: recorder.snapshotter(),
            _here: metrics::set_default_local_recorder(recorder),
        }
    }

    /// All metrics since the last call, as `name{labels} count`, sorted; and all times in seconds.
    fn take(&self) -> (Vec<String>, Vec<(String, f64)>) {
        let (mut counts, mut times) = (Vec::new(), Vec::new());
        for (key, unit, description, value) in self.snapshotter.snapshot().into_vec() {
            let (kind, key) = key.into_parts();
            let labels = key.labels().map(|label| label.value());
            let name = format!("{}{{{}}}", key.name(), labels.collect::<Vec<_>>().join(","));
            assert!(description.is_some(), "{name} is described");
            let keys: Vec<_> = key.labels().map(|label| label.key()).collect();
            assert_eq!(keys, ["method", "table", "app_profile", "status"]);
            let count = match value {
                DebugValue::Counter(count) => count,
                DebugValue::Histogram(values) => {
                    assert_eq!((kind, unit), (MetricKind::Histogram, Some(Unit::Seconds)));
                    let values = values.into_iter().map(f64::from);
                    let before = times.len();
                    times.extend(values.map(|value| (name.clone(), value)));
                    (times.len() - before) as u64
                }
                DebugValue::Gauge(_) => panic!("{name} is a gauge"),
            };
            if count > 0 {
                counts.push(format!("{name} {count}"));
            }
        }
        counts.sort();
        (counts, times)
    }

    fn counts(&self) -> Vec<String> {
        self.take().0
    }
}

#[tokio::test]
async fn operations_attempts_and_retries_are_counted() {
    let figures = Figures::collect();
    let (server, backend) = Scripted::start().await;
    let lost = || tonic::Status::unavailable("lost");
    server.mutate_row.script([Step::Fail(lost())]);
    let row_a = send([commit(begin("a", "1", 0))]);
    server.read_rows.script([row_a, Step::Fail(lost())]);
    let gone = tonic::Status::not_found("gone");
    server.read_rows.script([Step::Fail(gone)]);
    let one = row("k", vec![set("f", "q", 1000, "v")]);
    backend.mutate_row(TABLE, one).await.unwrap();
    read(&backend).await.unwrap_err();
    let profile = |name, method, status, count| {
        format!("{name}{{{method},{TABLE},my profile,{status}}} {count}")
    };
    assert_eq!(
        figures.counts(),
        [
            profile(ATTEMPT, "MutateRow", "OK", 1),
            profile(ATTEMPT, "MutateRow", "UNAVAILABLE", 1),
            profile(ATTEMPT, "ReadRows", "NOT_FOUND", 1),
            profile(ATTEMPT, "ReadRows", "UNAVAILABLE", 1),
            profile(FIRST, "ReadRows", "NOT_FOUND", 1),
            profile(OPERATION, "MutateRow", "OK", 1),
            profile(OPERATION, "ReadRows", "NOT_FOUND", 1),
            profile(RETRIES, "MutateRow", "UNAVAILABLE", 1),
            profile(RETRIES, "ReadRows", "UNAVAILABLE", 1),
        ]
    );
}

#[tokio::test]
async fn an_operation_takes_its_attempts_and_its_pauses() {
    const DELAY: Duration = Duration::from_secs(1);
    let figures = Figures::collect();
    let (server, backend) = Scripted::start().await;
    let lost = || Step::Fail(tonic::Status::unavailable("lost"));
    server.read_rows.script([Step::Wait(DELAY), lost()]);
    let row_a = send([commit(begin("a", "1", 0))]);
    server.read_rows.script([row_a, Step::Wait(DELAY)]);
    read(&backend).await.unwrap();
    let (_, times) = figures.take();
    let time = |name| {
        let of_name = times.iter().filter(|(one, _)| one.starts_with(name));
        of_name.map(|(_, seconds)| *seconds).sum::<f64>()
    };
    let (operation, attempts, first) = (time(OPERATION), time(ATTEMPT), time(FIRST));
    assert!(attempts >= 2.0 * DELAY.as_secs_f64(), "{times:?}");
    assert!(operation >= attempts, "{times:?}");
    assert!(first >= DELAY.as_secs_f64(), "{times:?}");
    // The first row may be noticed some time after it was sent.
    assert!(first < operation, "{times:?}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_connectivity_error() {
    let figures = Figures::collect();
    let settings = GrpcSettings::new("p", "i").emulator(format!("127.0.0.1:{}", lasting_port()));
    let backend = GrpcBackend::new(&settings).unwrap();
    let backend = backend
        .with_options(CallOptions::new().without_retries())
        .unwrap();
    read(&backend).await.unwrap_err();
    let labels = format!("{{ReadRows,{TABLE},,UNAVAILABLE}} 1");
    assert_eq!(
        figures.counts(),
        [ATTEMPT, UNREACHED, OPERATION].map(|name| format!("{name}{labels}"))
    );
}

#[tokio::test]
async fn what_is_given_up_is_cancelled_and_what_is_complete_is_not() {
    let figures = Figures::collect();
    let (server, backend) = Scripted::start().await;
    let steps = || [send([commit(begin("a", "1", 0))]), Step::Hang];
    server.read_rows.script(steps());
    let mut rows = backend.read_rows(all()).rows();
    rows.next().await.unwrap().unwrap();
    drop(rows);
    let given_up = |name, status| format!("{name}{{ReadRows,{TABLE},my profile,{status}}} 1");
    let three = [ATTEMPT, FIRST, OPERATION];
    assert_eq!(
        figures.counts(),
        three.map(|name| given_up(name, "CANCELLED"))
    );

    server.read_rows.script(steps());
    let mut rows = backend
        .read_rows(ReadRows {
            rows: RowSet::key("a"),
            ..all()
        })
        .rows();
    rows.next().await.unwrap().unwrap();
    drop(rows);
    assert_eq!(figures.counts(), three.map(|name| given_up(name, "OK")));
}

/// The wrapper, with other labels.
#[tokio::test]
async fn any_backend_can_be_counted() {
    let recorder: &'static DebuggingRecorder = Box::leak(Box::default());
    let _here = metrics::set_default_local_recorder(recorder);
    let db = MeteredBackend::new(Arc::new(MemoryBackend::new()), "cache");
    let schema = TableSchema {
        table: TABLE.to_owned(),
        families: [("f".to_owned(), FamilySchema::default())].into(),
        ..TableSchema::default()
    };
    db.tables().create(schema, Vec::new()).await.unwrap();
    let entry = |key, family| row(key, vec![set(family, "q", 1000, "v")]);
    let entries = vec![entry("a", "f"), entry("b", "f")];
    db.mutate_rows(TABLE, EntryBatch::of(entries))
        .await
        .unwrap();
    let entries = vec![entry("c", "none")];
    db.mutate_rows(TABLE, EntryBatch::of(entries))
        .await
        .unwrap();
    db.mutate_row("none", entry("a", "f")).await.unwrap_err();
    assert_eq!(db.read_rows(all()).rows().count().await, 2);
    let mut rows = db.handle().read_rows(all()).rows();
    rows.next().await.unwrap().unwrap();
    drop(rows);
    drop(db.read_rows(all()).rows());

    let snapshot = recorder.snapshotter().snapshot().into_vec();
    let count = |value| match value {
        DebugValue::Counter(count) => count,
        DebugValue::Histogram(times) => times.len() as u64,
        DebugValue::Gauge(_) => panic!("a gauge"),
    };
    let mut counts: Vec<_> = snapshot
        .into_iter()
        .map(|(key, _, _, value)| {
            let (_, key) = key.into_parts();
            let labels: Vec<_> = key.labels().map(|label| label.value()).collect();
            let name = key.name().strip_prefix("bigtable_backend_").unwrap();
            format!("{name} {} {}", labels.join(" "), count(value))
        })
        .collect();
    counts.sort();
    assert_eq!(
        counts,
        [
            "operation_duration_seconds CreateTable t cache OK 1",
            "operation_duration_seconds MutateRow none cache NOT_FOUND 1",
            "operation_duration_seconds MutateRows t cache OK 2",
            "operation_duration_seconds ReadRows t cache CANCELLED 1",
            "operation_duration_seconds ReadRows t cache OK 1",
            "rows_total MutateRow none cache NOT_FOUND 1",
            "rows_total MutateRows t cache NOT_FOUND 1",
            "rows_total MutateRows t cache OK 2",
            // A batch is delivered as a whole, even if only one of its rows is taken.
            "rows_total ReadRows t cache OK 4",
        ]
    );
}

/// It does not change what it counts.
#[tokio::test]
async fn a_counted_backend_passes_the_suite() {
    let new = || -> Arc<dyn Backend> {
        Arc::new(MeteredBackend::new(Arc::new(MemoryBackend::new()), "suite"))
    };
    backend_suite(new, &[]).await.assert_passed();
}
