//! Failed attempts: what the next one requests, and when there is one.

use std::time::Duration;

use bigtable_model::Code;
use bigtable_model::backend::grpc::CallOptions;

use crate::answers::{Part, hasty, names, text, texts, unavailable};
use crate::scripted::{Scripted, Step, advised};

#[tokio::test]
async fn the_next_attempt_names_the_last_token_if_there_is_one() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("plan"));
    let half = || Part::new().data(b"half");
    server.execute.script([half().into(), unavailable()]);
    let first = Part::new().reset().batch(vec![text("a")]).token("1");
    server
        .execute
        .script([first.into(), half().into(), unavailable()]);
    let void = Part::new().reset().batch(vec![text("void")]);
    server.execute.script([void.into(), unavailable()]);
    server.executes([Part::new().reset().batch(vec![text("b")]).token("2")]);
    assert_eq!(names(&backend).await.unwrap(), ["a", "b"]);
    let sent = server.execute.messages();
    let tokens: Vec<_> = sent.iter().map(|sent| &*sent.resume_token).collect();
    assert_eq!(tokens, [&b""[..], b"", b"1", b"1"]);
    assert!(sent.iter().all(|sent| sent.prepared_query == "plan"));
    assert_eq!(server.counts(), (1, 4));
}

#[tokio::test]
async fn what_waited_is_void_also_without_a_reset() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("plan"));
    let void = Part::new().batch(vec![text("void")]);
    server.execute.script([void.into(), unavailable()]);
    server.executes([Part::new().batch(vec![text("a")]).token("1")]);
    assert_eq!(names(&backend).await.unwrap(), ["a"]);
}

#[tokio::test]
async fn a_failure_after_the_last_row_is_followed_by_an_empty_stream() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("plan"));
    let all = Part::new().reset().batch(vec![text("a")]).token("1");
    server.execute.script([all.into(), unavailable()]);
    server.executes([]);
    assert_eq!(names(&backend).await.unwrap(), ["a"]);
    assert_eq!(server.execute.messages()[1].resume_token, "1");
}

#[tokio::test]
async fn failures_that_may_pass_are_followed_by_another_attempt_and_others_are_not() {
    let broken = "stream terminated by RST_STREAM";
    for (failure, retried) in [
        (tonic::Status::unavailable("x"), true),
        (tonic::Status::aborted("x"), true),
        (tonic::Status::deadline_exceeded("x"), true),
        (tonic::Status::internal(broken), true),
        (
            advised(
                tonic::Code::ResourceExhausted,
                "x",
                Duration::from_millis(1),
            ),
            true,
        ),
        (tonic::Status::internal("x"), false),
        (tonic::Status::resource_exhausted("x"), false),
        (tonic::Status::invalid_argument("x"), false),
        (tonic::Status::failed_precondition("x"), false),
    ] {
        let (server, backend) = Scripted::start_with(hasty).await;
        server.prepares(texts("plan"));
        let code = Code::from_number(failure.code() as i32);
        server.execute.script([Step::Fail(failure)]);
        server.executes([Part::new().batch(vec![text("a")]).token("t")]);
        let answer = names(&backend).await;
        match retried {
            true => assert_eq!(answer.unwrap(), ["a"]),
            false => assert_eq!(answer.unwrap_err().code, code),
        }
        assert_eq!(server.counts(), (1, 1 + usize::from(retried)), "{code}");
    }
}

#[tokio::test]
async fn preparing_survives_failures_in_a_row() {
    let (server, backend) = Scripted::start_with(hasty).await;
    for _ in 0..3 {
        server.prepare.script([unavailable()]);
    }
    server
        .prepare
        .script([Step::Fail(tonic::Status::aborted("x"))]);
    server.prepares(texts("plan"));
    server.executes([]);
    assert!(names(&backend).await.unwrap().is_empty());
    assert_eq!(server.counts(), (5, 1));
    let (server, backend) = Scripted::start_with(hasty).await;
    server
        .prepare
        .script([Step::Fail(tonic::Status::internal("x"))]);
    server.prepares(texts("plan"));
    assert_eq!(names(&backend).await.unwrap_err().code, Code::Internal);
    assert_eq!(server.counts(), (1, 0));
}

#[tokio::test]
async fn without_retries_a_query_is_one_attempt() {
    let (server, backend) = Scripted::start().await;
    let backend = backend
        .with_options(CallOptions::new().without_retries())
        .unwrap();
    server.prepares(texts("plan"));
    server.execute.script([unavailable()]);
    server.executes([]);
    assert_eq!(names(&backend).await.unwrap_err().code, Code::Unavailable);
    assert_eq!(server.counts(), (1, 1));
}

#[tokio::test]
async fn cookies_and_attempts_are_counted_on() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("plan"));
    let mut elsewhere = tonic::Status::unavailable("elsewhere");
    elsewhere
        .metadata_mut()
        .insert("x-goog-cbt-cookie-test", "here".parse().unwrap());
    server.execute.script([Step::Fail(elsewhere)]);
    server.execute.script([unavailable()]);
    server.executes([]);
    names(&backend).await.unwrap();
    let seen = server.execute.seen();
    let header = |call: usize, name| {
        seen[call]
            .headers
            .get(name)
            .map(|value| value.to_str().unwrap())
    };
    for (call, cookie) in [(0, None), (1, Some("here")), (2, Some("here"))] {
        assert_eq!(header(call, "x-goog-cbt-cookie-test"), cookie);
        assert_eq!(header(call, "bigtable-attempt").unwrap(), call.to_string());
    }
}

#[tokio::test]
async fn a_server_says_when_to_come_again() {
    let (server, backend) = Scripted::start().await;
    server.prepares(texts("plan"));
    let delay = Duration::from_millis(700);
    let later = advised(tonic::Code::Unavailable, "later", delay);
    server.execute.script([Step::Fail(later)]);
    server.executes([]);
    names(&backend).await.unwrap();
    let seen = server.execute.seen();
    assert!(seen[1].at - seen[0].at >= delay);
}

#[tokio::test]
async fn a_server_that_falls_silent_is_asked_again() {
    let (server, backend) = Scripted::start_with(hasty).await;
    let backend = backend
        .with_options(CallOptions::new().execute_query_idle(Duration::from_millis(300)))
        .unwrap();
    server.prepares(texts("plan"));
    let first = Part::new().batch(vec![text("a")]).token("1");
    server.execute.script([first.into(), Step::Hang]);
    server.executes([Part::new().batch(vec![text("b")]).token("2")]);
    assert_eq!(names(&backend).await.unwrap(), ["a", "b"]);
    assert_eq!(server.execute.messages()[1].resume_token, "1");
}
