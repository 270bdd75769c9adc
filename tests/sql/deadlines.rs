//! What a caller's deadline limits: each call on its own, and its steps.

use std::time::{Duration, Instant};

use bigtable_model::Code;
use bigtable_model::backend::grpc::{CallOptions, GrpcBackend};

use crate::answers::{Part, expired, hasty, names, text, texts, unavailable};
use crate::scripted::{Scripted, Step};

const TIME: Duration = Duration::from_secs(1);
const LONG: Duration = Duration::from_secs(60);

fn in_time(backend: &GrpcBackend) -> GrpcBackend {
    let options = CallOptions::new().deadline(TIME);
    backend.with_options(options).unwrap()
}

/// Runs a query that does not end in time, which is `time` by the caller's clock: the server sees
/// less of it.
async fn overdue(backend: &GrpcBackend, time: Duration) {
    let begun = Instant::now();
    let error = names(&in_time(backend)).await.unwrap_err();
    assert_eq!(error.code, Code::DeadlineExceeded, "{error}");
    let took = begun.elapsed();
    assert!(took >= time, "{took:?}");
    assert!(took < time + LONG / 6, "{took:?}");
}

#[tokio::test]
async fn the_first_preparation_ends_in_time() {
    let (server, backend) = Scripted::start().await;
    server.prepare.script([Step::Hang]);
    overdue(&backend, TIME).await;
    assert_eq!(server.counts().1, 0);
}

#[tokio::test]
async fn a_query_has_its_own_time_whatever_preparing_took() {
    let (server, backend) = Scripted::start().await;
    let most = TIME * 3 / 5;
    server
        .prepare
        .script([Step::Wait(most), Step::Send(texts("plan"))]);
    server.execute.script([Step::Hang]);
    overdue(&backend, most + TIME).await;
    let (server, backend) = Scripted::start().await;
    server
        .prepare
        .script([Step::Wait(most), Step::Send(texts("plan"))]);
    let row = Part::new().batch(vec![text("a")]).token("t");
    server.execute.script([Step::Wait(most), row.into()]);
    assert_eq!(names(&in_time(&backend)).await.unwrap(), ["a"]);
}

#[tokio::test]
async fn attempts_share_the_time() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("plan"));
    for _ in 0..2 {
        server.execute.script([Step::Wait(TIME / 3), unavailable()]);
    }
    server.execute.script([Step::Wait(LONG)]);
    overdue(&backend, TIME).await;
    assert_eq!(server.counts(), (1, 3));
}

#[tokio::test]
async fn a_refresh_shares_the_time_of_its_query() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("plan"));
    server.execute.script([expired()]);
    server.prepare.script([Step::Hang]);
    overdue(&backend, TIME).await;
    assert_eq!(server.counts(), (2, 1));
}

#[tokio::test]
async fn servers_are_told_and_what_they_cancel_in_the_end_is_overdue() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("plan"));
    let cancelled = || Step::Fail(tonic::Status::cancelled("the time is over"));
    server.execute.script([Step::Wait(TIME), cancelled()]);
    let error = names(&in_time(&backend)).await.unwrap_err();
    assert_eq!(error.code, Code::DeadlineExceeded, "{error}");
    for call in [
        server.prepare.seen()[0].headers.clone(),
        server.execute.seen()[0].headers.clone(),
    ] {
        let told = call.get("grpc-timeout").unwrap().to_str().unwrap();
        let (count, unit) = told.split_at(told.len() - 1);
        assert_eq!(unit, "u", "{told}");
        let told = Duration::from_micros(count.parse().unwrap());
        assert!(told >= TIME / 2 && told <= TIME, "{told:?}");
    }
    // Before the deadline it is a cancellation.
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("plan"));
    server.execute.script([cancelled()]);
    assert_eq!(
        names(&in_time(&backend)).await.unwrap_err().code,
        Code::Cancelled
    );
}
