//! A single query: its requests and results.

use bigtable_model::backend::grpc::wire;
use bigtable_model::backend::sql::{
    SqlDate, SqlParameters, SqlQuery, SqlTimestamp, SqlType, SqlValue,
};
use bigtable_model::{Backend, Code};
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};

use crate::answers::{
    Part, SQL, all, assert_broken, column, int64, list, names, null, of, plain, plan, string, text,
    texts,
};
use crate::scripted::{Scripted, Step};

const INSTANCE: &str = "projects/p/instances/i";

#[tokio::test]
async fn a_query_is_prepared_once_and_executed_once() {
    let (server, backend) = Scripted::start().await;
    server.prepares(texts("the plan"));
    server.executes([Part::new()
        .reset()
        .batch(vec![text("a"), text("b")])
        .token("t")]);
    assert_eq!(names(&backend).await.unwrap(), ["a", "b"]);
    let prepared = server.prepare.messages();
    let expected = wire::PrepareQueryRequest {
        instance_name: INSTANCE.to_owned(),
        app_profile_id: "my profile".to_owned(),
        query: SQL.to_owned(),
        proto_format: Some(wire::Empty {}),
        param_types: [].into(),
    };
    assert_eq!(prepared, [expected]);
    let expected = wire::ExecuteQueryRequest {
        instance_name: INSTANCE.to_owned(),
        app_profile_id: "my profile".to_owned(),
        prepared_query: "the plan".into(),
        ..wire::ExecuteQueryRequest::default()
    };
    assert_eq!(server.execute.messages(), [expected]);
}

#[tokio::test]
async fn both_calls_are_routed_and_say_who_calls() {
    let (server, backend) = Scripted::start().await;
    server.prepares(texts("plan"));
    server.executes([]);
    names(&backend).await.unwrap();
    let headers = server.prepare.seen().remove(0).headers;
    let executed = server.execute.seen().remove(0).headers;
    for headers in [headers, executed] {
        let text = |name: &str| headers.get(name).unwrap().to_str().unwrap().to_owned();
        assert_eq!(
            text("x-goog-request-params"),
            "name=projects%2Fp%2Finstances%2Fi&app_profile_id=my%20profile"
        );
        assert!(text("x-goog-api-client").contains("gccl/"));
        assert_eq!(text("bigtable-attempt"), "0");
        assert_eq!(headers.get_all("bigtable-features").iter().count(), 1);
    }
}

fn float32() -> wire::SqlType {
    of(wire::SqlTypeKind::Float32(wire::Empty {}))
}

#[tokio::test]
async fn parameters_are_sent_with_their_outer_types() {
    let (server, backend) = Scripted::start().await;
    server.prepares(texts("plan"));
    server.executes([]);
    let at = SqlTimestamp::new(-1, 5).unwrap();
    let day = SqlDate::new(2024, 2, 29).unwrap();
    let parameters = SqlParameters::new()
        .bind("array", vec![Some("x"), None])
        .bind("at", at)
        .bind("bytes", b"\xff")
        .bind("day", day)
        .bind("null", None::<i64>)
        .bind("small", 0.5_f32);
    all(&backend, parameters).await.unwrap();
    let types = server.prepare.messages().remove(0).param_types;
    assert_eq!(types.len(), 6);
    assert_eq!(types["null"], int64());
    assert_eq!(types["small"], float32());
    let array = wire::ArrayType {
        element_type: Some(Box::new(string())),
    };
    let array = of(wire::SqlTypeKind::Array(Box::new(array)));
    assert_eq!(types["array"], array);
    let params = server.execute.messages().remove(0).params;
    let typed = |of: wire::SqlType, value: wire::SqlValue| wire::SqlValue {
        r#type: Some(of),
        ..value
    };
    assert_eq!(params["null"], typed(int64(), null()));
    assert_eq!(params["array"], typed(array, list(vec![text("x"), null()])));
    let kind = |name: &str| params[name].kind.clone().unwrap();
    assert_eq!(kind("small"), wire::SqlValueKind::Float(0.5));
    let expected = wire::Timestamp {
        seconds: -1,
        nanos: 5,
    };
    assert_eq!(kind("at"), wire::SqlValueKind::Timestamp(expected));
    let expected = wire::Date {
        year: 2024,
        month: 2,
        day: 29,
    };
    assert_eq!(kind("day"), wire::SqlValueKind::Date(expected));
    assert_eq!(
        kind("bytes"),
        wire::SqlValueKind::Bytes(Bytes::from_static(b"\xff"))
    );
}

#[tokio::test]
async fn parameters_that_do_not_fit_are_refused_before_anything_is_sent() {
    let (server, backend) = Scripted::start().await;
    server.prepares(texts("plan"));
    let x = SqlParameters::new().bind_value("x", SqlType::Int64, SqlValue::Null);
    let query = SqlQuery::text(SQL, x);
    let plan = backend.sql_service().prepare(&query).await.unwrap();
    for parameters in [
        SqlParameters::new(),
        SqlParameters::new().bind("x", "text"),
        SqlParameters::new().bind("x", 1_i64).bind("y", 1_i64),
        SqlParameters::new().bind_value("x", SqlType::Int64, SqlValue::Bool(true)),
    ] {
        let rows = backend.sql_service().execute(&plan, parameters);
        let error = rows.try_collect::<Vec<_>>().await.unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument);
        assert!(error.message.starts_with("parameter \""), "{error}");
    }
    assert_eq!(server.counts(), (1, 0));
}

#[tokio::test]
async fn the_metadata_is_there_without_rows_and_before_them() {
    let (server, backend) = Scripted::start().await;
    server.prepares(plan(
        "plan",
        vec![column("a", int64()), column("", string())],
    ));
    // A stream without messages.
    server.executes([]);
    let plan = backend.sql_service().prepare(&plain()).await.unwrap();
    let mut rows = backend.sql_service().execute(&plan, SqlParameters::new());
    let names = |columns: &bigtable_model::backend::sql::SqlColumns| {
        let columns = columns.as_slice().iter();
        let names = columns.map(|column| format!("{} {}", column.name, column.sql_type));
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&rows.columns()), ["a INT64", " STRING"]);
    assert!(rows.next().await.is_none());
    assert_eq!(names(&rows.columns()), ["a INT64", " STRING"]);
}

#[tokio::test]
async fn a_plan_is_executed_as_often_as_one_likes() {
    let (server, backend) = Scripted::start().await;
    server.prepares(texts("plan"));
    let plan = backend.sql_service().prepare(&plain()).await.unwrap();
    for name in ["a", "b", "c"] {
        server.executes([Part::new().batch(vec![text(name)]).token("t")]);
        let rows = backend.sql_service().execute(&plan, SqlParameters::new());
        let rows: Vec<_> = rows.try_collect().await.unwrap();
        assert_eq!(rows[0].get("name"), Some(&SqlValue::String(name.into())));
    }
    assert_eq!(server.counts(), (1, 3));
}

#[tokio::test]
async fn nothing_is_sent_for_a_plan_that_is_none() {
    let nothing = wire::SqlType { kind: None };
    for (columns, words) in [
        (vec![], "columns cannot be empty"),
        (vec![column("x", nothing)], "column type cannot be empty"),
    ] {
        let (server, backend) = Scripted::start().await;
        server.prepares(plan("plan", columns));
        let error = names(&backend).await.unwrap_err();
        assert_broken(&error, words);
        assert_eq!(server.counts(), (1, 0), "no second attempt, and no query");
    }
}

#[tokio::test]
async fn dropping_the_rows_cancels_the_query() {
    let (server, backend) = Scripted::start().await;
    server.prepares(texts("plan"));
    let first = Part::new().batch(vec![text("a")]).token("t");
    server.execute.script([first.into(), Step::Hang]);
    let plan = backend.sql_service().prepare(&plain()).await.unwrap();
    let mut rows = backend.sql_service().execute(&plan, SqlParameters::new());
    rows.next().await.unwrap().unwrap();
    drop(rows);
    for _ in 0..500 {
        if server.ended() == 1 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the server still sends");
}
