#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod bytes;
mod draw;
mod stream;

use std::sync::Arc;

use prost::Message as _;

use super::plan::columns;
use super::rows::Batch;
use crate::data::limits;
use crate::grpc::protocol::wire;
use crate::sql::{SqlColumn, SqlColumns, SqlField, SqlType, SqlValue};
use crate::{Code, Status};

/// Columns `a`, `b` and so on.
fn columns_of(types: &[SqlType]) -> Arc<SqlColumns> {
    let column = |(name, of): (char, &SqlType)| SqlColumn {
        name: name.into(),
        sql_type: of.clone(),
    };
    Arc::new(SqlColumns::new(('a'..).zip(types).map(column).collect()))
}

fn proto_rows(values: impl IntoIterator<Item = wire::SqlValue>) -> ::bytes::Bytes {
    let values = values.into_iter().collect();
    wire::ProtoRows { values }.encode_to_vec().into()
}

/// A row of one column.
fn single(of: &SqlType, value: wire::SqlValue) -> Result<SqlValue, Status> {
    let mut batch = Batch::checked(
        proto_rows([value]),
        &columns_of(std::slice::from_ref(of)),
        limits::ROW,
    )?;
    let row = batch.next()?.unwrap();
    assert!(batch.next()?.is_none());
    Ok(row.into_values().remove(0))
}

fn text(text: &str) -> wire::SqlValue {
    wire_value(wire::SqlValueKind::String(text.to_owned()))
}

fn int(number: i64) -> wire::SqlValue {
    wire_value(wire::SqlValueKind::Int(number))
}

fn list(values: Vec<wire::SqlValue>) -> wire::SqlValue {
    wire_value(wire::SqlValueKind::Array(wire::ArrayValue { values }))
}

fn wire_value(kind: wire::SqlValueKind) -> wire::SqlValue {
    wire::SqlValue {
        r#type: None,
        kind: Some(kind),
    }
}

fn null() -> wire::SqlValue {
    wire::SqlValue::default()
}

/// The text by which every client says that a server broke the protocol, and ours besides.
fn assert_invalid(error: &Status, words: &str) {
    assert_eq!(error.code, Code::Internal, "{error}");
    let message = &error.message;
    assert!(message.contains("InvalidExecuteQueryResponse"), "{message}");
    assert!(message.contains(words), "{message}");
}

#[test]
fn null_is_of_every_type_at_every_depth() {
    let of = SqlType::array(SqlType::String);
    assert_eq!(single(&of, null()).unwrap(), SqlValue::Null);
    let nulls = single(&of, list(vec![null(), text("x")])).unwrap();
    let expected = vec![SqlValue::Null, SqlValue::String("x".into())];
    assert_eq!(nulls, SqlValue::Array(expected));
    let of = SqlType::map(SqlType::Bytes, SqlType::Int64);
    let entry = list(vec![null(), null()]);
    let expected = SqlValue::Map(vec![(SqlValue::Null, SqlValue::Null)]);
    assert_eq!(single(&of, list(vec![entry])).unwrap(), expected);
}

#[test]
fn of_several_entries_with_one_key_the_last_one_stays() {
    let of = SqlType::map(SqlType::String, SqlType::Int64);
    let entry = |key: &str, number| list(vec![text(key), int(number)]);
    let entries = vec![entry("b", 1), entry("a", 2), entry("b", 3), entry("b", 4)];
    let map = single(&of, list(entries)).unwrap();
    assert_eq!(map.entry(b"b"), Some(&SqlValue::Int64(4)));
    assert_eq!(map.entry(b"a"), Some(&SqlValue::Int64(2)));
    let SqlValue::Map(entries) = map else {
        unreachable!()
    };
    assert_eq!(entries.len(), 2);
}

#[test]
fn a_timestamp_of_nothing_is_1970() {
    let at = wire_value(wire::SqlValueKind::Timestamp(wire::Timestamp::default()));
    let at = single(&SqlType::Timestamp, at).unwrap();
    let SqlValue::Timestamp(at) = at else {
        unreachable!()
    };
    assert_eq!(at.to_string(), "1970-01-01T00:00:00Z");
}

#[test]
fn a_value_of_another_kind_is_refused_wherever_it_is() {
    let kind = "value kind must be INT_VALUE for columns of type: INT64, and is STRING_VALUE";
    let number = SqlType::Int64;
    let error = single(&number, text("x")).unwrap_err();
    assert_invalid(&error, &format!("column \"a\": {kind}"));
    let of = SqlType::array(number.clone());
    let error = single(&of, list(vec![int(1), text("x")])).unwrap_err();
    assert_invalid(&error, &format!("column \"a\": element 1: {kind}"));
    let of = SqlType::structure([("", SqlType::String), ("", number.clone())]);
    let error = single(&of, list(vec![text("x"), text("x")])).unwrap_err();
    assert_invalid(&error, &format!("column \"a\": field 1: {kind}"));
    let of = SqlType::map(SqlType::String, number.clone());
    let entry = list(vec![text("x"), text("x")]);
    let error = single(&of, list(vec![entry])).unwrap_err();
    assert_invalid(&error, kind);
    let error = single(&of, list(vec![text("x")])).unwrap_err();
    assert_invalid(&error, "entry 0: value kind must be ARRAY_VALUE");
    let error = single(&of, list(vec![null()])).unwrap_err();
    assert_invalid(&error, "entry 0: value kind must be ARRAY_VALUE");
    let error = single(&SqlType::array(number), text("x")).unwrap_err();
    assert_invalid(&error, "value kind must be ARRAY_VALUE");
}

#[test]
fn a_struct_has_as_many_values_as_fields() {
    let of = SqlType::structure([("x", SqlType::String), ("x", SqlType::Int64)]);
    for values in [
        vec![],
        vec![text("x")],
        vec![text("x"), int(1), int(2), int(3)],
    ] {
        let words = format!(
            "unexpected malformed struct data: {} values for 2 fields",
            values.len()
        );
        assert_invalid(&single(&of, list(values)).unwrap_err(), &words);
    }
    let both = single(&of, list(vec![text("x"), int(1)])).unwrap();
    let expected = vec![SqlValue::String("x".into()), SqlValue::Int64(1)];
    assert_eq!(both, SqlValue::Struct(expected));
}

#[test]
fn a_row_that_is_cut_off_is_refused_whatever_came_before() {
    let columns = columns_of(&[SqlType::Int64, SqlType::Int64]);
    for count in [1, 3, 5] {
        let rows = proto_rows((0..count).map(int));
        let error = Batch::checked(rows, &columns, limits::ROW).unwrap_err();
        assert_invalid(&error, "incomplete row received");
    }
    assert!(Batch::checked(proto_rows((0..4).map(int)), &columns, limits::ROW).is_ok());
}

#[test]
fn instants_and_days_that_are_none_are_refused() {
    let of_nanos = |nanos| {
        let at = wire::Timestamp { seconds: 0, nanos };
        single(
            &SqlType::Timestamp,
            wire_value(wire::SqlValueKind::Timestamp(at)),
        )
    };
    assert!(of_nanos(999_999_999).is_ok());
    for nanos in [-1, 1_000_000_000, i32::MIN] {
        assert_invalid(&of_nanos(nanos).unwrap_err(), "no TIMESTAMP");
    }
    let of_day = |year, month, day| {
        let day = wire::Date { year, month, day };
        single(&SqlType::Date, wire_value(wire::SqlValueKind::Date(day)))
    };
    assert!(of_day(9999, 12, 31).is_ok());
    assert!(of_day(0, 0, 0).is_ok(), "a date that is not known");
    for (year, month, day) in [(10_000, 1, 1), (-1, 1, 1), (2024, 13, 1), (2024, 1, 32)] {
        assert_invalid(&of_day(year, month, day).unwrap_err(), "no DATE");
    }
}

fn metadata(columns: Vec<wire::ColumnMetadata>) -> ::bytes::Bytes {
    let schema = wire::ProtoSchema { columns };
    let metadata = wire::ResultSetMetadata {
        proto_schema: Some(schema),
    };
    metadata.encode_to_vec().into()
}

fn column(name: &str, of: Option<wire::SqlType>) -> wire::ColumnMetadata {
    wire::ColumnMetadata {
        name: name.to_owned(),
        r#type: of,
    }
}

#[test]
fn a_plan_has_columns_and_each_has_a_type() {
    for empty in [
        ::bytes::Bytes::new(),
        metadata(Vec::new()),
        wire::ResultSetMetadata { proto_schema: None }
            .encode_to_vec()
            .into(),
    ] {
        let error = columns(empty).unwrap_err();
        assert_eq!(error.code, Code::Internal);
        assert!(error.message.contains("columns cannot be empty"), "{error}");
    }
    let nothing = wire::SqlType { kind: None };
    let array = wire::SqlTypeKind::Array(Box::new(wire::ArrayType { element_type: None }));
    let array = wire::SqlType { kind: Some(array) };
    for bad in [None, Some(nothing), Some(array)] {
        let error = columns(metadata(vec![column("x", bad)])).unwrap_err();
        assert_eq!(error.code, Code::Internal);
        let words = "column \"x\" of the server's plan: column type cannot be empty";
        assert_eq!(error.message, words);
    }
    let aggregate = wire::SqlTypeKind::Aggregate(wire::Empty {});
    let aggregate = wire::SqlType {
        kind: Some(aggregate),
    };
    let error = columns(metadata(vec![column("x", Some(aggregate))])).unwrap_err();
    assert!(
        error.message.contains("unrecognized response data type"),
        "{error}"
    );
}

#[test]
fn a_plan_of_too_many_columns_is_refused_before_it_is_decoded() {
    // Field 1 of the schema, nothing in it.
    let schema = [0x0a, 0].repeat(3 << 20);
    let mut metadata = Vec::new();
    prost::encoding::bytes::encode(1, &schema, &mut metadata);
    let error = columns(metadata.into()).unwrap_err();
    assert_eq!(error.code, Code::ResourceExhausted);
}

#[test]
fn columns_are_kept_as_they_came() {
    // A type with an encoding that we have no word for: bytes, raw.
    let of = b"\x0a\x04\x0a\x02\x0a\x00";
    let mut column = b"\x0a\x01x".to_vec();
    prost::encoding::bytes::encode(2, &of.to_vec(), &mut column);
    let mut schema = Vec::new();
    prost::encoding::bytes::encode(1, &column, &mut schema);
    let mut metadata = Vec::new();
    prost::encoding::bytes::encode(1, &schema, &mut metadata);
    let read = columns(metadata.into()).unwrap();
    assert_eq!(read.encoded(), &schema);
    assert_eq!(read, *columns_named(&[("x", SqlType::Bytes)]));
}

fn columns_named(named: &[(&str, SqlType)]) -> Arc<SqlColumns> {
    let column = |(name, of): &(&str, SqlType)| SqlColumn {
        name: (*name).to_owned(),
        sql_type: of.clone(),
    };
    Arc::new(SqlColumns::new(named.iter().map(column).collect()))
}

#[test]
fn types_come_back_as_they_were_sent() {
    let mut draw = draw::Draw::new(1);
    for _ in 0..500 {
        let of = draw.sql_type(4);
        let sent = wire::SqlType::from(&of).encode_to_vec();
        let wire = wire::SqlType::decode(&*sent).unwrap();
        assert_eq!(super::types::sql_type(wire), Ok(of));
    }
    let named = SqlField {
        name: String::new(),
        sql_type: SqlType::Bool,
    };
    assert_eq!(SqlType::Struct(vec![named]).to_string(), "STRUCT<BOOL>");
}
