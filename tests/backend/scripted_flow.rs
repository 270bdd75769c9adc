//! Bulk writes at the rate that the server wants.

use std::time::{Duration, Instant};

use bigtable_model::backend::grpc::{CallOptions, FlowControl, GrpcBackend, wire};
use bigtable_model::data::EntryBatch;
use bigtable_model::{Backend, Code, Status};

use crate::fixture::{TABLE, row, set};
use crate::scripted::{Scripted, Step};

fn answer(info: Option<wire::RateLimitInfo>) -> Step<wire::MutateRowsResponse> {
    let outcome = wire::MutateRowsOutcome {
        index: 0,
        status: Some(wire::RpcStatus::default()),
    };
    Step::Send(wire::MutateRowsResponse {
        entries: vec![outcome],
        rate_limit_info: info,
    })
}

async fn write(backend: &GrpcBackend) -> Result<(), Status> {
    let one = row("k", vec![set("f", "q", 1000, "v")]);
    let outcomes = backend.mutate_rows(TABLE, EntryBatch::of([one])).await?;
    outcomes.into_iter().collect()
}

fn slower(factor: f64) -> Option<wire::RateLimitInfo> {
    Some(wire::RateLimitInfo {
        period: Some(Duration::from_secs(60).into()),
        factor,
    })
}

/// The rate of a test's requests unless the server sets another.
fn fast() -> FlowControl {
    FlowControl {
        initial_rate: 10_000.0,
        min_factor: 0.000_5,
        failure_factor: 0.000_5,
        ..FlowControl::default()
    }
}

/// The minimum time of three more requests at five a second.
const THREE: Duration = Duration::from_millis(400);

#[tokio::test]
async fn without_flow_control_advice_is_neither_asked_for_nor_taken() {
    let (server, backend) = Scripted::start().await;
    for _ in 0..20 {
        server.mutate_rows.script([answer(slower(0.000_1))]);
        write(&backend).await.unwrap();
    }
    let seen = server.mutate_rows.seen();
    let features = seen[0].headers.get("bigtable-features").unwrap();
    assert_eq!(features, "CAEgATABOAFAAQ==");
}

#[tokio::test]
async fn with_it_advice_is_asked_for_and_taken() {
    let (server, backend) = Scripted::start_with(|settings| settings.flow_control(fast())).await;
    for info in [slower(0.000_5), None, None, None] {
        server.mutate_rows.script([answer(info)]);
    }
    write(&backend).await.unwrap();
    let begun = Instant::now();
    for _ in 0..3 {
        write(&backend).await.unwrap();
    }
    assert!(begun.elapsed() >= THREE, "{:?}", begun.elapsed());
    let seen = server.mutate_rows.seen();
    let features = seen[0].headers.get("bigtable-features").unwrap();
    assert_eq!(features, "CAEYASABKAEwATgBQAE=");
}

#[tokio::test]
async fn failures_of_too_much_work_slow_it_down_too() {
    let (server, backend) = Scripted::start_with(|settings| settings.flow_control(fast())).await;
    let busy = tonic::Status::resource_exhausted("busy");
    server.mutate_rows.script([Step::Fail(busy)]);
    write(&backend).await.unwrap_err();
    let begun = Instant::now();
    for _ in 0..3 {
        server.mutate_rows.script([answer(None)]);
        write(&backend).await.unwrap();
    }
    assert!(begun.elapsed() >= THREE, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_write_whose_turn_comes_too_late_is_not_sent() {
    let slow = FlowControl {
        initial_rate: 0.1,
        ..FlowControl::default()
    };
    let (server, backend) = Scripted::start_with(|settings| settings.flow_control(slow)).await;
    let backend = backend
        .with_options(CallOptions::new().deadline(Duration::from_secs(5)))
        .unwrap();
    server.mutate_rows.script([answer(None)]);
    write(&backend).await.unwrap();
    let begun = Instant::now();
    let error = write(&backend).await.unwrap_err();
    assert_eq!(error.code, Code::DeadlineExceeded, "{error}");
    for words in ["not sent", "0.1 bulk writes a second"] {
        assert!(error.message.contains(words), "{error}");
    }
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "it is told at once"
    );
    assert_eq!(server.mutate_rows.seen().len(), 1);
    // Reads and single writes are not delayed.
    let one = row("k", vec![set("f", "q", 1000, "v")]);
    backend.mutate_row(TABLE, one).await.unwrap();
}
