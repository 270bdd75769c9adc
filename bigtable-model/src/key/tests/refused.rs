//! Values that cannot be stored are refused with the segment's name, and leave the buffer
//! unchanged. Among them are known defects of other libraries.

use super::layouts::{layout, millis, padded, quote, quote_values, segment, text, time};
use crate::Timestamp;
use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan};
use crate::key::*;

const NONE: SegmentOptions = SegmentOptions::NONE;

fn variable(name: &str) -> Segment {
    segment(name, SegmentKind::String, NONE)
}

fn encode(layout: &KeyLayout, values: &[SegmentValue]) -> Result<Vec<u8>, KeyError> {
    let mut out = b"kept".to_vec();
    match layout.encode(values, &mut out) {
        Ok(()) => Ok(out.split_off(4)),
        Err(error) => {
            assert_eq!(out, b"kept", "half a key stays in the buffer");
            Err(error)
        }
    }
}

/// The error of the segment with this name.
#[track_caller]
fn refusal(layout: &KeyLayout, values: &[SegmentValue], name: &str) -> SegmentError {
    match encode(layout, values) {
        Err(KeyError::Segment { segment, source }) => {
            assert_eq!(segment, name);
            source
        }
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn separators_in_text_are_refused() {
    // ("a::b", "c") and ("a", "b::c") would be one key.
    let two = layout("", "::", vec![variable("x"), variable("y")]);
    let error = refusal(&two, &[text("a::b"), text("c")], "x");
    assert_eq!(
        error.to_string(),
        "`a::b` holds the byte 0x3a, which is not above the separator: declare `escape` to store it"
    );
    refusal(&two, &[text("a"), text("b::c")], "y");
    // "a-b" would sort before "a".
    refusal(&two, &[text("a-b"), text("c")], "x");
    refusal(&two, &[text("a1"), text("c")], "x");
}

#[test]
fn escaped_text_keeps_its_parts_and_order() {
    let escape = SegmentOptions {
        escape: true,
        ..NONE
    };
    let escaped = |name| segment(name, SegmentKind::String, escape);
    let two = layout("", "::", vec![escaped("x"), escaped("y")]);
    let key = |x, y| encode(&two, &[text(x), text(y)]).unwrap();
    assert_ne!(key("a::b", "c"), key("a", "b::c"));
    assert!(key("a", "z") < key("a1", "a"));
    assert!(key("a", "z") < key("a-b", "a"));
}

#[test]
fn negative_numbers_keep_their_order() {
    let one = layout(
        "",
        "#",
        vec![segment("level", SegmentKind::Signed { bits: 32 }, NONE)],
    );
    let key = |value| encode(&one, &[SegmentValue::Signed(value)]).unwrap();
    assert!(key(-15) < key(-10));
    assert!(key(-10) < key(0));
    assert!(key(9) < key(10));
}

#[test]
fn numbers_wider_than_declared_are_refused() {
    let four = SegmentOptions {
        width: Some(4),
        ..NONE
    };
    let unsigned = segment("n", SegmentKind::Unsigned { bits: 32 }, four);
    let signed = segment("n", SegmentKind::Signed { bits: 32 }, four);
    let byte = segment("n", SegmentKind::Unsigned { bits: 8 }, NONE);
    for (segment, value) in [
        (&unsigned, SegmentValue::Unsigned(12_345)),
        (&signed, SegmentValue::Signed(1_000)),
        (&signed, SegmentValue::Signed(-1_001)),
        (&byte, SegmentValue::Unsigned(256)),
    ] {
        let error = refusal(&layout("", "#", vec![segment.clone()]), &[value], "n");
        assert!(matches!(error, SegmentError::TooWide { .. }), "{error}");
    }
    let error = refusal(
        &layout("", "#", vec![unsigned]),
        &[SegmentValue::Unsigned(12_345)],
        "n",
    );
    assert_eq!(
        error.to_string(),
        "`12345` takes 5 bytes, the segment holds 4"
    );
}

#[test]
fn case_is_kept() {
    let one = layout("", "#", vec![variable("x")]);
    assert_eq!(encode(&one, &[text("Ab")]).unwrap(), b"Ab");
    assert_eq!(encode(&one, &[text("aB")]).unwrap(), b"aB");
}

#[test]
fn seconds_have_a_fixed_width() {
    let seconds = SegmentOptions {
        unit: Some(TimeUnit::Seconds),
        ..NONE
    };
    let one = layout("", "#", vec![segment("at", SegmentKind::Time, seconds)]);
    let key = |seconds| {
        let time = SegmentValue::Time(Timestamp::from_seconds(seconds));
        encode(&one, &[time]).unwrap()
    };
    assert!(key(999_999_999) < key(1_000_000_000));
}

#[test]
fn a_length_does_not_stand_before_the_name() {
    let one = layout("", "#", vec![variable("x"), variable("y")]);
    let key = |x| encode(&one, &[text(x), text("y")]).unwrap();
    assert!(key("aaaa") < key("b"));
}

#[test]
fn padded_text_that_would_change_is_refused() {
    let mut values = quote_values();
    values[1] = text("ZXZZT1");
    assert!(matches!(
        refusal(&quote(), &values, "symbol"),
        SegmentError::TooWide {
            bytes: 6,
            width: 5,
            ..
        }
    ));
    values[1] = text("ab ");
    assert!(matches!(
        refusal(&quote(), &values, "symbol"),
        SegmentError::EndsInPad { .. }
    ));
    values[1] = text("a\tb");
    assert!(matches!(
        refusal(&quote(), &values, "symbol"),
        SegmentError::BelowPad { byte: b'\t', .. }
    ));
    // Width counts bytes.
    values[1] = text("ééé");
    assert!(matches!(
        refusal(&quote(), &values, "symbol"),
        SegmentError::TooWide { bytes: 6, .. }
    ));
}

#[test]
fn times_that_would_change_are_refused() {
    let mut values = quote_values();
    values[2] = time("1969-12-31T23:59:59.999Z");
    assert!(matches!(
        refusal(&quote(), &values, "at"),
        SegmentError::BeforeEpoch { .. }
    ));
    values[2] = time("2015-03-16T19:53:32.156001Z");
    assert_eq!(
        refusal(&quote(), &values, "at").to_string(),
        "2015-03-16T19:53:32.156001Z is not a whole millisecond: declare `truncate` to round down"
    );
    values[2] = time("2286-11-20T17:46:40Z");
    assert_eq!(
        refusal(&quote(), &values, "at").to_string(),
        "2286-11-20T17:46:40Z is outside the segment's range, 0 to 9999999999999 milliseconds since 1970"
    );
}

#[test]
fn binary_times_hold_every_time() {
    let binary = SegmentOptions {
        binary: true,
        ..NONE
    };
    let one = layout("", "#", vec![segment("at", SegmentKind::Time, binary)]);
    for time in [Timestamp::MIN, Timestamp::from_micros(-1), Timestamp::MAX] {
        let key = encode(&one, &[SegmentValue::Time(time)]).unwrap();
        assert_eq!(one.time_of(&key), Ok(Some(time)));
    }
}

#[test]
fn a_unit_below_the_least_time_is_refused() {
    let options = SegmentOptions {
        binary: true,
        truncate: true,
        unit: Some(TimeUnit::Seconds),
        ..NONE
    };
    let one = layout("", "#", vec![segment("at", SegmentKind::Time, options)]);
    let error = refusal(&one, &[SegmentValue::Time(Timestamp::MIN)], "at");
    assert!(matches!(error, SegmentError::TimeOutOfRange { .. }));
}

#[test]
fn empty_and_long_keys_are_refused() {
    let one = layout("", "#", vec![variable("x")]);
    assert_eq!(encode(&one, &[text("")]), Err(KeyError::Empty));
    assert_eq!(
        encode(&one, &[text(&"x".repeat(4096))]).unwrap().len(),
        4096
    );
    assert_eq!(
        encode(&one, &[text(&"x".repeat(4097))]),
        Err(KeyError::TooLong { bytes: 4097 })
    );
    assert_eq!(one.decode(b""), Err(KeyError::Empty));
    assert_eq!(
        one.decode(&[b'x'; 4097]),
        Err(KeyError::TooLong { bytes: 4097 })
    );
}

#[test]
fn values_must_go_with_the_layout() {
    let mut values = quote_values();
    values.pop();
    assert_eq!(
        encode(&quote(), &values),
        Err(KeyError::Count {
            values: 2,
            segments: 3
        })
    );
    values.push(SegmentValue::Unsigned(1));
    assert_eq!(
        refusal(&quote(), &values, "at").to_string(),
        "a value of kind unsigned integer cannot be written as time {:013ms}"
    );
    let bytes = segment("x", SegmentKind::Bytes, NONE);
    let middle = layout("", "#", vec![bytes, variable("y")]);
    refusal(&middle, &[SegmentValue::Bytes(Vec::new()), text("y")], "x");
}

#[test]
fn bytes_that_are_no_key_are_refused() {
    let quote = quote();
    let error = |key: &[u8]| quote.decode(key).unwrap_err().to_string();
    assert_eq!(
        error(b"NYSE"),
        "segment `exchange` of the row key is refused"
    );
    assert_eq!(error(b"NASDAQ#"), "the key ends before segment `symbol`");
    assert_eq!(
        error(b"NASDAQ-ZXZZT#1"),
        "no separator after segment `exchange`"
    );
    assert_eq!(
        error(b"NASDAQ#ZXZZT#14265356121561"),
        "1 bytes follow the last segment"
    );
    for wrong in [
        "+426535612156",
        "142653561215 ",
        " 42653561215",
        "14265356l2156",
    ] {
        assert!(
            quote
                .decode(format!("NASDAQ#ZXZZT#{wrong}").as_bytes())
                .is_err()
        );
    }
    // Below the pad, and a digit in the wrong case: encoding the decoded values would not give the
    // same bytes.
    assert!(quote.decode(b"A\x01B   #ZXZZT#1426535612156").is_err());
    let hex = layout(
        "",
        "#",
        vec![segment("x", SegmentKind::ByteArray { len: 1 }, NONE)],
    );
    assert!(hex.decode(b"0a").is_ok());
    assert!(hex.decode(b"0A").is_err());
    let text = layout("", "#", vec![variable("x"), variable("y")]);
    assert!(text.decode(b"a\"#b").is_err());
    assert!(text.decode(b"a#b#c").is_err());
    assert!(text.decode(b"a").is_err());
}

#[test]
fn wide_segments_leave_room_for_none() {
    let wide = layout("", "#", vec![padded("x", 4090), millis("at")]);
    assert_eq!(
        encode(&wide, &[text(""), time("1970-01-01T00:00:00Z")]),
        Err(KeyError::TooLong { bytes: 4104 })
    );
}

/// A label that the separator ends contains only bytes above it, or its key could not be read.
#[test]
fn labels_end_before_their_separator() {
    let weeks = |separator: &'static str, before: &'static str, width| KeyLayout {
        prefix: "".into(),
        separator: separator.into(),
        enclosed: false,
        segments: vec![
            Segment {
                name: "at".into(),
                role: SegmentRole::Bucket,
                kind: SegmentKind::Time,
                format: SegmentFormat::Bucket(Bucket {
                    span: BucketSpan::Week,
                    zone: None,
                    label: BucketLabel::Counted {
                        origin: Timestamp::UNIX_EPOCH,
                        before: before.into(),
                        after: "".into(),
                        width,
                    },
                    grid_micros: 1,
                    truncate: false,
                }),
            },
            segment("id", SegmentKind::Unsigned { bits: 8 }, NONE),
        ]
        .into(),
    };
    let values = [time("1970-06-01T00:00:00Z"), SegmentValue::Unsigned(7)];
    for (separator, before, width, sound) in [
        ("#", "week", 0, true),
        ("5", "week", 0, false),
        (":", "week", 0, false),
        ("#", "week ", 0, false),
        ("#", "#", 0, false),
        (":", "week ", 4, true),
    ] {
        let layout = weeks(separator, before, width);
        assert_eq!(layout.check().is_ok(), sound, "{before} {separator}");
        let mut key = Vec::new();
        layout.encode(&values, &mut key).unwrap();
        let reads_back = layout.decode(&key).is_ok_and(|back| back[1] == values[1]);
        assert_eq!(reads_back, sound, "{}", key.escape_ascii());
    }
}
