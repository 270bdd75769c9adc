#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::*;
use crate::data::limits::KEY;

const CODED: RowKeyType = RowKeyType::Int64(IntEncoding::OrderedCode);

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn integers_have_the_published_bytes() {
    for (number, expected) in [
        (0, "80"),
        (-1, "7f"),
        (63, "bf"),
        (64, "c040"),
        (-65, "3fbf"),
        (8192, "e02000"),
        (i64::MIN, "003f8000000000000000"),
        (i64::MAX, "ffc07fffffffffffffff"),
        (1_426_535_612_156_000, "ff05116d346c0860"),
    ] {
        let mut bytes = Vec::new();
        assert!(IntEncoding::OrderedCode.encode(number, &mut bytes));
        assert_eq!(hex(&bytes), expected, "{number}");
        assert_eq!(IntEncoding::OrderedCode.decode(&bytes), Some(number));
    }
    // Longer forms of 0, nothing, and too much.
    for none in [&[0xc0, 0][..], &[], &[0xff; 11], &[0xff; 10], &[0x80, 0]] {
        assert_eq!(IntEncoding::OrderedCode.decode(none), None, "{none:02x?}");
    }
}

fn texts(texts: &[&str]) -> Vec<RowKeyValue> {
    let texts = texts
        .iter()
        .map(|text| RowKeyValue::String((*text).to_owned()));
    texts.collect()
}

fn of_texts(encoding: RowKeyEncoding, count: usize) -> RowKeySchema {
    let names = ["a", "b", "c", "d"].into_iter().take(count);
    names.fold(RowKeySchema::new(encoding), |schema, name| {
        schema.field(name, RowKeyType::String)
    })
}

#[test]
fn structs_in_ordered_code_have_the_published_bytes() {
    for (values, expected) in [
        (&["a", "b", "c"][..], "61 0001 62 0001 63"),
        (&["a\0b"], "61 00ff 62"),
        // Empty fields: in the middle, at the beginning, at the end, all.
        (&["a", "", "c"], "61 0001 0000 0001 63"),
        (&["", "b"], "0000 0001 62"),
        (&["a", "", ""], "61"),
        (&["", "", ""], "0000"),
        (&[""], "0000"),
        // No 00, no escape.
        (&["\u{1}"], "01"),
    ] {
        let schema = of_texts(RowKeyEncoding::OrderedCode, values.len());
        let key = schema.encode(&texts(values)).unwrap();
        assert_eq!(hex(&key), expected.replace(' ', ""), "{values:?}");
        assert_eq!(schema.decode(&key).unwrap(), texts(values));
    }
    let schema = RowKeySchema::new(RowKeyEncoding::OrderedCode)
        .field("exchange", RowKeyType::String)
        .field("symbol", RowKeyType::String)
        .field("at", RowKeyType::Timestamp(IntEncoding::OrderedCode));
    let at = Timestamp::from_millis(1_426_535_612_156);
    let mut values = texts(&["NASDAQ", "ZXZZT"]);
    values.push(RowKeyValue::Timestamp(at));
    let key = schema.encode(&values).unwrap();
    let expected = "4e4153444151 0001 5a585a5a54 0001 ff05116d346c0860";
    assert_eq!(hex(&key), expected.replace(' ', ""));
    assert_eq!(schema.decode(&key).unwrap(), values);
    // A zero byte of an integer is escaped like any other.
    let schema = RowKeySchema::new(RowKeyEncoding::OrderedCode)
        .field("n", RowKeyType::Int64(IntEncoding::BigEndian));
    let key = schema.encode(&[RowKeyValue::Int64(1)]).unwrap();
    assert_eq!(hex(&key), format!("{}01", "00ff".repeat(7)));
    assert_eq!(schema.decode(&key).unwrap(), [RowKeyValue::Int64(1)]);
}

#[test]
fn keys_of_no_schema_are_refused() {
    let two = of_texts(RowKeyEncoding::OrderedCode, 2);
    for key in [
        &b"a\0"[..],
        b"a\0\x02",
        b"a\0\0",
        b"a\0\x01b\0\x01c",
        b"a\0\x01",
        b"a\0\x01\0\0",
        b"\xff",
        b"",
    ] {
        assert!(two.decode(key).is_err(), "{}", key.escape_ascii());
    }
    let delimited = of_texts(RowKeyEncoding::Delimited("##".into()), 2);
    for key in [&b"a"[..], b"a#b", b"a##b##c", b"a##b#", b"a\0##b", b""] {
        assert!(delimited.decode(key).is_err(), "{}", key.escape_ascii());
    }
    assert_eq!(delimited.decode(b"a##b").unwrap(), texts(&["a", "b"]));
}

#[test]
fn delimited_fields_hold_bytes_above_the_delimiter() {
    let schema = of_texts(RowKeyEncoding::Delimited("#".into()), 2);
    assert_eq!(schema.encode(&texts(&["a", "b"])).unwrap(), b"a#b");
    for (text, byte) in [
        ("a b", b' '),
        ("!", b'!'),
        ("\"", b'"'),
        ("#", b'#'),
        ("\n", b'\n'),
    ] {
        let error = schema.encode(&texts(&[text, "b"])).unwrap_err();
        let field = "a".to_owned();
        assert_eq!(error, RowKeyError::Byte { field, byte });
    }
    let empty = of_texts(RowKeyEncoding::Delimited("#".into()), 1);
    let error = empty.encode(&texts(&[""])).unwrap_err();
    assert_eq!(error, RowKeyError::Length { len: 0 });
    let long = "x".repeat(KEY + 1);
    let error = empty.encode(&texts(&[&long])).unwrap_err();
    assert_eq!(error, RowKeyError::Length { len: 4_097 });
}

#[test]
fn schemas_that_bigtable_refuses_are_refused() {
    let ordered = || RowKeySchema::new(RowKeyEncoding::OrderedCode);
    let refused = |schema: &RowKeySchema| schema.check(["MD"]).err();
    assert_eq!(refused(&ordered()), Some(RowKeySchemaError::NoFields));
    for name in ["", "_key", "_timestamp", "MD"] {
        let field = name.to_owned();
        let error = refused(&ordered().field(name, CODED));
        assert_eq!(error, Some(RowKeySchemaError::Name { field }));
    }
    let twice = ordered().field("a", CODED).field("a", RowKeyType::String);
    assert!(matches!(
        refused(&twice),
        Some(RowKeySchemaError::Name { .. })
    ));
    for len in [0, 51] {
        let delimiter = RowKeyEncoding::Delimited(vec![b'#'; len].into());
        let error = refused(&of_texts(delimiter, 1));
        assert_eq!(error, Some(RowKeySchemaError::Delimiter { len }));
    }
    let delimited = RowKeySchema::new(RowKeyEncoding::Delimited("#".into()));
    let error = refused(&delimited.field("n", CODED));
    assert!(matches!(error, Some(RowKeySchemaError::Binary { .. })));
    assert_eq!(refused(&of_texts(RowKeyEncoding::OrderedCode, 3)), None);
}

#[test]
fn numbers_below_0_need_ordered_code() {
    let schema = RowKeySchema::new(RowKeyEncoding::OrderedCode)
        .field("n", RowKeyType::Int64(IntEncoding::BigEndian));
    let error = schema.encode(&[RowKeyValue::Int64(-1)]).unwrap_err();
    let field = "n".to_owned();
    assert_eq!(error, RowKeyError::Negative { field, number: -1 });
    let error = schema.encode(&texts(&["1"])).unwrap_err();
    let field = "n".to_owned();
    assert_eq!(error, RowKeyError::Type { field });
}

#[test]
fn what_is_not_known_is_neither_read_nor_written() {
    let unknown = [
        of_texts(RowKeyEncoding::Other, 1),
        RowKeySchema::new(RowKeyEncoding::OrderedCode).field("a", RowKeyType::Other),
    ];
    for (schema, what) in unknown.iter().zip(["the encoding", "field \"a\""]) {
        let what = what.to_owned();
        let error = RowKeySchemaError::Other { what: what.clone() };
        assert_eq!(schema.check([]), Err(error));
        let error = RowKeyError::Other { what };
        assert_eq!(schema.encode(&texts(&["x"])), Err(error.clone()));
        assert_eq!(schema.decode(b"x"), Err(error));
    }
}

#[test]
fn schemas_in_words() {
    let schema = RowKeySchema::new(RowKeyEncoding::OrderedCode)
        .field("host", RowKeyType::String)
        .field("port", RowKeyType::Int64(IntEncoding::BigEndian))
        .field("at", RowKeyType::Timestamp(IntEncoding::OrderedCode));
    assert_eq!(
        schema.to_string(),
        "host STRING, port INT64 in eight bytes, at TIMESTAMP in ordered code, joined in ordered code"
    );
    let schema = of_texts(RowKeyEncoding::Delimited("\t".into()), 2);
    assert_eq!(schema.to_string(), r#"a STRING, b STRING, joined by "\t""#);
}

fn values() -> impl Strategy<Value = Vec<RowKeyValue>> {
    let text = prop_oneof![Just(String::new()), "[\\x00\\x01ab]{0,3}", "\\PC{0,4}"];
    let bytes = prop::collection::vec(prop_oneof![Just(0), Just(1), Just(255), any::<u8>()], 0..5);
    let number = prop_oneof![any::<i64>(), -70_i64..70, Just(i64::MIN), Just(i64::MAX)];
    (text, bytes, number).prop_map(|(text, bytes, number)| {
        vec![
            RowKeyValue::String(text),
            RowKeyValue::Bytes(bytes),
            RowKeyValue::Int64(number),
        ]
    })
}

fn of_all() -> RowKeySchema {
    RowKeySchema::new(RowKeyEncoding::OrderedCode)
        .field("s", RowKeyType::String)
        .field("b", RowKeyType::Bytes)
        .field("n", CODED)
}

proptest! {
    #[test]
    fn keys_come_back_and_sort_as_their_values(a in values(), b in values()) {
        let schema = of_all();
        let (key_a, key_b) = (schema.encode(&a).unwrap(), schema.encode(&b).unwrap());
        prop_assert_eq!(schema.decode(&key_a).unwrap(), a.clone());
        prop_assert_eq!(key_a.cmp(&key_b), a.cmp(&b));
    }

    #[test]
    fn any_bytes_are_a_key_or_none(key in prop::collection::vec(prop_oneof![0_u8..3, any::<u8>()], 0..12)) {
        for schema in [of_all(), of_texts(RowKeyEncoding::Delimited("##".into()), 2)] {
            if let Ok(values) = schema.decode(&key) {
                prop_assert_eq!(schema.encode(&values).unwrap(), key.clone());
            }
        }
    }
}
