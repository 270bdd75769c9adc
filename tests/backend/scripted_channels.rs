//! Channels, and the end of a client.

use std::time::Duration;

use bigtable_model::backend::grpc::PoolSettings;
use bigtable_model::data::EntryBatch;
use bigtable_model::{Backend, Code};
use futures::StreamExt;

use crate::fixture::{TABLE, all, row, set};
use crate::scripted::{Scripted, Step};
use crate::scripted_calls::{begin, commit, read, send};

/// Stands for an hour.
const SOON: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn many_operations_are_under_way_at_once() {
    let (server, backend) = Scripted::start().await;
    for _ in 0..5 {
        server.read_rows.script([Step::Hang]);
    }
    let reads = futures::future::join_all((0..5).map(|_| read(&backend)));
    let all_came = async {
        while server.read_rows.seen().len() < 5 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    // None of them ends, so the last one came while the first was in progress.
    tokio::select! {
        ended = reads => panic!("{ended:?}"),
        came = tokio::time::timeout(PATIENCE, all_came) => came.unwrap(),
    }
}

#[tokio::test]
async fn calls_after_the_end_are_refused_and_those_before_it_finish() {
    let (server, backend) = Scripted::start().await;
    server.read_rows.script([
        send([commit(begin("a", "1", 0))]),
        Step::Wait(SOON),
        Step::Fail(tonic::Status::unavailable("on purpose")),
    ]);
    server
        .read_rows
        .script([send([commit(begin("b", "1", 0))])]);
    let mut rows = backend.read_rows(all()).rows();
    let mut late = backend.read_rows(all()).rows();
    assert!(rows.next().await.unwrap().is_ok());
    let closing = tokio::spawn({
        let backend = backend.clone();
        async move { backend.close().await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let one = row("k", vec![set("f", "q", 1000, "v")]);
    let errors = [
        backend.mutate_row(TABLE, one.clone()).await.unwrap_err(),
        backend
            .mutate_rows(TABLE, EntryBatch::of([one]))
            .await
            .unwrap_err(),
        backend.tables().get(TABLE).await.unwrap_err(),
        backend.warm().await.unwrap_err(),
        late.next().await.unwrap().unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.code, Code::FailedPrecondition);
        assert!(error.message.contains("closed"), "{error}");
        assert!(!error.is_retryable());
    }
    assert!(!closing.is_finished());
    assert_eq!(rows.next().await.unwrap().unwrap().key, "b");
    assert!(rows.next().await.is_none());
    let closed = tokio::time::timeout(Duration::from_secs(5), closing).await;
    closed.unwrap().unwrap();
    backend.close().await;
    assert_eq!(
        server.mutate_row.seen().len() + server.mutate_rows.seen().len(),
        0
    );
}

#[tokio::test]
async fn a_warm_client_has_pinged_over_each_channel() {
    let pool = PoolSettings {
        channels: 3,
        ..PoolSettings::plaintext()
    };
    let (server, backend) = Scripted::start_with(|settings| settings.pool(pool)).await;
    backend.warm().await.unwrap();
    let pings = server.ping.seen();
    assert_eq!(pings.len(), 3);
    assert_eq!(pings[0].message.name, "projects/p/instances/i");
    assert_eq!(pings[0].message.app_profile_id, "my profile");
    let params = pings[0].headers.get("x-goog-request-params").unwrap();
    assert_eq!(
        params,
        "name=projects%2Fp%2Finstances%2Fi&app_profile_id=my%20profile"
    );
}

#[tokio::test]
async fn channels_are_replaced_in_time_and_warmed_before() {
    let pool = PoolSettings {
        channels: 2,
        max_age: SOON,
        primed: true,
        ..PoolSettings::plaintext()
    };
    let (server, backend) = Scripted::start_with(|settings| settings.pool(pool)).await;
    server.read_rows.script([
        send([commit(begin("a", "1", 0))]),
        Step::Wait(8 * SOON),
        send([commit(begin("b", "1", 0))]),
    ]);
    assert_eq!(read(&backend).await.unwrap().len(), 2);
    let pings = server.ping.seen().len();
    assert!((4..=40).contains(&pings), "{pings} channels were opened");
    assert_eq!(server.read_rows.seen().len(), 1);
    let pool = PoolSettings {
        primed: false,
        ..pool
    };
    let (server, backend) = Scripted::start_with(|settings| settings.pool(pool)).await;
    for _ in 0..20 {
        server.read_rows.script([]);
        read(&backend).await.unwrap();
        tokio::time::sleep(SOON / 10).await;
    }
    assert!(server.ping.seen().is_empty());
}
