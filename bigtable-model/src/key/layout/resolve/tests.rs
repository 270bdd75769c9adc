#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::borrow::Cow;

use super::*;
use crate::key::{CalendarField, CalendarItem, SegmentPrimitive, TimeUnit};

const NONE: SegmentOptions = SegmentOptions::NONE;
const DAY: &[CalendarItem] = &[
    CalendarItem::Field(CalendarField::Year),
    CalendarItem::Literal(Cow::Borrowed("-")),
    CalendarItem::Field(CalendarField::Month),
    CalendarItem::Literal(Cow::Borrowed("-")),
    CalendarItem::Field(CalendarField::Day),
];

// Formats as constants, as generated code writes them.
const DECLARED: &[SegmentFormat] = &[
    SegmentFormat::declared(
        <&str as SegmentPrimitive<'_>>::KIND,
        SegmentOptions {
            width: Some(6),
            ..NONE
        },
        false,
    ),
    SegmentFormat::declared(
        SegmentKind::Time,
        SegmentOptions {
            format: Some(DAY),
            ..NONE
        },
        true,
    ),
];

#[test]
fn formats_are_constants() {
    assert_eq!(
        DECLARED.first(),
        Some(&SegmentFormat::Padded {
            width: 6,
            pad: b' '
        })
    );
    assert_eq!(DECLARED.last().unwrap().to_string(), "%Y-%m-%d");
    assert_eq!(DECLARED.last().unwrap().fixed_len(), Some(10));
}

#[test]
fn defaults_by_kind() {
    let table = [
        (SegmentKind::String, "variable"),
        (SegmentKind::Bytes, "bytes"),
        (SegmentKind::ByteArray { len: 16 }, "032x"),
        (SegmentKind::Unsigned { bits: 8 }, "03"),
        (SegmentKind::Unsigned { bits: 16 }, "05"),
        (SegmentKind::Unsigned { bits: 32 }, "010"),
        (SegmentKind::Unsigned { bits: 64 }, "020"),
        (SegmentKind::Unsigned { bits: 128 }, "039"),
        (SegmentKind::Signed { bits: 8 }, "+04"),
        (SegmentKind::Signed { bits: 16 }, "+06"),
        (SegmentKind::Signed { bits: 32 }, "+011"),
        (SegmentKind::Signed { bits: 64 }, "+020"),
        (SegmentKind::Signed { bits: 128 }, "+040"),
        (SegmentKind::Bool, "0/1"),
        (SegmentKind::Char, "char"),
        (SegmentKind::Uuid, "uuid"),
        (SegmentKind::Time, "016us"),
        (SegmentKind::Date, "%Y%m%d"),
    ];
    for (kind, template) in table {
        let format = SegmentFormat::resolve(kind, NONE, true).unwrap();
        assert_eq!(format.to_string(), template, "{kind}");
    }
}

#[test]
fn binary_by_kind() {
    let binary = SegmentOptions {
        binary: true,
        ..NONE
    };
    let table = [
        (SegmentKind::Bytes, "bytes"),
        (SegmentKind::ByteArray { len: 16 }, "16 bytes"),
        (SegmentKind::Unsigned { bits: 32 }, "be4"),
        (SegmentKind::Signed { bits: 128 }, "+be16"),
        (SegmentKind::Float { bits: 32 }, "float4"),
        (SegmentKind::Bool, "00/01"),
        (SegmentKind::Char, "be4"),
        (SegmentKind::Uuid, "16 bytes"),
        (SegmentKind::Time, "be8 us"),
        (SegmentKind::Date, "be8 us"),
    ];
    for (kind, template) in table {
        let format = SegmentFormat::resolve(kind, binary, true).unwrap();
        assert_eq!(format.to_string(), template, "{kind}");
    }
}

#[test]
fn times_by_option() {
    let unit = |unit| SegmentOptions {
        unit: Some(unit),
        ..NONE
    };
    let table = [
        (unit(TimeUnit::Seconds), "010s"),
        (unit(TimeUnit::Millis), "013ms"),
        (
            SegmentOptions {
                reverse: true,
                ..unit(TimeUnit::Millis)
            },
            "rev 019ms",
        ),
        (
            SegmentOptions {
                reverse: true,
                width: Some(13),
                ..unit(TimeUnit::Millis)
            },
            "rev 013ms",
        ),
        (
            SegmentOptions {
                reverse: true,
                binary: true,
                ..NONE
            },
            "rev be8 us",
        ),
    ];
    for (options, template) in table {
        let format = SegmentFormat::resolve(SegmentKind::Time, options, false).unwrap();
        assert_eq!(format.to_string(), template);
    }
}

#[test]
fn each_wrong_option_says_what_to_write() {
    let width = |width| SegmentOptions {
        width: Some(width),
        ..NONE
    };
    let binary = SegmentOptions {
        binary: true,
        ..NONE
    };
    let reverse = SegmentOptions {
        reverse: true,
        ..NONE
    };
    let escape = SegmentOptions {
        escape: true,
        ..NONE
    };
    let pad = |pad, width| SegmentOptions {
        pad: Some(pad),
        width,
        ..NONE
    };
    let format = SegmentOptions {
        format: Some(DAY),
        ..NONE
    };
    let gap = SegmentOptions {
        format: Some(&[
            CalendarItem::Field(CalendarField::Year),
            CalendarItem::Field(CalendarField::Day),
        ]),
        ..NONE
    };
    let no_year = SegmentOptions {
        format: Some(&[CalendarItem::Literal(Cow::Borrowed("x"))]),
        ..NONE
    };
    let unsigned = SegmentKind::Unsigned { bits: 32 };
    let signed = SegmentKind::Signed { bits: 32 };
    let float = SegmentKind::Float { bits: 64 };
    let array = SegmentKind::ByteArray { len: 4 };
    let table = [
        (SegmentKind::String, reverse, "are for times"),
        (unsigned, escape, "`escape` is for strings"),
        (unsigned, pad(b'0', Some(4)), "`pad` is for strings"),
        (SegmentKind::String, width(0), "write 1 or more"),
        (SegmentKind::String, binary, "remove `binary`"),
        (
            SegmentKind::String,
            SegmentOptions {
                width: Some(3),
                ..escape
            },
            "`escape` does not go with `width`",
        ),
        (SegmentKind::String, pad(b'_', None), "`pad` needs `width`"),
        (
            SegmentKind::String,
            pad(0xff, Some(3)),
            "one ASCII character",
        ),
        (SegmentKind::Bytes, NONE, "only last in the key"),
        (array, width(8), "given by the array's length"),
        (SegmentKind::ByteArray { len: 0 }, NONE, "1 byte or more"),
        (
            unsigned,
            SegmentOptions {
                width: Some(4),
                ..binary
            },
            "`width` does not go with `binary`",
        ),
        (signed, width(1), "write 2 or more"),
        (float, NONE, "write `binary`"),
        (SegmentKind::Bool, width(1), "remove it"),
        (SegmentKind::Char, width(1), "remove it"),
        (SegmentKind::Uuid, width(36), "remove it"),
        (
            SegmentKind::Time,
            SegmentOptions {
                reverse: true,
                ..format
            },
            "`reverse` does not go with `format`",
        ),
        (
            SegmentKind::Time,
            SegmentOptions {
                unit: Some(TimeUnit::Millis),
                ..format
            },
            "`format` does not go with",
        ),
        (
            SegmentKind::Time,
            NONE.offset_seconds(3_600),
            "the same in every zone",
        ),
        (
            SegmentKind::Time,
            format.offset_seconds(86_400),
            "less than a day",
        ),
        (
            SegmentKind::Date,
            format.offset_seconds(3_600),
            "a date is a day of UTC",
        ),
        (SegmentKind::Time, gap, "without a gap"),
        (SegmentKind::Time, no_year, "write `%Y` first"),
        (SegmentKind::Time, width(20), "19 at most"),
        (
            SegmentKind::Time,
            SegmentOptions {
                width: Some(8),
                ..binary
            },
            "binary times have 8 bytes",
        ),
    ];
    for (kind, options, part) in table {
        let message = SegmentFormat::resolve(kind, options, false).unwrap_err();
        assert!(message.contains(part), "{kind} {options:?}: {message}");
    }
    let message = SegmentFormat::resolve(SegmentKind::Bytes, width(3), true).unwrap_err();
    assert!(message.contains("use `[u8; N]`"));
}
