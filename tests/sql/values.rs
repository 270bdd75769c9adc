//! Values of every type and depth through a stream.

use bigtable_model::backend::grpc::wire::{self, SqlTypeKind as Type, SqlValueKind as Kind};
use bigtable_model::backend::sql::{SqlDate, SqlParameters, SqlTimestamp, SqlValue};

use crate::answers::{Part, all, column, int, int64, list, null, of, plan, string, text, value};
use crate::scripted::Scripted;

/// The values of one row with columns of these types.
async fn row(columns: Vec<(wire::SqlType, wire::SqlValue)>) -> Vec<SqlValue> {
    let (server, backend) = Scripted::start().await;
    let (types, values): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let columns = types.into_iter().map(|of| column("", of));
    server.prepares(plan("plan", columns.collect()));
    server.executes([Part::new().reset().batch(values).token("t")]);
    let mut rows = all(&backend, SqlParameters::new()).await.unwrap();
    assert_eq!(rows.len(), 1);
    rows.remove(0).into_values()
}

fn array(element: wire::SqlType) -> wire::SqlType {
    of(Type::Array(Box::new(wire::ArrayType {
        element_type: Some(Box::new(element)),
    })))
}

fn map(key: wire::SqlType, value: wire::SqlType) -> wire::SqlType {
    of(Type::Map(Box::new(wire::MapType {
        key_type: Some(Box::new(key)),
        value_type: Some(Box::new(value)),
    })))
}

/// Fields may share a name, or have none.
fn structure(fields: Vec<(&str, wire::SqlType)>) -> wire::SqlType {
    let field = |(name, of): (&str, wire::SqlType)| wire::StructField {
        field_name: name.to_owned(),
        r#type: Some(of),
    };
    of(Type::Struct(wire::StructType {
        fields: fields.into_iter().map(field).collect(),
    }))
}

#[tokio::test]
async fn every_plain_type() {
    let empty = wire::Empty {};
    let at = |seconds, nanos| value(Kind::Timestamp(wire::Timestamp { seconds, nanos }));
    let day = value(Kind::Date(wire::Date {
        year: 2024,
        month: 2,
        day: 29,
    }));
    let values = row(vec![
        (of(Type::Bytes(empty)), value(Kind::Bytes("b".into()))),
        (string(), text("s")),
        (int64(), int(i64::MIN)),
        (of(Type::Bool(empty)), value(Kind::Bool(false))),
        (of(Type::Float64(empty)), value(Kind::Float(-0.1))),
        (of(Type::Float32(empty)), value(Kind::Float(0.25))),
        (of(Type::Timestamp(empty)), at(-1, 5)),
        // 1970 is a value, and so are 0, false and the empty text.
        (of(Type::Timestamp(empty)), at(0, 0)),
        (of(Type::Date(empty)), day),
        (int64(), int(0)),
        (string(), text("")),
    ]);
    let at = |seconds, nanos| SqlValue::Timestamp(SqlTimestamp::new(seconds, nanos).unwrap());
    let expected = [
        SqlValue::Bytes("b".into()),
        SqlValue::String("s".into()),
        SqlValue::Int64(i64::MIN),
        SqlValue::Bool(false),
        SqlValue::Float64(-0.1),
        SqlValue::Float32(0.25),
        at(-1, 5),
        at(0, 0),
        SqlValue::Date(SqlDate::new(2024, 2, 29).unwrap()),
        SqlValue::Int64(0),
        SqlValue::String("".into()),
    ];
    assert_eq!(values.await, expected);
}

#[tokio::test]
async fn null_is_of_every_type() {
    let empty = wire::Empty {};
    let types = vec![
        of(Type::Bytes(empty)),
        string(),
        int64(),
        of(Type::Bool(empty)),
        of(Type::Float64(empty)),
        of(Type::Float32(empty)),
        of(Type::Timestamp(empty)),
        of(Type::Date(empty)),
        array(string()),
        map(string(), int64()),
        structure(vec![("x", int64())]),
    ];
    let count = types.len();
    let values = row(types.into_iter().map(|of| (of, null())).collect());
    assert_eq!(values.await, vec![SqlValue::Null; count]);
}

#[tokio::test]
async fn arrays_structs_and_maps_hold_each_other_and_null() {
    let inner = structure(vec![
        ("", array(int64())),
        ("same", string()),
        ("same", string()),
    ]);
    let column = map(string(), inner);
    let entry = |key, of| list(vec![key, of]);
    let full = list(vec![list(vec![int(1), null()]), text("a"), null()]);
    let values = row(vec![(
        column,
        list(vec![
            entry(text("k"), full),
            entry(text("null"), null()),
            entry(null(), list(vec![null(), null(), null()])),
        ]),
    )]);
    let text = |text: &str| SqlValue::String(text.into());
    let full = SqlValue::Struct(vec![
        SqlValue::Array(vec![SqlValue::Int64(1), SqlValue::Null]),
        text("a"),
        SqlValue::Null,
    ]);
    let [SqlValue::Map(entries)] = &*values.await else {
        panic!("no map")
    };
    assert_eq!(entries.len(), 3);
    for entry in [
        (text("k"), full),
        (text("null"), SqlValue::Null),
        (SqlValue::Null, SqlValue::Struct(vec![SqlValue::Null; 3])),
    ] {
        assert!(entries.contains(&entry), "{entry:?}");
    }
}

#[tokio::test]
async fn of_one_key_of_a_map_the_last_entry_stays() {
    let entry = |key, number| list(vec![text(key), int(number)]);
    let entries = vec![entry("k", 1), entry("j", 2), entry("k", 3)];
    let values = row(vec![(map(string(), int64()), list(entries))]).await;
    assert_eq!(values[0].entry(b"k"), Some(&SqlValue::Int64(3)));
    assert_eq!(values[0].entry(b"j"), Some(&SqlValue::Int64(2)));
    let SqlValue::Map(entries) = &values[0] else {
        panic!("no map")
    };
    assert_eq!(entries.len(), 2);
}
