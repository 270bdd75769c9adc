//! The bytes of each format, which never change.

use super::layouts::segment;
use crate::Timestamp;
use crate::key::*;

const NONE: SegmentOptions = SegmentOptions::NONE;
const BINARY: SegmentOptions = SegmentOptions {
    binary: true,
    ..NONE
};
const TIME: i64 = 1_426_535_612_156_000;

fn width(width: u16) -> SegmentOptions {
    SegmentOptions {
        width: Some(width),
        ..NONE
    }
}

fn unit(unit: TimeUnit) -> SegmentOptions {
    SegmentOptions {
        unit: Some(unit),
        ..NONE
    }
}

fn reverse(options: SegmentOptions) -> SegmentOptions {
    SegmentOptions {
        reverse: true,
        ..options
    }
}

fn text(text: &str) -> SegmentValue {
    SegmentValue::String(text.to_owned())
}

fn time(micros: i64) -> SegmentValue {
    SegmentValue::Time(Timestamp::from_micros(micros))
}

fn calendar(items: &'static [CalendarItem]) -> SegmentOptions {
    SegmentOptions {
        format: Some(items),
        ..NONE
    }
}

#[track_caller]
fn check(kind: SegmentKind, options: SegmentOptions, rows: &[(SegmentValue, &[u8])]) {
    let segment = segment("one", kind, options);
    for (value, bytes) in rows {
        let mut out = Vec::new();
        segment.encode(value, b'#', &mut out).unwrap();
        assert_eq!(
            out.escape_ascii().to_string(),
            bytes.escape_ascii().to_string(),
            "{segment} {value}"
        );
        assert_eq!(segment.decode(bytes, b'#').as_ref(), Ok(value), "{segment}");
    }
}

#[test]
fn text_segments() {
    let escape = SegmentOptions {
        escape: true,
        ..NONE
    };
    let underscore = SegmentOptions {
        pad: Some(b'_'),
        ..width(5)
    };
    let string = SegmentKind::String;
    check(
        string,
        width(6),
        &[
            (text("NASDAQ"), b"NASDAQ"),
            (text("NYSE"), b"NYSE  "),
            (text("a#b c"), b"a#b c "),
            (text(""), b"      "),
        ],
    );
    check(string, underscore, &[(text("abc"), b"abc__")]);
    check(
        string,
        NONE,
        &[
            (text("web-1"), b"web-1"),
            (text("é"), b"\xc3\xa9"),
            (text(""), b""),
        ],
    );
    check(
        string,
        escape,
        &[
            (text("a#b"), b"a$Hb"),
            (text("$"), b"$I"),
            (text("%"), b"%"),
            (text(" \0"), b"$E$%"),
            (text(""), b""),
        ],
    );
    let (e, symbol) = (SegmentValue::Char('é'), SegmentValue::Char('x'));
    check(
        SegmentKind::Char,
        NONE,
        &[(e.clone(), b"\xc3\xa9"), (symbol, b"x")],
    );
    check(SegmentKind::Char, BINARY, &[(e, b"\0\0\0\xe9")]);
}

#[test]
fn integers() {
    let unsigned = |bits| SegmentKind::Unsigned { bits };
    let signed = |bits| SegmentKind::Signed { bits };
    let u = SegmentValue::Unsigned;
    let i = SegmentValue::Signed;
    check(unsigned(8), NONE, &[(u(0), b"000"), (u(255), b"255")]);
    check(unsigned(32), width(4), &[(u(0), b"0000"), (u(42), b"0042")]);
    check(
        unsigned(64),
        NONE,
        &[
            (u(u64::MAX.into()), b"18446744073709551615"),
            (u(7), b"00000000000000000007"),
        ],
    );
    check(
        unsigned(128),
        NONE,
        &[(u(u128::MAX), b"340282366920938463463374607431768211455")],
    );
    check(unsigned(16), BINARY, &[(u(258), b"\x01\x02")]);
    check(
        signed(8),
        NONE,
        &[
            (i(-128), b"-872"),
            (i(-1), b"-999"),
            (i(0), b"0000"),
            (i(127), b"0127"),
        ],
    );
    // 10 before 15 below zero: the order of numbers, not of their digits.
    check(
        signed(32),
        width(4),
        &[
            (i(-1_000), b"-000"),
            (i(-15), b"-985"),
            (i(-10), b"-990"),
            (i(999), b"0999"),
        ],
    );
    check(
        signed(64),
        NONE,
        &[
            (i(i64::MIN.into()), b"-0776627963145224192"),
            (i(i64::MAX.into()), b"09223372036854775807"),
        ],
    );
    check(
        signed(128),
        NONE,
        &[
            (i(i128::MIN), b"-829858816539530768268312696284115894272"),
            (i(-1), b"-999999999999999999999999999999999999999"),
        ],
    );
    check(
        signed(16),
        BINARY,
        &[(i(-1), b"\x7f\xff"), (i(1), b"\x80\x01")],
    );
}

#[test]
fn bytes_floats_and_others() {
    let bytes = |bytes: &[u8]| SegmentValue::Bytes(bytes.to_vec());
    check(
        SegmentKind::Bytes,
        NONE,
        &[(bytes(b"\0#\xff"), b"\0#\xff"), (bytes(b""), b"")],
    );
    let array = SegmentKind::ByteArray { len: 2 };
    check(array, NONE, &[(bytes(b"\x0a\xff"), b"0aff")]);
    check(array, BINARY, &[(bytes(b"\x0a\xff"), b"\x0a\xff")]);
    let f = SegmentValue::Float;
    check(
        SegmentKind::Float { bits: 64 },
        BINARY,
        &[
            (f(f64::NEG_INFINITY), b"\x00\x0f\xff\xff\xff\xff\xff\xff"),
            (f(-1.0), b"\x40\x0f\xff\xff\xff\xff\xff\xff"),
            (f(-0.0), b"\x7f\xff\xff\xff\xff\xff\xff\xff"),
            (f(0.0), b"\x80\0\0\0\0\0\0\0"),
            (f(1.0), b"\xbf\xf0\0\0\0\0\0\0"),
        ],
    );
    check(
        SegmentKind::Float { bits: 32 },
        BINARY,
        &[(SegmentValue::Float32(1.0), b"\xbf\x80\0\0")],
    );
    let (no, yes) = (SegmentValue::Bool(false), SegmentValue::Bool(true));
    check(
        SegmentKind::Bool,
        NONE,
        &[(no.clone(), b"0"), (yes.clone(), b"1")],
    );
    check(SegmentKind::Bool, BINARY, &[(no, b"\0"), (yes, b"\x01")]);
    let uuid = SegmentValue::Uuid(0x67e5_5044_10b1_426f_9247_bb68_0e5f_e0c8_u128.to_be_bytes());
    check(
        SegmentKind::Uuid,
        NONE,
        &[(uuid.clone(), b"67e55044-10b1-426f-9247-bb680e5fe0c8")],
    );
    check(
        SegmentKind::Uuid,
        BINARY,
        &[(
            uuid,
            b"\x67\xe5\x50\x44\x10\xb1\x42\x6f\x92\x47\xbb\x68\x0e\x5f\xe0\xc8",
        )],
    );
}

#[test]
fn ticks() {
    let (seconds, millis) = (unit(TimeUnit::Seconds), unit(TimeUnit::Millis));
    let whole = time(1_426_535_612_000_000);
    let kind = SegmentKind::Time;
    check(
        kind,
        seconds,
        &[(whole.clone(), b"1426535612"), (time(0), b"0000000000")],
    );
    check(
        kind,
        millis,
        &[
            (time(TIME), b"1426535612156"),
            (time(1_000), b"0000000000001"),
        ],
    );
    check(kind, NONE, &[(time(TIME), b"1426535612156000")]);
    check(
        kind,
        reverse(millis),
        &[
            (time(TIME), b"9223370610319163651"),
            (time(0), b"9223372036854775807"),
        ],
    );
    check(
        kind,
        reverse(SegmentOptions {
            width: Some(13),
            ..millis
        }),
        &[(time(TIME), b"8573464387843"), (time(0), b"9999999999999")],
    );
    let binary = |unit| SegmentOptions {
        unit: Some(unit),
        ..BINARY
    };
    check(
        kind,
        binary(TimeUnit::Micros),
        &[
            (time(i64::MIN), b"\0\0\0\0\0\0\0\0"),
            (time(-1), b"\x7f\xff\xff\xff\xff\xff\xff\xff"),
            (time(0), b"\x80\0\0\0\0\0\0\0"),
            (time(i64::MAX), b"\xff\xff\xff\xff\xff\xff\xff\xff"),
        ],
    );
    check(
        kind,
        reverse(binary(TimeUnit::Micros)),
        &[
            (time(i64::MAX), b"\0\0\0\0\0\0\0\0"),
            (time(0), b"\x7f\xff\xff\xff\xff\xff\xff\xff"),
            (time(i64::MIN), b"\xff\xff\xff\xff\xff\xff\xff\xff"),
        ],
    );
    check(
        kind,
        binary(TimeUnit::Seconds),
        &[(time(258_000_000), b"\x80\0\0\0\0\0\x01\x02")],
    );
}

#[test]
fn calendars() {
    use CalendarField::*;
    use CalendarItem::{Field, Literal};
    use std::borrow::Cow::Borrowed;
    const DAY: &[CalendarItem] = &[Field(Year), Field(Month), Field(Day)];
    const MINUTE: &[CalendarItem] = &[
        Field(Year),
        Literal(Borrowed("-")),
        Field(Month),
        Literal(Borrowed("-")),
        Field(Day),
        Literal(Borrowed("-")),
        Field(Hour),
        Field(Minute),
    ];
    const MILLIS: &[CalendarItem] = &[
        Field(Year),
        Field(DayOfYear),
        Literal(Borrowed("T")),
        Field(Hour),
        Field(Minute),
        Field(Second),
        Field(Millisecond),
    ];
    let kind = SegmentKind::Time;
    let at = |text: &str| SegmentValue::Time(text.parse().unwrap());
    check(
        kind,
        calendar(DAY),
        &[
            (at("2015-03-16T00:00:00Z"), b"20150316"),
            (at("2024-02-29T00:00:00Z"), b"20240229"),
            (at("1970-01-01T00:00:00Z"), b"19700101"),
            (time(253_402_214_400_000_000), b"99991231"),
        ],
    );
    check(
        kind,
        calendar(MINUTE),
        &[(at("2015-03-16T19:53:00Z"), b"2015-03-16-1953")],
    );
    check(
        kind,
        calendar(MILLIS),
        &[
            (at("2015-03-16T19:53:32.156Z"), b"2015075T195332156"),
            (at("2024-12-31T23:59:59.999Z"), b"2024366T235959999"),
        ],
    );
    for bytes in [
        b"20150229",
        b"20151301",
        b"20150001",
        b"20150100",
        b"19691231",
        b"2015+101",
    ] {
        let segment = segment("day", kind, calendar(DAY));
        assert!(segment.decode(bytes, b'#').is_err());
    }
}

/// The year, month and day, and hours and minutes if there are more than three fields.
const MINUTE: &[CalendarItem] = &[
    CalendarItem::Field(CalendarField::Year),
    CalendarItem::Field(CalendarField::Month),
    CalendarItem::Field(CalendarField::Day),
    CalendarItem::Literal(std::borrow::Cow::Borrowed(" ")),
    CalendarItem::Field(CalendarField::Hour),
    CalendarItem::Literal(std::borrow::Cow::Borrowed(":")),
    CalendarItem::Field(CalendarField::Minute),
];

#[test]
fn calendars_ahead_of_utc_and_behind_it() {
    let kind = SegmentKind::Time;
    let at = |text: &str| SegmentValue::Time(text.parse().unwrap());
    let (west, east) = (-7 * 3_600, 19_800);
    check(
        kind,
        calendar(MINUTE).offset_seconds(west),
        &[
            (at("2015-03-16T19:53:00Z"), b"20150316 12:53"),
            (at("2015-03-17T06:59:00Z"), b"20150316 23:59"),
            (at("1970-01-01T07:00:00Z"), b"19700101 00:00"),
            (time(253_402_325_940_000_000), b"99991231 23:59"),
        ],
    );
    check(
        kind,
        calendar(MINUTE).offset_seconds(east),
        &[
            (at("2015-03-16T19:53:00Z"), b"20150317 01:23"),
            (at("1969-12-31T18:30:00Z"), b"19700101 00:00"),
        ],
    );
    check(
        kind,
        calendar(MINUTE.split_at(3).0).offset_seconds(west),
        &[(at("2024-02-29T07:00:00Z"), b"20240229")],
    );
    // The text ends with the years of its own clock.
    let segment = segment("at", kind, calendar(MINUTE).offset_seconds(west));
    assert_eq!(segment.to_string(), "{at:%Y%m%d %H:%M in -07:00}");
    for (value, text) in [
        (
            at("1970-01-01T06:59:00Z"),
            "1970-01-01T06:59:00Z is outside the segment's range, the years 1970 to 9999 in -07:00",
        ),
        (
            at("2015-03-16T19:53:01Z"),
            "2015-03-16T19:53:01Z is not a whole minute",
        ),
    ] {
        let error = segment.encode(&value, b'#', &mut Vec::new()).unwrap_err();
        assert!(error.to_string().starts_with(text), "{error}");
    }
    let bounds = [
        (time(0), SegmentBound::BelowAll),
        (
            at("1970-01-01T07:00:00Z"),
            SegmentBound::At(b"19700101 00:00".to_vec()),
        ),
        (
            at("2015-03-17T06:59:01Z"),
            SegmentBound::At(b"20150317 00:00".to_vec()),
        ),
        (time(253_402_325_940_000_001), SegmentBound::AboveAll),
    ];
    for (value, bound) in bounds {
        assert_eq!(segment.encode_bound(&value, b'#'), Ok(bound), "{value:?}");
    }
}

#[test]
fn truncate_rounds_down() {
    let segment = segment(
        "at",
        SegmentKind::Time,
        SegmentOptions {
            truncate: true,
            ..unit(TimeUnit::Seconds)
        },
    );
    let mut out = Vec::new();
    segment.encode(&time(1_999_999), b'#', &mut out).unwrap();
    assert_eq!(out, b"0000000001");
    let before = segment.encode(&time(-1), b'#', &mut out);
    assert!(matches!(before, Err(SegmentError::BeforeEpoch { .. })));
}
