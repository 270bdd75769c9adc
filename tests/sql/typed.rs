//! Rows read into structs.

use std::collections::BTreeMap;

use bigtable_model::backend::grpc::wire::{self, SqlTypeKind, SqlValueKind};
use bigtable_model::backend::sql::SqlError;
use bigtable_model::{Backend, Code, SqlExt, Timestamp};
use bytes::Bytes;
use futures::StreamExt;
use serde::Deserialize;

use crate::answers::{
    Part, SQL, column, hasty, int, int64, list, null, of, plain, plan, unavailable, value,
};
use crate::scripted::{Scripted, Step};

#[derive(Debug, PartialEq, Deserialize)]
struct Quote {
    #[serde(rename = "_key")]
    key: String,
    size: Option<u32>,
    #[serde(rename = "MD")]
    family: BTreeMap<String, Vec<Cell>>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Cell {
    timestamp: Timestamp,
    value: Bytes,
}

fn bytes() -> wire::SqlType {
    of(SqlTypeKind::Bytes(wire::Empty {}))
}

fn in_bytes(bytes: &'static str) -> wire::SqlValue {
    value(SqlValueKind::Bytes(bytes.into()))
}

/// A family as returned by `with_history`.
fn history() -> wire::SqlType {
    let field = |name: &str, of| wire::StructField {
        field_name: name.to_owned(),
        r#type: Some(of),
    };
    let timestamp = of(SqlTypeKind::Timestamp(wire::Empty {}));
    let cell = of(SqlTypeKind::Struct(wire::StructType {
        fields: vec![field("timestamp", timestamp), field("value", bytes())],
    }));
    let cells = of(SqlTypeKind::Array(Box::new(wire::ArrayType {
        element_type: Some(Box::new(cell)),
    })));
    of(SqlTypeKind::Map(Box::new(wire::MapType {
        key_type: Some(Box::new(bytes())),
        value_type: Some(Box::new(cells)),
    })))
}

fn columns() -> Vec<wire::ColumnMetadata> {
    vec![
        column("_key", bytes()),
        column("size", int64()),
        column("MD", history()),
    ]
}

fn cell(seconds: i64, value_of: &'static str) -> wire::SqlValue {
    let at = wire::Timestamp { seconds, nanos: 0 };
    list(vec![value(SqlValueKind::Timestamp(at)), in_bytes(value_of)])
}

#[tokio::test]
async fn a_query_with_parameters_gives_structs() {
    let (server, backend) = Scripted::start_with(hasty).await;
    server.prepares(plan("plan", columns()));
    let cells = list(vec![cell(2, "600.5"), cell(1, "600.4")]);
    let family = list(vec![list(vec![in_bytes("BID"), cells])]);
    let first = vec![in_bytes("a"), int(7), family];
    let second = vec![in_bytes("b"), null(), list(vec![])];
    server
        .execute
        .script([Part::new().batch(first).token("1").into(), unavailable()]);
    server.executes([Part::new().reset().batch(second).token("2")]);
    let quotes: Vec<Quote> = backend
        .sql("SELECT _key, size, MD FROM t(with_history => TRUE) WHERE size > @x")
        .bind("x", 3_i64)
        .fetch()
        .await
        .unwrap();
    let cell = |seconds, value: &'static str| Cell {
        timestamp: Timestamp::from_seconds(seconds),
        value: value.into(),
    };
    let cells = vec![cell(2, "600.5"), cell(1, "600.4")];
    let expected = [
        Quote {
            key: "a".to_owned(),
            size: Some(7),
            family: [("BID".to_owned(), cells)].into(),
        },
        Quote {
            key: "b".to_owned(),
            size: None,
            family: BTreeMap::new(),
        },
    ];
    assert_eq!(quotes, expected);
    let prepared = server.prepare.messages().remove(0);
    assert!(prepared.query.ends_with("size > @x"));
    assert_eq!(prepared.param_types["x"], int64());
    let params = server.execute.messages().remove(0).params;
    assert_eq!(params["x"].kind, Some(SqlValueKind::Int(3)));
}

#[tokio::test]
async fn a_value_that_does_not_fit_names_its_column_and_ends_the_stream() {
    let (server, backend) = Scripted::start().await;
    server.prepares(plan("plan", vec![column("size", int64())]));
    let values = vec![int(1), null(), int(2)];
    server.executes([Part::new().batch(values).token("t")]);
    let mut sizes = backend.sql(SQL).stream::<u32>();
    assert_eq!(sizes.next().await.unwrap(), Ok(1));
    let error = sizes.next().await.unwrap().unwrap_err();
    let SqlError::Column { column, problem } = error else {
        panic!("{error:?}")
    };
    assert_eq!(column, "size");
    assert!(problem.contains("NULL"), "{problem}");
    assert!(sizes.next().await.is_none());
}

#[tokio::test]
async fn the_first_row_and_a_plan_that_was_prepared_before() {
    let (server, backend) = Scripted::start().await;
    server.prepares(plan("plan", vec![column("", int64())]));
    let plan = backend.sql_service().prepare(&plain()).await.unwrap();
    server.executes([Part::new().batch(vec![int(42), int(43)]).token("t")]);
    let count: Option<i64> = backend.sql_plan(&plan).fetch_first().await.unwrap();
    assert_eq!(count, Some(42));
    server.executes([]);
    let none: Option<i64> = backend.sql_plan(&plan).fetch_first().await.unwrap();
    assert_eq!(none, None);
    let error = backend.sql_plan(&plan).bind("x", 1_i64);
    let error = error.fetch::<i64>().await.unwrap_err();
    assert!(error.to_string().contains("parameter \"x\""), "{error}");
    assert_eq!(server.counts(), (1, 2));
}

#[tokio::test]
async fn what_the_backend_answers_comes_through() {
    let (server, backend) = Scripted::start().await;
    let refused = tonic::Status::invalid_argument("no table named t");
    server.prepare.script([Step::Fail(refused)]);
    let error = backend.sql(SQL).fetch::<i64>().await.unwrap_err();
    let SqlError::Status(status) = error else {
        panic!("{error:?}")
    };
    assert_eq!(status.code, Code::InvalidArgument);
    let rows = backend.sql(SQL).stream::<(String, i64)>();
    server.prepares(plan("plan", vec![column("a", int64())]));
    server.executes([Part::new().batch(vec![int(1)]).token("t")]);
    let rows: Vec<_> = rows.collect().await;
    let error = rows[0].as_ref().unwrap_err().to_string();
    assert!(error.contains("a tuple of 2"), "{error}");
}
