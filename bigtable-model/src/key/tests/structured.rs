//! Keys in Bigtable's ordered code: the published bytes, and decoding them by the table's row key
//! schema.

use proptest::prelude::*;

use super::layouts::segment;
use super::strategies::*;
use crate::Timestamp;
use crate::data::{RowKeyEncoding, RowKeyValue};
use crate::key::*;

const INNER: SegmentOptions = SegmentOptions {
    code: Some(CodePlace::Inner),
    ..SegmentOptions::NONE
};
const LAST: SegmentOptions = SegmentOptions {
    code: Some(CodePlace::Last),
    ..SegmentOptions::NONE
};
const AT: i64 = 1_426_535_612_156_000;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn coded(segments: Vec<Segment>) -> KeyLayout {
    let layout = KeyLayout {
        prefix: "".into(),
        separator: KeyLayout::ORDERED_CODE.into(),
        enclosed: false,
        segments: segments.into(),
    };
    layout.check().unwrap();
    layout
}

fn text(text: &str) -> SegmentValue {
    SegmentValue::String(text.to_owned())
}

fn texts(count: usize) -> KeyLayout {
    let names = ["a", "b", "c"].into_iter().take(count).enumerate();
    let escape = |options| SegmentOptions {
        escape: true,
        ..options
    };
    let segments = names.map(|(at, name)| {
        let options = if at + 1 == count { LAST } else { INNER };
        segment(name, SegmentKind::String, escape(options))
    });
    coded(segments.collect())
}

fn quotes(unit: TimeUnit) -> KeyLayout {
    let unit = SegmentOptions {
        unit: Some(unit),
        ..LAST
    };
    coded(vec![
        segment("exchange", SegmentKind::String, INNER),
        segment("symbol", SegmentKind::String, INNER),
        segment("at", SegmentKind::Time, unit),
    ])
}

#[test]
fn keys_have_the_published_bytes() {
    let layout = quotes(TimeUnit::Millis);
    assert_eq!(
        layout.to_string(),
        r"{exchange:code}\x00\x01{symbol:code}\x00\x01{at:code ms}"
    );
    let at = SegmentValue::Time(Timestamp::from_micros(AT));
    let values = [text("NASDAQ"), text("ZXZZT"), at.clone()];
    let mut key = Vec::new();
    layout.encode(&values, &mut key).unwrap();
    let expected = "4e4153444151 0001 5a585a5a54 0001 ff05116d346c0860";
    assert_eq!(hex(&key), expected.replace(' ', ""));
    assert_eq!(layout.decode(&key).unwrap(), values);
    assert_eq!(
        layout.describe(&key).to_string(),
        "exchange=NASDAQ symbol=ZXZZT at=2015-03-16T19:53:32.156Z"
    );
    let mut prefix = Vec::new();
    layout.encode_prefix(&values[..1], &mut prefix).unwrap();
    assert_eq!(hex(&prefix), "4e41534441510001");
    let empty = [text(""), text(""), at];
    let mut key = Vec::new();
    layout.encode(&empty, &mut key).unwrap();
    let expected = "0000 0001 0000 0001 ff05116d346c0860";
    assert_eq!(hex(&key), expected.replace(' ', ""));
    assert_eq!(layout.decode(&key).unwrap(), empty);
}

#[test]
fn integers_have_the_published_bytes() {
    let layout = coded(vec![segment("n", SegmentKind::Signed { bits: 64 }, LAST)]);
    for (number, expected) in [
        (0, "80"),
        (-1, "7f"),
        (63, "bf"),
        (64, "c040"),
        (-65, "3fbf"),
        // The bytes e0 20 00, whose zero is escaped in a key.
        (8_192, "e02000ff"),
        // 00 3f 80 and seven zeros.
        (i128::from(i64::MIN), "00ff3f8000ff00ff00ff00ff00ff00ff00ff"),
        (i128::from(i64::MAX), "ffc07fffffffffffffff"),
    ] {
        let values = [SegmentValue::Signed(number)];
        let mut key = Vec::new();
        layout.encode(&values, &mut key).unwrap();
        assert_eq!(hex(&key), expected, "{number}");
        assert_eq!(layout.decode(&key).unwrap(), values);
    }
    // Longer forms of 0, bytes that are no number, and numbers out of range.
    for key in ["c000ff", "ff", "8000ff", "80000180"] {
        let bytes = (0..key.len()).step_by(2);
        let bytes = bytes.map(|at| u8::from_str_radix(&key[at..at + 2], 16).unwrap());
        assert!(layout.decode(&bytes.collect::<Vec<_>>()).is_err(), "{key}");
    }
}

#[test]
fn texts_have_the_published_bytes() {
    for (values, expected) in [
        (&["a", "b", "c"][..], "61 0001 62 0001 63"),
        (&["a\0b"], "61 00ff 62"),
        (&["a", "", "c"], "61 0001 0000 0001 63"),
        (&["", "b"], "0000 0001 62"),
        // No 00, no escape.
        (&["\u{1}"], "01"),
    ] {
        let layout = texts(values.len());
        let values: Vec<_> = values.iter().map(|one| text(one)).collect();
        let mut key = Vec::new();
        layout.encode(&values, &mut key).unwrap();
        assert_eq!(hex(&key), expected.replace(' ', ""));
        assert_eq!(layout.decode(&key).unwrap(), values);
    }
}

/// The schema reads missing last fields of a key as empty. Here they are never empty, so that all
/// keys with one prefix are adjacent.
#[test]
fn an_empty_text_at_the_end_is_refused() {
    let layout = texts(2);
    let error = layout.encode(&[text("a"), text("")], &mut Vec::new());
    assert_eq!(
        error,
        Err(KeyError::Segment {
            segment: "b".into(),
            source: SegmentError::EmptyAtEnd,
        })
    );
    for key in [
        &b"a"[..],
        b"a\0\x01",
        b"a\0\x01\0\0",
        b"a\0\0",
        b"\0\0",
        b"a\0\x01b\0\x01c",
    ] {
        assert!(layout.decode(key).is_err(), "{}", key.escape_ascii());
    }
}

#[test]
fn a_zero_byte_needs_escape() {
    let layout = coded(vec![segment("a", SegmentKind::String, LAST)]);
    let error = layout.encode(&[text("a\0")], &mut Vec::new()).unwrap_err();
    assert!(
        matches!(
            &error,
            KeyError::Segment {
                source: SegmentError::SeparatorByte { byte: 0, .. },
                ..
            }
        ),
        "{error:?}"
    );
    assert!(layout.decode(b"a\0\xff").is_err());
    assert_eq!(texts(1).decode(b"a\0\xff").unwrap(), [text("a\0")]);
}

#[test]
fn formats_and_separators_go_together() {
    let reason = |separator: &'static str, format: SegmentFormat, kind| {
        let layout = KeyLayout {
            prefix: "".into(),
            separator: separator.into(),
            enclosed: false,
            segments: vec![Segment {
                name: "a".into(),
                role: SegmentRole::Identifier,
                kind,
                format,
            }]
            .into(),
        };
        layout.refusal().unwrap_or_default()
    };
    let inner = SegmentFormat::CodedText {
        escape: false,
        last: false,
    };
    for (separator, format, kind, expected) in [
        (
            "#",
            SegmentFormat::CodedInt,
            SegmentKind::Signed { bits: 64 },
            "between its separator",
        ),
        (
            KeyLayout::ORDERED_CODE,
            inner,
            SegmentKind::String,
            "ends the key",
        ),
        (
            KeyLayout::ORDERED_CODE,
            SegmentFormat::Variable,
            SegmentKind::String,
            "of its own",
        ),
        (
            KeyLayout::ORDERED_CODE,
            SegmentFormat::Escaped,
            SegmentKind::String,
            "one of its formats",
        ),
        (
            KeyLayout::ORDERED_CODE,
            SegmentFormat::Rest,
            SegmentKind::Bytes,
            "one of its formats",
        ),
        (
            KeyLayout::ORDERED_CODE,
            SegmentFormat::CodedInt,
            SegmentKind::Unsigned { bits: 64 },
            "kind",
        ),
        (
            "\0",
            SegmentFormat::Variable,
            SegmentKind::String,
            "printable",
        ),
        (
            "\0\u{1}\0",
            SegmentFormat::Variable,
            SegmentKind::String,
            "printable",
        ),
    ] {
        let reason = reason(separator, format.clone(), kind);
        assert!(reason.contains(expected), "{format:?}: {reason}");
    }
}

/// A value as the schema's field holds it: a value without a type there is text.
fn field(segment: &Segment, value: &SegmentValue) -> RowKeyValue {
    match (&segment.format, stored(segment, value)) {
        (SegmentFormat::CodedText { .. }, SegmentValue::String(text)) => RowKeyValue::String(text),
        (SegmentFormat::CodedInt, SegmentValue::Unsigned(number)) => {
            RowKeyValue::Int64(number.try_into().unwrap())
        }
        (SegmentFormat::CodedInt, SegmentValue::Signed(number)) => {
            RowKeyValue::Int64(number.try_into().unwrap())
        }
        (SegmentFormat::CodedTicks { .. }, SegmentValue::Time(time)) => {
            RowKeyValue::Timestamp(time)
        }
        (SegmentFormat::CodedBytes { .. }, SegmentValue::Bytes(bytes)) => RowKeyValue::Bytes(bytes),
        (SegmentFormat::CodedBytes { .. }, SegmentValue::Uuid(bytes)) => {
            RowKeyValue::Bytes(bytes.to_vec())
        }
        (_, value) => {
            let mut bytes = Vec::new();
            segment.encode(&value, 0, &mut bytes).unwrap();
            RowKeyValue::String(String::from_utf8(bytes).unwrap())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn the_schema_makes_the_same_keys((layout, values) in coded_layout().prop_flat_map(|layout| {
        let values = values(&layout);
        (Just(layout), values)
    })) {
        let schema = layout.row_key_schema().unwrap();
        prop_assert_eq!(&schema.encoding, &RowKeyEncoding::OrderedCode);
        let prefix = Some(&layout.prefix).filter(|prefix| !prefix.is_empty());
        let mut fields: Vec<_> = prefix.map(|one| RowKeyValue::String(one.to_string())).into_iter().collect();
        fields.extend(layout.segments.iter().zip(&values).map(|(segment, value)| field(segment, value)));
        let mut key = Vec::new();
        match layout.encode(&values, &mut key) {
            Ok(()) => {
                prop_assert_eq!(&schema.decode(&key).unwrap(), &fields, "{}", layout);
                prop_assert_eq!(schema.encode(&fields).unwrap(), key);
            }
            Err(error) => prop_assert!(matches!(error, KeyError::TooLong { .. }), "{}", error),
        }
    }
}
