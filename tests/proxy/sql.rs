//! Queries through the proxy: the server's requests, and the returned rows, columns and errors.

use std::time::{Duration, Instant};

use bigtable_model::backend::grpc::wire::{self, SqlTypeKind, SqlValueKind};
use bigtable_model_tests::proxy::messages as m;
use bytes::Bytes;
use futures::future::join_all;
use prost::Message;
use tonic::Code;

use crate::driver::{CLIENT, Driver, client_of, code};
use crate::mock::{Mock, Step, expired};

const INSTANCE: &str = "projects/project/instances/instance";
const SQL: &str = "SELECT * FROM table";

fn of(kind: SqlTypeKind) -> wire::SqlType {
    wire::SqlType { kind: Some(kind) }
}

fn value(kind: SqlValueKind) -> wire::SqlValue {
    wire::SqlValue {
        r#type: None,
        kind: Some(kind),
    }
}

fn text(text: &str) -> wire::SqlValue {
    value(SqlValueKind::String(text.to_owned()))
}

fn list(values: Vec<wire::SqlValue>) -> wire::SqlValue {
    value(SqlValueKind::Array(wire::ArrayValue { values }))
}

fn string() -> wire::SqlType {
    of(SqlTypeKind::String(wire::Empty {}))
}

fn schema(columns: Vec<(&str, wire::SqlType)>) -> wire::ProtoSchema {
    let column = |(name, of): (&str, wire::SqlType)| wire::ColumnMetadata {
        name: name.to_owned(),
        r#type: Some(of),
    };
    wire::ProtoSchema {
        columns: columns.into_iter().map(column).collect(),
    }
}

fn plan(token: &'static str, schema: wire::ProtoSchema) -> wire::PrepareQueryResponse {
    let metadata = wire::ResultSetMetadata {
        proto_schema: Some(schema),
    };
    wire::PrepareQueryResponse {
        metadata: metadata.encode_to_vec().into(),
        prepared_query: token.into(),
        valid_until: None,
    }
}

fn texts(token: &'static str) -> wire::PrepareQueryResponse {
    plan(token, schema(vec![("name", string())]))
}

/// CRC32C, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc: u32, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0x82f6_3b78 * (crc & 1))
        })
    })
}

/// One batch with a token.
fn batch(values: Vec<wire::SqlValue>) -> wire::ExecuteQueryResponse {
    let data: Bytes = wire::ProtoRows { values }.encode_to_vec().into();
    let part = wire::PartialResultSet {
        batch_checksum: Some(checksum(&data)),
        proto_rows_batch: Some(wire::ProtoRowsBatch { batch_data: data }),
        resume_token: "token".into(),
        reset: true,
        ..wire::PartialResultSet::default()
    };
    wire::ExecuteQueryResponse {
        response: Some(wire::ExecuteQueryAnswer::Results(part)),
    }
}

fn request() -> wire::ExecuteQueryRequest {
    wire::ExecuteQueryRequest {
        instance_name: INSTANCE.to_owned(),
        query: SQL.to_owned(),
        ..wire::ExecuteQueryRequest::default()
    }
}

fn columns(result: &m::ExecuteQueryResult) -> wire::ProtoSchema {
    wire::ProtoSchema::decode(result.metadata.clone().unwrap()).unwrap()
}

#[tokio::test]
async fn rows_come_back_without_types_and_columns_as_the_plan_has_them() {
    let (driver, mock) = Driver::with_client().await;
    let map = of(SqlTypeKind::Map(Box::new(wire::MapType {
        key_type: Some(Box::new(string())),
        value_type: Some(Box::new(string())),
    })));
    let field = |name: &str| wire::StructField {
        field_name: name.to_owned(),
        r#type: Some(of(SqlTypeKind::Float32(wire::Empty {}))),
    };
    let structure = of(SqlTypeKind::Struct(wire::StructType {
        fields: vec![field(""), field("")],
    }));
    let schema = schema(vec![("a", string()), ("", map), ("s", structure)]);
    mock.prepare_query
        .on_call([Step::Send(plan("plan", schema.clone()))]);
    let floats = list(vec![
        value(SqlValueKind::Float(0.25)),
        wire::SqlValue::default(),
    ]);
    let entry = |value: &str| list(vec![text("k"), text(value)]);
    let twice = list(vec![entry("first"), entry("last")]);
    let first = vec![text("x"), twice, floats.clone()];
    let nulls = vec![wire::SqlValue::default(); 3];
    mock.execute_query
        .on_call([Step::Send(batch([first, nulls.clone()].concat()))]);
    let result = driver.execute_query(request()).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(columns(&result), schema);
    let once = list(vec![entry("last")]);
    let rows: Vec<_> = result.rows.into_iter().map(|row| row.values).collect();
    assert_eq!(rows, [vec![text("x"), once, floats], nulls]);
    let prepared = mock.prepare_query.only().request;
    assert_eq!(
        (&*prepared.instance_name, &*prepared.query),
        (INSTANCE, SQL)
    );
    assert!(prepared.param_types.is_empty() && prepared.app_profile_id.is_empty());
    let expected = wire::ExecuteQueryRequest {
        instance_name: INSTANCE.to_owned(),
        prepared_query: "plan".into(),
        ..wire::ExecuteQueryRequest::default()
    };
    assert_eq!(mock.execute_query.only().request, expected);
}

#[tokio::test]
async fn parameters_go_to_the_server_as_they_are() {
    let (driver, mock) = Driver::with_client().await;
    mock.prepare_query.on_call([Step::Send(texts("plan"))]);
    mock.execute_query.on_call([]);
    let typed = |of: wire::SqlType, value: wire::SqlValue| wire::SqlValue {
        r#type: Some(of),
        ..value
    };
    let empty = wire::Empty {};
    let array = of(SqlTypeKind::Array(Box::new(wire::ArrayType {
        element_type: Some(Box::new(of(SqlTypeKind::Int64(empty)))),
    })));
    let numbers = list(vec![value(SqlValueKind::Int(1)), wire::SqlValue::default()]);
    let at = value(SqlValueKind::Timestamp(wire::Timestamp {
        seconds: 1,
        nanos: 2,
    }));
    let day = value(SqlValueKind::Date(wire::Date {
        year: 2024,
        month: 5,
        day: 1,
    }));
    let params: std::collections::BTreeMap<_, _> = [
        ("text", typed(string(), text("x"))),
        ("null", typed(string(), wire::SqlValue::default())),
        ("array", typed(array, numbers)),
        (
            "bytes",
            typed(
                of(SqlTypeKind::Bytes(empty)),
                value(SqlValueKind::Bytes("b".into())),
            ),
        ),
        (
            "float",
            typed(
                of(SqlTypeKind::Float32(empty)),
                value(SqlValueKind::Float(0.5)),
            ),
        ),
        (
            "double",
            typed(
                of(SqlTypeKind::Float64(empty)),
                value(SqlValueKind::Float(0.1)),
            ),
        ),
        (
            "bool",
            typed(
                of(SqlTypeKind::Bool(empty)),
                value(SqlValueKind::Bool(false)),
            ),
        ),
        ("at", typed(of(SqlTypeKind::Timestamp(empty)), at)),
        ("day", typed(of(SqlTypeKind::Date(empty)), day)),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    let request = wire::ExecuteQueryRequest {
        params: params.clone(),
        ..request()
    };
    let result = driver.execute_query(request).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert!(result.rows.is_empty());
    assert_eq!(columns(&result).columns.len(), 1);
    let types = mock.prepare_query.only().request.param_types;
    let expected = params
        .iter()
        .map(|(name, value)| (name.clone(), value.r#type.clone().unwrap()));
    assert_eq!(types, expected.collect());
    assert_eq!(mock.execute_query.only().request.params, params);
}

#[tokio::test]
async fn failures_of_the_client_are_in_the_status() {
    let (driver, mock) = Driver::with_client().await;
    mock.prepare_query
        .on_call([Step::Send(plan("plan", schema(vec![])))]);
    let result = driver.execute_query(request()).await;
    let (failed, message) = code(&result.status);
    assert_eq!(failed, Code::Internal);
    assert!(
        message.to_lowercase().contains("columns cannot be empty"),
        "{message}"
    );
    mock.prepare_query.on_call([Step::Send(texts("plan"))]);
    mock.execute_query
        .on_call([Step::Send(batch(vec![value(SqlValueKind::Int(1))]))]);
    let result = driver.execute_query(request()).await;
    let (failed, message) = code(&result.status);
    assert_eq!(failed, Code::Internal);
    assert!(message.contains("InvalidExecuteQueryResponse"), "{message}");
    let elsewhere = wire::ExecuteQueryRequest {
        instance_name: "projects/project/instances/another".to_owned(),
        ..request()
    };
    let result = driver.execute_query(elsewhere).await;
    assert_eq!(code(&result.status).0, Code::InvalidArgument);
}

#[tokio::test]
async fn the_columns_are_those_of_the_plan_used_last() {
    let (driver, mock) = Driver::with_client().await;
    mock.prepare_query.on_call([Step::Send(texts("old"))]);
    mock.execute_query.on_call([Step::Fail(expired())]);
    let number = of(SqlTypeKind::Int64(wire::Empty {}));
    let new = schema(vec![("number", number), ("name", string())]);
    mock.prepare_query
        .on_call([Step::Send(plan("new", new.clone()))]);
    mock.execute_query.on_call([]);
    let result = driver.execute_query(request()).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(columns(&result), new);
}

#[tokio::test]
async fn both_calls_tell_of_the_features_and_the_app_profile() {
    let (mock, address) = Mock::start();
    let driver = Driver::start();
    let client = m::CreateClientRequest {
        app_profile_id: "test_profile".to_owned(),
        optional_feature_config: m::ENABLE_ALL,
        ..client_of(&address)
    };
    driver.create(&client).await.unwrap();
    mock.prepare_query.on_call([Step::Send(texts("plan"))]);
    mock.execute_query.on_call([]);
    driver.execute_query(request()).await;
    let (prepared, executed) = (mock.prepare_query.only(), mock.execute_query.only());
    assert_eq!(prepared.request.app_profile_id, "test_profile");
    assert_eq!(executed.request.app_profile_id, "test_profile");
    for headers in [prepared.headers, executed.headers] {
        let params = headers.get("x-goog-request-params").unwrap();
        let expected = "name=projects%2Fproject%2Finstances%2Finstance&app_profile_id=test_profile";
        assert_eq!(params, expected);
        assert!(headers.get("x-goog-api-client").is_some());
        assert_eq!(headers.get_all("bigtable-features").iter().count(), 1);
    }
}

#[tokio::test]
async fn each_call_of_a_query_has_the_whole_time() {
    let time = Duration::from_secs(1);
    let preparing = time * 3 / 5;
    let long = Duration::from_secs(30);
    let silent = |mock: &Mock, prepared: bool| {
        let wait = if prepared { preparing } else { long };
        mock.prepare_query
            .on_call([Step::Wait(wait), Step::Send(texts("plan"))]);
        mock.execute_query.on_call([Step::Wait(long)]);
    };
    for prepared in [false, true] {
        let (driver, mock) = Driver::with_timeout(time).await;
        silent(&mock, prepared);
        let begun = Instant::now();
        let result = driver.execute_query(request()).await;
        assert_eq!(code(&result.status).0, Code::DeadlineExceeded);
        let least = if prepared { preparing + time } else { time };
        let took = begun.elapsed();
        assert!(took >= least && took < 10 * time, "{took:?}");
    }
}

#[tokio::test]
async fn closing_lets_queries_in_flight_end_and_refuses_later_ones() {
    let (driver, mock) = Driver::with_client().await;
    let wait = Duration::from_millis(500);
    for _ in 0..4 {
        mock.prepare_query.on_call([Step::Send(texts("plan"))]);
        mock.execute_query
            .on_call([Step::Wait(wait), Step::Send(batch(vec![text("a")]))]);
    }
    let under_way = join_all((0..2).map(|_| {
        let driver = driver.clone();
        tokio::spawn(async move { driver.execute_query(request()).await })
    }));
    while mock.execute_query.count() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    driver.close(CLIENT).await.unwrap();
    driver.close(CLIENT).await.unwrap();
    for _ in 0..2 {
        let result = driver.execute_query(request()).await;
        let (refused, message) = code(&result.status);
        assert_ne!(refused, Code::Ok);
        assert!(message.contains("closed"), "{message}");
    }
    for ended in under_way.await {
        let result = ended.unwrap();
        assert_eq!(code(&result.status), (Code::Ok, ""));
        assert_eq!(result.rows.len(), 1);
    }
    assert_eq!(mock.execute_query.count(), 2);
}

#[tokio::test]
async fn queries_run_side_by_side() {
    let (driver, mock) = Driver::with_client().await;
    let held = Duration::from_secs(2);
    for _ in 0..5 {
        mock.prepare_query.on_call([Step::Send(texts("plan"))]);
        mock.execute_query.on_call([Step::Wait(held)]);
    }
    let begun = Instant::now();
    let results = join_all((0..5).map(|_| driver.execute_query(request()))).await;
    assert!(begun.elapsed() >= held);
    for result in results {
        assert_eq!(code(&result.status), (Code::Ok, ""));
    }
    let seen = mock.execute_query.seen();
    let last = seen.iter().map(|seen| seen.at).max().unwrap();
    let first = seen.iter().map(|seen| seen.at).min().unwrap();
    assert!(last - first < held, "{:?}", last - first);
}
