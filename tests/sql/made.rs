//! SQL queries generated from typed queries, on all kinds of backends.

use std::sync::Arc;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, Method};
use bigtable_model::backend::grpc::{GrpcBackend, wire};
use bigtable_model::backend::metered::MeteredBackend;
use bigtable_model::backend::sql::{SqlError, SqlQuery};
use bigtable_model::{Backend, BackendExt, Code, MemoryBackend, Model, SqlExt, Status, Timestamp};
use bytes::Bytes;
use serde::Deserialize;

use crate::answers::{Part, column, of, plan, value};
use crate::scripted::Scripted;

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(column = "BID")]
    bid: f64,
}

/// A row of the generated SQL.
#[derive(Debug, PartialEq, Deserialize)]
struct Row {
    #[serde(rename = "_key")]
    key: String,
    bid: Option<Bytes>,
}

/// A query for a symbol that is also the table's name.
fn query() -> SqlQuery {
    let query = Quote::query().symbol("QUOTE").events().limit(2);
    query.to_sql().unwrap()
}

const TEXT: &str = "SELECT _key, `MD`['BID'] AS `bid` FROM `QUOTE` WHERE _key >= @from0 AND _key < @to0 \
                    AND `MD`['BID'] IS NOT NULL ORDER BY _key LIMIT 2";

async fn serving() -> (Arc<Scripted>, GrpcBackend) {
    let (server, backend) = Scripted::start().await;
    let bytes = || of(wire::SqlTypeKind::Bytes(wire::Empty {}));
    let columns = vec![column("_key", bytes()), column("bid", bytes())];
    server.prepares(plan("plan", columns));
    let bytes = |text: &'static str| value(wire::SqlValueKind::Bytes(text.into()));
    let row = vec![bytes("QUOTE#1"), bytes("b")];
    server.executes([Part::new().batch(row).token("t")]);
    (server, backend)
}

fn rows() -> Vec<Row> {
    vec![Row {
        key: "QUOTE#1".to_owned(),
        bid: Some("b".into()),
    }]
}

/// The prepared text.
fn prepared(server: &Scripted) -> String {
    let asked = server.prepare.messages().pop().unwrap();
    assert_eq!(asked.param_types.len(), 2);
    asked.query
}

#[tokio::test]
async fn they_are_run_with_their_parameters() {
    let (server, backend) = serving().await;
    let found: Vec<Row> = backend.sql_query(&query()).fetch().await.unwrap();
    assert_eq!(found, rows());
    assert_eq!(prepared(&server), TEXT);
    let sent = server.execute.messages().pop().unwrap().params;
    let value = |name: &str| {
        let mut sent = sent.iter();
        sent.find(|(known, _)| known.as_str() == name)
            .unwrap()
            .1
            .kind
            .clone()
    };
    let bytes = |text: &'static str| Some(wire::SqlValueKind::Bytes(text.into()));
    assert_eq!(
        (value("from0"), value("to0")),
        (bytes("QUOTE#"), bytes("QUOTE$"))
    );
}

#[tokio::test]
async fn under_other_names_they_read_the_stored_table_and_nothing_else_changes() {
    let (server, backend) = serving().await;
    let named = backend.with_tables(|name: &str| format!("tenant_{name}"));
    let found: Vec<Row> = named.sql_query(&query()).fetch().await.unwrap();
    assert_eq!(found, rows());
    assert_eq!(
        prepared(&server),
        TEXT.replace("FROM `QUOTE`", "FROM `tenant_QUOTE`")
    );
    // The plain text is refused, whatever the wrapper.
    let text = query().to_string();
    let metered = MeteredBackend::new(named.handle(), "db");
    for db in [named.handle(), metered.handle()] {
        let error = db.sql(&*text).fetch::<Row>().await.unwrap_err();
        assert!(error.to_string().contains("with_tables"), "{error}");
    }
    assert_eq!(server.counts(), (1, 1));
}

#[tokio::test]
async fn names_are_put_in_by_each_backend_that_has_other_ones() {
    let (server, backend) = serving().await;
    let inner = backend.with_tables(|name: &str| format!("{name}_v2"));
    let metered = MeteredBackend::new(inner.handle(), "db");
    let faulty = FaultyBackend::new(metered.handle(), 1, Vec::new()).unwrap();
    let outer = faulty.with_tables(|name: &str| format!("t7_{name}"));
    let plan = outer.sql_service().prepare(&query()).await.unwrap();
    assert!(prepared(&server).contains("FROM `t7_QUOTE_v2` WHERE"));
    let parameters = query().parameters().clone();
    let found: Vec<Row> = parameters
        .iter()
        .fold(outer.sql_plan(&plan), |run, (name, of, value)| {
            run.bind_value(name, of.clone(), value.clone())
        })
        .fetch()
        .await
        .unwrap();
    assert_eq!(found, rows());
}

#[tokio::test]
async fn faults_and_backends_without_sql_answer_as_for_texts() {
    let lost = Status::new(Code::Unavailable, "lost on purpose");
    let rule = FaultRule::new(Fault::Error(lost.clone())).method(Method::PrepareQuery);
    let (server, backend) = serving().await;
    let faulty = FaultyBackend::new(backend.handle(), 1, vec![rule]).unwrap();
    let error = faulty.sql_query(&query()).fetch::<Row>().await.unwrap_err();
    assert_eq!(error, SqlError::Status(lost));
    assert_eq!(server.counts(), (0, 0));
    let memory = MemoryBackend::new();
    let error = memory.sql_query(&query()).fetch::<Row>().await.unwrap_err();
    assert!(error.to_string().contains("runs no SQL"), "{error}");
}
