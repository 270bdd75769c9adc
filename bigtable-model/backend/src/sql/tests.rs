#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;

use super::*;
use crate::{Code, Timestamp};

fn row(columns: Vec<(&str, SqlType, SqlValue)>) -> SqlRow {
    let values = columns.iter().map(|(_, _, value)| value.clone()).collect();
    let column = |(name, sql_type, _): (&str, SqlType, SqlValue)| SqlColumn {
        name: name.to_owned(),
        sql_type,
    };
    let columns = columns.into_iter().map(column).collect();
    SqlRow::new(Arc::new(SqlColumns::new(columns)), values)
}

fn text(text: &str) -> SqlValue {
    SqlValue::String(text.into())
}

fn bytes(bytes: &'static [u8]) -> SqlValue {
    SqlValue::Bytes(Bytes::from_static(bytes))
}

/// 2024-05-01T12:30:00.000250Z
const AT: Timestamp = Timestamp::from_micros(1_714_566_600_000_250);

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Side {
    Buy,
    Sell,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Everything {
    #[serde(rename = "_key")]
    key: String,
    raw: Bytes,
    octets: Vec<u8>,
    number: u32,
    ratio: f64,
    small: f32,
    yes: bool,
    at: Timestamp,
    exact: SqlTimestamp,
    jiff: jiff::Timestamp,
    day: SqlDate,
    civil: jiff::civil::Date,
    side: Side,
    list: Vec<Option<i64>>,
    point: Point,
    pair: (i64, String),
    absent: Option<String>,
    present: Option<String>,
    #[serde(rename = "MD")]
    family: BTreeMap<String, Bytes>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Point {
    x: i64,
    y: f64,
}

fn everything() -> SqlRow {
    let at = SqlValue::Timestamp(AT.into());
    let exact = SqlTimestamp::new(1_714_566_600, 250_001).unwrap();
    let day = SqlValue::Date(SqlDate::new(2024, 2, 29).unwrap());
    let point = SqlType::structure([("x", SqlType::Int64), ("y", SqlType::Float64)]);
    let pair = SqlType::structure([("", SqlType::Int64), ("", SqlType::String)]);
    let family = SqlType::map(SqlType::Bytes, SqlType::Bytes);
    row(vec![
        ("_key", SqlType::Bytes, bytes(b"ZXZZT#1")),
        ("raw", SqlType::Bytes, bytes(b"\xff\x00")),
        ("octets", SqlType::Bytes, bytes(b"\xff\x00")),
        ("number", SqlType::Int64, SqlValue::Int64(7)),
        ("ratio", SqlType::Float64, SqlValue::Float64(0.5)),
        ("small", SqlType::Float32, SqlValue::Float32(0.25)),
        ("yes", SqlType::Bool, SqlValue::Bool(true)),
        ("at", SqlType::Timestamp, at.clone()),
        ("exact", SqlType::Timestamp, SqlValue::Timestamp(exact)),
        ("jiff", SqlType::Timestamp, at),
        ("day", SqlType::Date, day.clone()),
        ("civil", SqlType::Date, day),
        ("side", SqlType::String, text("SELL")),
        (
            "list",
            SqlType::array(SqlType::Int64),
            SqlValue::Array(vec![SqlValue::Int64(1), SqlValue::Null]),
        ),
        (
            "point",
            point,
            SqlValue::Struct(vec![SqlValue::Int64(1), SqlValue::Float64(2.0)]),
        ),
        (
            "pair",
            pair,
            SqlValue::Struct(vec![SqlValue::Int64(1), text("one")]),
        ),
        ("absent", SqlType::String, SqlValue::Null),
        ("present", SqlType::String, text("here")),
        (
            "MD",
            family,
            SqlValue::Map(vec![(bytes(b"BID"), bytes(b"600.5"))]),
        ),
        ("unread", SqlType::Int64, SqlValue::Null),
    ])
}

#[test]
fn every_type_is_read_into_what_a_program_has() {
    let read: Everything = everything().read().unwrap();
    let expected = Everything {
        key: "ZXZZT#1".to_owned(),
        raw: Bytes::from_static(b"\xff\x00"),
        octets: vec![0xff, 0],
        number: 7,
        ratio: 0.5,
        small: 0.25,
        yes: true,
        at: AT,
        exact: SqlTimestamp::new(1_714_566_600, 250_001).unwrap(),
        jiff: "2024-05-01T12:30:00.000250Z".parse().unwrap(),
        day: SqlDate::new(2024, 2, 29).unwrap(),
        civil: "2024-02-29".parse().unwrap(),
        side: Side::Sell,
        list: vec![Some(1), None],
        point: Point { x: 1, y: 2.0 },
        pair: (1, "one".to_owned()),
        absent: None,
        present: Some("here".to_owned()),
        family: BTreeMap::from([("BID".to_owned(), Bytes::from_static(b"600.5"))]),
    };
    assert_eq!(read, expected);
}

#[test]
fn the_history_of_cells_is_an_array_of_structs() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Cell {
        timestamp: Timestamp,
        value: Bytes,
    }
    #[derive(Deserialize)]
    struct Reading {
        #[serde(rename = "MD")]
        family: BTreeMap<String, Vec<Cell>>,
    }
    let cell = SqlType::structure([("timestamp", SqlType::Timestamp), ("value", SqlType::Bytes)]);
    let family = SqlType::map(SqlType::Bytes, SqlType::array(cell));
    let cell =
        |at: Timestamp, value| SqlValue::Struct(vec![SqlValue::Timestamp(at.into()), bytes(value)]);
    let history = SqlValue::Array(vec![cell(AT, b"2"), cell(Timestamp::UNIX_EPOCH, b"1")]);
    let map = SqlValue::Map(vec![(bytes(b"BID"), history)]);
    let read: Reading = row(vec![("MD", family, map)]).read().unwrap();
    let cell = |timestamp, value| Cell {
        timestamp,
        value: Bytes::from_static(value),
    };
    let expected = [cell(AT, b"2"), cell(Timestamp::UNIX_EPOCH, b"1")];
    assert_eq!(read.family["BID"], expected);
}

#[test]
fn rows_are_tuples_and_single_values_too() {
    let pair = || {
        row(vec![
            ("a", SqlType::Int64, SqlValue::Int64(3)),
            ("b", SqlType::String, text("x")),
        ])
    };
    assert_eq!(pair().read::<(i64, String)>(), Ok((3, "x".to_owned())));
    let count = row(vec![("", SqlType::Int64, SqlValue::Int64(3))]);
    assert_eq!(count.clone().read::<i64>(), Ok(3));
    assert_eq!(count.read::<Option<u8>>(), Ok(Some(3)));
    let error = pair().read::<i64>().unwrap_err();
    assert!(error.to_string().contains("the query has 2 columns"));
    let error = pair().read::<(i64, String, i64)>().unwrap_err();
    let words = "a tuple of 3 is asked for, and the query has 2 columns: a, b";
    assert_eq!(error.to_string(), words);
}

#[test]
fn errors_name_the_column() {
    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "never read well")]
    struct Quote {
        bid: f64,
        #[serde(rename = "MD", default)]
        family: BTreeMap<String, i64>,
    }
    let family = SqlType::map(SqlType::Bytes, SqlType::Int64);
    let entries = SqlValue::Map(vec![(bytes(b"BID"), text("x"))]);
    let bid = |value| ("bid", SqlType::Float64, value);
    for (row, expected) in [
        (
            row(vec![bid(SqlValue::Null)]),
            "column \"bid\": it is NULL: read it into an Option",
        ),
        (
            row(vec![bid(text("x"))]),
            "column \"bid\": invalid type: string \"x\", expected f64",
        ),
        (
            row(vec![("ask", SqlType::Float64, SqlValue::Float64(1.0))]),
            "no column of the query is named \"bid\": it has ask",
        ),
        (
            row(vec![bid(SqlValue::Float64(1.0)), ("MD", family, entries)]),
            "column \"MD\": value of \"BID\": invalid type: string \"x\", expected i64",
        ),
        (
            row(vec![
                bid(SqlValue::Float64(1.0)),
                ("MD", SqlType::Int64, SqlValue::Int64(3)),
            ]),
            "column \"MD\": invalid type: integer `3`, expected a map",
        ),
    ] {
        assert_eq!(row.read::<Quote>().unwrap_err().to_string(), expected);
    }
    let big = row(vec![("n", SqlType::Int64, SqlValue::Int64(300))]);
    let error = big.read::<u8>().unwrap_err();
    assert!(matches!(&error, SqlError::Column { column, .. } if column == "n"));
    let exact = SqlValue::Timestamp(SqlTimestamp::new(0, 1).unwrap());
    let error = row(vec![("t", SqlType::Timestamp, exact)]).read::<Timestamp>();
    let words = "column \"t\": 1970-01-01T00:00:00.000000001Z has parts of a microsecond";
    assert!(error.unwrap_err().to_string().starts_with(words));
    let key = row(vec![("_key", SqlType::Bytes, bytes(b"\xff"))]);
    let error = key.read::<String>().unwrap_err().to_string();
    assert_eq!(
        error,
        "column \"_key\": its bytes are no UTF-8: read it as bytes"
    );
}

#[test]
fn instants_at_the_ends_of_time_are_kept() {
    for (seconds, nanos, text) in [
        (-62_135_596_800, 0, "0001-01-01T00:00:00Z"),
        (
            253_402_300_799,
            999_999_999,
            "9999-12-31T23:59:59.999999999Z",
        ),
        (-1, 500_000_000, "1969-12-31T23:59:59.5Z"),
        (0, 0, "1970-01-01T00:00:00Z"),
    ] {
        let at = SqlTimestamp::new(seconds, nanos).unwrap();
        assert_eq!(at.to_string(), text);
        let value = row(vec![("t", SqlType::Timestamp, SqlValue::Timestamp(at))]);
        assert_eq!(value.read::<SqlTimestamp>(), Ok(at));
    }
    assert_eq!(SqlTimestamp::new(253_402_300_800, 0), None);
    assert_eq!(SqlTimestamp::new(0, 1_000_000_000), None);
    for at in [AT, Timestamp::from_micros(-1), Timestamp::UNIX_EPOCH] {
        assert_eq!(SqlTimestamp::from(at).timestamp(), Some(at));
    }
    let first = SqlTimestamp::from(Timestamp::MIN);
    assert_eq!(first.to_string(), "0001-01-01T00:00:00Z");
    assert_eq!(SqlDate::new(2023, 2, 29), None);
    assert_eq!(SqlDate::new(2024, 2, 29).unwrap().to_string(), "2024-02-29");
}

#[test]
fn parameters_have_the_types_of_the_program() {
    let parameters = SqlParameters::new()
        .bind("a", 3_i64)
        .bind("b", Some("x"))
        .bind("c", None::<f64>)
        .bind("d", vec![Some(AT), None])
        .bind("e", b"key")
        .bind("f", vec![1_u8, 2]);
    let types: Vec<String> = (parameters.types().values())
        .map(ToString::to_string)
        .collect();
    let expected = [
        "INT64",
        "STRING",
        "FLOAT64",
        "ARRAY<TIMESTAMP>",
        "BYTES",
        "BYTES",
    ];
    assert_eq!(types, expected);
    let values: Vec<SqlValue> = parameters
        .iter()
        .map(|(_, _, value)| value.clone())
        .collect();
    let at = SqlValue::Timestamp(AT.into());
    let expected = [
        SqlValue::Int64(3),
        text("x"),
        SqlValue::Null,
        SqlValue::Array(vec![at, SqlValue::Null]),
        bytes(b"key"),
        bytes(&[1, 2]),
    ];
    assert_eq!(values, expected);
    assert_eq!(parameters.check(), Ok(()));
}

fn plan(types: &[(&str, SqlType)], lifetime: Option<Duration>) -> SqlPlan {
    let types = types
        .iter()
        .map(|(name, of)| ((*name).to_owned(), of.clone()));
    let prepared = PreparedSql {
        columns: Arc::default(),
        token: Bytes::new(),
        lifetime,
    };
    SqlPlan::new("SELECT 1", types.collect(), prepared)
}

#[test]
fn a_plan_takes_the_parameters_that_it_was_prepared_with() {
    let plan = plan(&[("x", SqlType::Int64)], None);
    let refused = |parameters: SqlParameters| {
        let error = parameters.check_for(&plan).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument);
        error.message
    };
    assert_eq!(
        SqlParameters::new().bind("x", 1_i64).check_for(&plan),
        Ok(())
    );
    assert_eq!(
        refused(SqlParameters::new()),
        "parameter \"x\": it has no value: bind one"
    );
    assert_eq!(
        refused(SqlParameters::new().bind("x", "1")),
        "parameter \"x\": it is of the type STRING, and was prepared as INT64"
    );
    assert_eq!(
        refused(SqlParameters::new().bind("x", 1_i64).bind("y", 1_i64)),
        "parameter \"y\": the query was prepared without it"
    );
    let wrong = SqlParameters::new().bind_value("x", SqlType::Int64, text("1"));
    assert_eq!(
        refused(wrong),
        "parameter \"x\": it is STRING, and the type is INT64"
    );
    let of = SqlType::array(SqlType::structure([("a", SqlType::Bool)]));
    let list = SqlValue::Array(vec![SqlValue::Struct(vec![SqlValue::Int64(1)])]);
    let error = SqlParameters::new().bind_value("x", of, list).check();
    let words = "parameter \"x\": element 0: field 0: it is INT64, and the type is BOOL";
    assert_eq!(error.unwrap_err().message, words);
}

#[tokio::test(start_paused = true)]
async fn a_plan_is_due_a_while_before_its_end_and_once() {
    let hour = plan(&[], Some(Duration::from_secs(3_600)));
    tokio::time::sleep(Duration::from_secs(3_539)).await;
    assert!(!hour.is_due());
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(hour.clone().is_due());
    assert!(!hour.is_due(), "somebody is at it");
    hour.replace(Arc::new(PreparedSql {
        lifetime: Some(Duration::from_secs(2)),
        ..(*hour.current()).clone()
    }));
    assert!(!hour.is_due());
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert!(hour.is_due(), "half of a short life");
    // The clocks differ: the server decides.
    for lifetime in [None, Some(Duration::ZERO), Some(Duration::MAX)] {
        let plan = plan(&[], lifetime);
        tokio::time::sleep(Duration::from_secs(3_600)).await;
        assert!(!plan.is_due());
    }
}
