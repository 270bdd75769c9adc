//! Arbitrary bytes are either not a key of a layout, or exactly the key of the decoded values.
//!
//! `cargo +nightly fuzz run decode_key --fuzz-dir tests/fuzz`
#![no_main]

use std::sync::LazyLock;

use bigtable_model::key::{
    CalendarField, CalendarItem, CodePlace, KeyLayout, Segment, SegmentFormat, SegmentKind, SegmentOptions,
    SegmentRole, TimeUnit,
};
use libfuzzer_sys::fuzz_target;

const NONE: SegmentOptions = SegmentOptions::NONE;
const BINARY: SegmentOptions = SegmentOptions {
    binary: true,
    ..NONE
};
const DAY: &[CalendarItem] = &[
    CalendarItem::Field(CalendarField::Year),
    CalendarItem::Field(CalendarField::Month),
    CalendarItem::Field(CalendarField::Day),
];

static LAYOUTS: LazyLock<Vec<KeyLayout>> = LazyLock::new(|| {
    let padded = SegmentOptions {
        width: Some(4),
        ..NONE
    };
    let escape = SegmentOptions {
        escape: true,
        ..NONE
    };
    let reverse = SegmentOptions {
        reverse: true,
        unit: Some(TimeUnit::Millis),
        ..NONE
    };
    let calendar = SegmentOptions {
        format: Some(DAY),
        ..NONE
    };
    let signed = SegmentKind::Signed { bits: 32 };
    vec![
        layout(
            "",
            "#",
            &[(SegmentKind::String, padded), (SegmentKind::Time, NONE)],
        ),
        layout(
            "MD",
            "::",
            &[
                (SegmentKind::String, NONE),
                (SegmentKind::Char, NONE),
                (signed, NONE),
            ],
        ),
        layout(
            "",
            "~",
            &[(SegmentKind::String, escape), (SegmentKind::Time, reverse)],
        ),
        layout(
            "",
            "#",
            &[(SegmentKind::Time, calendar), (SegmentKind::String, escape)],
        ),
        layout(
            "",
            "#",
            &[
                (signed, BINARY),
                (SegmentKind::Time, BINARY),
                (SegmentKind::Bytes, NONE),
            ],
        ),
        layout(
            "",
            "#",
            &[
                (SegmentKind::Uuid, NONE),
                (SegmentKind::ByteArray { len: 2 }, NONE),
            ],
        ),
        layout(
            "",
            "#",
            &[
                (SegmentKind::Float { bits: 64 }, BINARY),
                (SegmentKind::Bool, NONE),
            ],
        ),
        layout(
            "",
            "#",
            &[
                (SegmentKind::Unsigned { bits: 128 }, NONE),
                (SegmentKind::Char, BINARY),
            ],
        ),
        layout(
            "",
            KeyLayout::ORDERED_CODE,
            &[
                (SegmentKind::String, in_code(escape)),
                (SegmentKind::Signed { bits: 64 }, in_code(NONE)),
                (SegmentKind::Uuid, in_code(BINARY)),
                (SegmentKind::Time, in_code(NONE)),
            ],
        ),
        layout(
            "MD",
            KeyLayout::ORDERED_CODE,
            &[
                (SegmentKind::String, in_code(NONE)),
                (SegmentKind::Char, in_code(NONE)),
                (SegmentKind::String, last_in_code(escape)),
            ],
        ),
    ]
});

fn in_code(options: SegmentOptions) -> SegmentOptions {
    SegmentOptions {
        code: Some(CodePlace::Inner),
        ..options
    }
}

fn last_in_code(options: SegmentOptions) -> SegmentOptions {
    SegmentOptions {
        code: Some(CodePlace::Last),
        ..options
    }
}

fn layout(
    prefix: &'static str,
    separator: &'static str,
    segments: &[(SegmentKind, SegmentOptions)],
) -> KeyLayout {
    let last = segments.len() - 1;
    let segments = segments
        .iter()
        .enumerate()
        .map(|(at, (kind, options))| Segment {
            name: "segment".into(),
            role: match kind {
                SegmentKind::Time => SegmentRole::Time,
                _ => SegmentRole::Identifier,
            },
            kind: *kind,
            format: SegmentFormat::declared(*kind, *options, at == last),
        });
    KeyLayout {
        prefix: prefix.into(),
        separator: separator.into(),
        segments: segments.collect(),
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((which, key)) = input.split_first() else {
        return;
    };
    let layout = &LAYOUTS[usize::from(*which) % LAYOUTS.len()];
    let time = layout.time_of(key);
    let _ = layout.describe(key).to_string();
    if let Ok(values) = layout.decode(key) {
        assert!(time.is_ok());
        let mut again = Vec::new();
        assert_eq!(layout.encode(&values, &mut again), Ok(()));
        assert_eq!(again, key);
    }
});
