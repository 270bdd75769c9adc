//! Metrics of queries: operations and attempts.

use bigtable_model::backend::metered::MeteredBackend;
use bigtable_model::{Backend, SqlExt};
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};

use crate::answers::{Part, SQL, expired, hasty, names, text, texts, unavailable};
use crate::scripted::Scripted;

/// All counts, as `name{labels} count`, without the time to the first message.
fn counted(snapshotter: &Snapshotter) -> Vec<String> {
    let mut counts = Vec::new();
    for (key, _, _, value) in snapshotter.snapshot().into_vec() {
        let (_, key) = key.into_parts();
        let labels: Vec<_> = key.labels().map(|label| label.value()).collect();
        let count = match value {
            DebugValue::Counter(count) => count,
            DebugValue::Histogram(values) => values.len() as u64,
            DebugValue::Gauge(_) => 0,
        };
        if count > 0 {
            counts.push(format!("{}{{{}}} {count}", key.name(), labels.join(",")));
        }
    }
    counts.sort();
    counts
}

#[tokio::test]
async fn queries_and_the_plans_inside_of_them_are_counted() {
    let recorder: &'static DebuggingRecorder = Box::leak(Box::default());
    let snapshotter = recorder.snapshotter();
    let _here = metrics::set_default_local_recorder(recorder);
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("old"));
    server.execute.script([unavailable()]);
    server.execute.script([expired()]);
    server.prepares(texts("new"));
    server.executes([Part::new().reset().batch(vec![text("a")]).token("t")]);
    assert_eq!(names(&backend).await.unwrap(), ["a"]);
    let profile = ",my profile,";
    assert_eq!(
        counted(&snapshotter),
        [
            format!(
                "bigtable_attempt_duration_seconds{{ExecuteQuery,{profile}FAILED_PRECONDITION}} 1"
            ),
            format!("bigtable_attempt_duration_seconds{{ExecuteQuery,{profile}OK}} 1"),
            format!("bigtable_attempt_duration_seconds{{ExecuteQuery,{profile}UNAVAILABLE}} 1"),
            format!("bigtable_attempt_duration_seconds{{PrepareQuery,{profile}OK}} 2"),
            format!("bigtable_first_response_duration_seconds{{ExecuteQuery,{profile}OK}} 1"),
            format!("bigtable_operation_duration_seconds{{ExecuteQuery,{profile}OK}} 1"),
            format!("bigtable_operation_duration_seconds{{PrepareQuery,{profile}OK}} 2"),
            format!("bigtable_retries_total{{ExecuteQuery,{profile}FAILED_PRECONDITION}} 1"),
            format!("bigtable_retries_total{{ExecuteQuery,{profile}UNAVAILABLE}} 1"),
        ]
    );
    server.prepares(texts("plan"));
    server.executes([Part::new().batch(vec![text("a"), text("b")]).token("t")]);
    let metered = MeteredBackend::new(backend.handle(), "db");
    let rows: Vec<String> = metered.sql(SQL).fetch().await.unwrap();
    assert_eq!(rows.len(), 2);
    let of_wrapper = |line: &String| line.starts_with("bigtable_backend_");
    let counts = counted(&snapshotter);
    let counts: Vec<_> = counts.iter().filter(|line| of_wrapper(line)).collect();
    assert_eq!(
        counts,
        [
            "bigtable_backend_operation_duration_seconds{ExecuteQuery,,db,OK} 1",
            "bigtable_backend_operation_duration_seconds{PrepareQuery,,db,OK} 1",
            "bigtable_backend_rows_total{ExecuteQuery,,db,OK} 2",
        ]
    );
}
