//! Plans that expire.

use std::time::{Duration, SystemTime};

use bigtable_model::backend::grpc::{CallOptions, wire};
use bigtable_model::backend::sql::{SqlParameters, SqlType, SqlValue};
use bigtable_model::{Backend, Code};
use futures::TryStreamExt;

use crate::answers::{
    Part, all, assert_broken, column, expired, hasty, int, int64, names, plain, plan, precondition,
    string, text, texts, unavailable,
};
use crate::scripted::{Scripted, Step};

#[tokio::test]
async fn an_expired_plan_is_replaced_and_its_columns_with_it() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("old"));
    let half = Part::new().reset().batch(vec![text("void")]);
    server.execute.script([half.into(), expired()]);
    server.prepares(plan(
        "new",
        vec![column("n", int64()), column("s", string())],
    ));
    server.executes([Part::new()
        .reset()
        .batch(vec![int(7), text("x")])
        .token("t")]);
    let prepared = backend.sql_service().prepare(&plain()).await.unwrap();
    let mut rows = backend
        .sql_service()
        .execute(&prepared, SqlParameters::new());
    assert_eq!(rows.columns().len(), 1);
    let row = rows.try_next().await.unwrap().unwrap();
    assert_eq!(row.get("n"), Some(&SqlValue::Int64(7)));
    assert_eq!(row.get("s"), Some(&SqlValue::String("x".into())));
    assert_eq!(rows.try_next().await.unwrap(), None);
    assert_eq!(*rows.columns(), *row.columns().clone());
    assert_eq!(rows.columns().as_slice()[0].sql_type, SqlType::Int64);
    let sent = server.execute.messages();
    let plans: Vec<_> = sent.iter().map(|sent| &*sent.prepared_query).collect();
    assert_eq!(plans, [&b"old"[..], b"new"]);
    assert!(sent.iter().all(|sent| sent.resume_token.is_empty()));
    assert_eq!(server.counts(), (2, 2));
    // The next query that executes the plan uses the new one.
    server.executes([]);
    let rows = backend
        .sql_service()
        .execute(&prepared, SqlParameters::new());
    assert_eq!(rows.columns().len(), 2);
    assert_eq!(rows.try_collect::<Vec<_>>().await.unwrap().len(), 0);
    assert_eq!(server.counts(), (2, 3));
}

#[tokio::test]
async fn query_and_types_of_parameters_are_prepared_again() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("old"));
    server.execute.script([expired()]);
    server.prepares(texts("new"));
    server.executes([]);
    let parameters = SqlParameters::new().bind("x", 3_i64);
    assert!(all(&backend, parameters).await.unwrap().is_empty());
    let prepared = server.prepare.messages();
    assert_eq!(prepared[0], prepared[1]);
    let executed = server.execute.messages();
    assert_eq!(executed[0].params, executed[1].params);
}

#[tokio::test]
async fn a_plan_may_expire_at_a_later_attempt() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("old"));
    let half = Part::new().reset().data(b"half");
    server.execute.script([half.into(), unavailable()]);
    server.execute.script([expired()]);
    server.prepares(texts("new"));
    server.executes([Part::new().reset().batch(vec![text("a")]).token("t")]);
    assert_eq!(names(&backend).await.unwrap(), ["a"]);
    assert_eq!(server.counts(), (2, 3));
    let sent = server.execute.messages();
    let plans: Vec<_> = sent.iter().map(|sent| &*sent.prepared_query).collect();
    assert_eq!(plans, [&b"old"[..], b"old", b"new"]);
}

#[tokio::test]
async fn after_a_token_an_expired_plan_ends_the_query() {
    for other_stream in [false, true] {
        let (server, backend) = Scripted::start_with(hasty).await;
        server.prepares(texts("plan"));
        let first = Part::new().reset().batch(vec![text("a")]).token("t");
        match other_stream {
            false => server.execute.script([first.into(), expired()]),
            true => {
                server.execute.script([first.into(), unavailable()]);
                server.execute.script([expired()]);
            }
        }
        let error = names(&backend).await.unwrap_err();
        assert_broken(&error, "Unexpected plan refresh attempt after first token");
        assert_eq!(server.counts(), (1, 1 + usize::from(other_stream)));
    }
    // A token alone counts too.
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("plan"));
    server
        .execute
        .script([Part::new().token("t").into(), expired()]);
    let error = names(&backend).await.unwrap_err();
    assert_broken(&error, "Unexpected plan refresh attempt after first token");
    assert_eq!(server.counts(), (1, 1));
}

#[tokio::test]
async fn other_preconditions_are_final() {
    let plain = tonic::Status::failed_precondition("PREPARED_QUERY_EXPIRED");
    for failure in [precondition("ANOTHER"), plain] {
        let (server, backend) = Scripted::start_with(hasty).await;
        server.prepares(texts("plan"));
        server.execute.script([Step::Fail(failure)]);
        server.prepares(texts("new"));
        let error = names(&backend).await.unwrap_err();
        assert_eq!(error.code, Code::FailedPrecondition);
        assert_eq!(server.counts(), (1, 1));
    }
}

#[tokio::test]
async fn a_refresh_survives_failures_that_may_pass() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("old"));
    server.execute.script([expired()]);
    for _ in 0..3 {
        server.prepare.script([unavailable()]);
    }
    server.prepares(texts("new"));
    server.executes([]);
    assert!(names(&backend).await.unwrap().is_empty());
    assert_eq!(server.counts(), (5, 2));
}

#[tokio::test]
async fn a_refresh_that_fails_costs_an_attempt_and_the_old_plan_is_not_sent() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("old"));
    server.execute.script([expired()]);
    server
        .prepare
        .script([Step::Fail(tonic::Status::internal("x"))]);
    server.prepares(texts("new"));
    server.executes([Part::new().reset().batch(vec![text("a")]).token("t")]);
    assert_eq!(names(&backend).await.unwrap(), ["a"]);
    assert_eq!(server.counts(), (3, 2));
    assert_eq!(server.execute.messages()[1].prepared_query, "new");
}

#[tokio::test]
async fn a_refresh_that_is_refused_ends_the_query() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(texts("old"));
    server.execute.script([expired()]);
    let gone = tonic::Status::not_found("the table is gone");
    server.prepare.script([Step::Fail(gone)]);
    let error = names(&backend).await.unwrap_err();
    assert_eq!(
        (error.code, &*error.message),
        (Code::NotFound, "the table is gone")
    );
    assert_eq!(server.counts(), (2, 1));
}

#[tokio::test]
async fn the_new_plan_is_checked_as_the_first_one() {
    for (columns, words) in [
        (vec![], "columns cannot be empty"),
        (
            vec![column("x", wire::SqlType { kind: None })],
            "column type cannot be empty",
        ),
    ] {
        let (server, backend) = Scripted::start_with(hasty).await;
        server.prepares(texts("old"));
        server.execute.script([expired()]);
        server.prepares(plan("new", columns));
        let error = names(&backend).await.unwrap_err();
        assert_broken(&error, words);
        assert_eq!(server.counts(), (2, 1));
    }
}

#[tokio::test]
async fn a_server_whose_plans_are_always_too_old_is_not_asked_for_ever() {
    let (server, backend) = Scripted::start_with(hasty).await;
    let second = CallOptions::new().deadline(Duration::from_secs(1));
    let patient = backend.with_options(second).unwrap();
    for _ in 0..5_000 {
        server.prepares(texts("plan"));
        server.execute.script([expired()]);
    }
    let error = names(&patient).await.unwrap_err();
    let codes = [Code::FailedPrecondition, Code::DeadlineExceeded];
    assert!(codes.contains(&error.code), "{error}");
}

#[tokio::test]
async fn without_retries_a_plan_is_replaced_once() {
    let (server, backend) = Scripted::start().await;
    let once = CallOptions::new().without_retries();
    let backend = backend.with_options(once).unwrap();
    for _ in 0..3 {
        server.prepares(texts("plan"));
        server.execute.script([expired()]);
    }
    let error = names(&backend).await.unwrap_err();
    assert_eq!(error.code, Code::FailedPrecondition);
    assert_eq!(server.counts(), (2, 2));
}

/// A plan with this lifetime by the local clock.
fn living(token: &'static str, life: Duration) -> wire::PrepareQueryResponse {
    let until = SystemTime::now() + life;
    let until = until.duration_since(SystemTime::UNIX_EPOCH).unwrap();
    wire::PrepareQueryResponse {
        valid_until: Some(wire::Timestamp {
            seconds: i64::try_from(until.as_secs()).unwrap(),
            nanos: until.subsec_nanos().cast_signed(),
        }),
        ..texts(token)
    }
}

#[tokio::test]
async fn a_plan_is_replaced_ahead_of_its_end() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(living("old", Duration::from_secs(2)));
    server.executes([]);
    let plan = backend.sql_service().prepare(&plain()).await.unwrap();
    let execute = async || {
        let rows = backend.sql_service().execute(&plan, SqlParameters::new());
        rows.try_collect::<Vec<_>>().await.unwrap()
    };
    execute().await;
    assert_eq!(server.counts(), (1, 1), "one that is fresh is used");
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    server.prepares(living("new", Duration::from_secs(3_600)));
    server.executes([]);
    execute().await;
    server.executes([]);
    execute().await;
    assert_eq!(server.counts(), (2, 3));
    let sent = server.execute.messages();
    let plans: Vec<_> = sent.iter().map(|sent| &*sent.prepared_query).collect();
    assert_eq!(plans, [&b"old"[..], b"new", b"new"]);
}

#[tokio::test]
async fn a_plan_that_cannot_be_replaced_yet_is_used_to_its_end() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(living("old", Duration::from_secs(2)));
    let plan = backend.sql_service().prepare(&plain()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    server.prepare.script([unavailable()]);
    server.executes([Part::new().batch(vec![text("a")]).token("t")]);
    let rows = backend.sql_service().execute(&plan, SqlParameters::new());
    assert_eq!(rows.try_collect::<Vec<_>>().await.unwrap().len(), 1);
    assert_eq!(server.counts(), (2, 1));
    assert_eq!(server.execute.messages()[0].prepared_query, "old");
}

#[tokio::test]
async fn a_plan_that_has_ended_by_our_clock_is_used_all_the_same() {
    let (server, backend) = Scripted::start_with(hasty).await;
    let mut old = texts("old");
    old.valid_until = Some(wire::Timestamp::default());
    server.prepares(old);
    server.executes([]);
    assert!(names(&backend).await.unwrap().is_empty());
    assert_eq!(server.counts(), (1, 1));
}
