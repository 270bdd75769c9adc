//! Random segments, layouts and values, and their order by definition.

use std::borrow::Cow;
use std::cmp::Ordering;

use proptest::prelude::*;

use crate::Timestamp;
use crate::key::*;

const FIELDS: [CalendarField; 6] = [
    CalendarField::Year,
    CalendarField::Month,
    CalendarField::Day,
    CalendarField::Hour,
    CalendarField::Minute,
    CalendarField::Second,
];

fn calendar() -> impl Strategy<Value = CalendarFormat> {
    let literal = prop_oneof![Just(""), Just("-"), Just("T"), Just(" # "), Just("%")];
    let fine = prop_oneof![
        Just(CalendarField::Millisecond),
        Just(CalendarField::Microsecond)
    ];
    (1..=7_usize, any::<bool>(), literal, fine).prop_map(|(depth, ordinal, literal, fine)| {
        let mut fields = FIELDS[..depth.min(6)].to_vec();
        if depth == 7 {
            fields.push(fine);
        }
        if ordinal && depth >= 3 {
            fields.splice(1..3, [CalendarField::DayOfYear]);
        }
        let mut items = Vec::new();
        for field in fields {
            items.push(CalendarItem::Field(field));
            if !literal.is_empty() {
                items.push(CalendarItem::Literal(literal.into()));
            }
        }
        assert_eq!(CalendarFormat::refusal(&items), None);
        CalendarFormat {
            items: items.into(),
        }
    })
}

/// How far clocks of formats are ahead of UTC.
const OFFSETS: [i32; 6] = [0, -7 * 3_600, 19_800, 86_340, -86_399, 1];

fn kind() -> impl Strategy<Value = SegmentKind> {
    let bits = prop_oneof![Just(8), Just(16), Just(32), Just(64), Just(128)];
    prop_oneof![
        4 => Just(SegmentKind::String),
        1 => Just(SegmentKind::Bytes),
        1 => (1..5_u16).prop_map(|len| SegmentKind::ByteArray { len }),
        2 => bits.clone().prop_map(|bits| SegmentKind::Unsigned { bits }),
        2 => bits.prop_map(|bits| SegmentKind::Signed { bits }),
        1 => prop_oneof![Just(32), Just(64)].prop_map(|bits| SegmentKind::Float { bits }),
        1 => Just(SegmentKind::Bool),
        1 => Just(SegmentKind::Char),
        1 => Just(SegmentKind::Uuid),
        4 => Just(SegmentKind::Time),
        2 => Just(SegmentKind::Date),
    ]
}

const DAY: i64 = 86_400_000_000;

fn options() -> impl Strategy<Value = SegmentOptions> {
    let unit = prop_oneof![
        Just(TimeUnit::Seconds),
        Just(TimeUnit::Millis),
        Just(TimeUnit::Micros)
    ];
    let pad = prop_oneof![Just(b' '), Just(b'_'), Just(b'0'), Just(0)];
    (
        prop::option::of(1..24_u16),
        prop::option::of(pad),
        any::<bool>(),
        any::<bool>(),
        prop::option::of(unit),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(
            |(width, pad, binary, escape, unit, reverse, truncate)| SegmentOptions {
                width,
                pad,
                binary,
                escape,
                unit,
                format: None,
                offset_seconds: 0,
                reverse,
                truncate,
                code: None,
            },
        )
}

/// A format that fits the kind: as drawn, or without the options that conflict.
fn format(kind: SegmentKind, drawn: SegmentOptions, last: bool) -> Option<SegmentFormat> {
    let code = drawn.code;
    let mut simpler = vec![drawn];
    let time = kind.is_time();
    for keep in 0..8 {
        simpler.push(SegmentOptions {
            width: drawn.width.filter(|_| keep & 1 != 0),
            pad: drawn.pad.filter(|_| keep & 1 != 0 && !time),
            binary: drawn.binary && keep & 2 != 0,
            escape: drawn.escape && keep & 4 != 0 && !time,
            ..if time { drawn } else { SegmentOptions::NONE }
        });
    }
    simpler.push(SegmentOptions {
        binary: true,
        ..SegmentOptions::NONE
    });
    simpler.reverse();
    simpler.rotate_left(1);
    simpler
        .into_iter()
        .map(|options| SegmentOptions { code, ..options })
        .find_map(|options| SegmentFormat::resolve(kind, options, last).ok())
}

/// A segment that may come last, or only before others.
pub(crate) fn segment(last: bool) -> impl Strategy<Value = Segment> {
    segment_in(None, last)
}

/// A segment of a key in ordered code.
fn coded(last: bool) -> impl Strategy<Value = Segment> {
    let place = match last {
        true => CodePlace::Last,
        false => CodePlace::Inner,
    };
    segment_in(Some(place), last)
}

/// A segment and its separator.
pub(crate) fn joined(last: bool) -> impl Strategy<Value = (Segment, &'static str)> {
    prop_oneof![
        3 => (segment(last), separator()),
        1 => (coded(last), Just(KeyLayout::ORDERED_CODE)),
    ]
}

fn segment_in(code: Option<CodePlace>, last: bool) -> impl Strategy<Value = Segment> {
    (
        kind(),
        options(),
        prop::option::weighted(0.3, (calendar(), prop::sample::select(OFFSETS.to_vec()))),
        "[a-z]{1,8}",
    )
        .prop_filter_map(
            "a byte string stands last, and not every kind in ordered code",
            move |(kind, options, calendar, name)| {
                let options = SegmentOptions { code, ..options };
                let format = match calendar {
                    Some((format, offset_seconds)) if kind.is_time() => SegmentFormat::Calendar {
                        format,
                        truncate: options.truncate,
                        offset_seconds: match kind {
                            SegmentKind::Date => 0,
                            _ => offset_seconds,
                        },
                    },
                    _ => format(kind, options, last)?,
                };
                Some(Segment {
                    name: Cow::Owned(name),
                    role: match kind {
                        SegmentKind::Time | SegmentKind::Date => SegmentRole::Time,
                        _ => SegmentRole::Identifier,
                    },
                    kind,
                    format,
                })
            },
        )
}

pub(crate) fn separator() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        3 => Just("#"),
        1 => Just("::"),
        1 => Just("!"),
        1 => Just("~"),
        1 => Just("|+|"),
        1 => Just("A"),
        1 => Just("##"),
    ]
}

/// Any values of a kind; [`fit`] changes them to values that the segment holds.
pub(crate) fn raw_value(kind: SegmentKind) -> BoxedStrategy<SegmentValue> {
    let edge_time = prop_oneof![
        any::<i64>(),
        -3_000_000..3_000_000_i64,
        any::<i64>().prop_map(|micros| micros >> 20),
        any::<i64>().prop_map(|micros| micros >> 13),
        (0..4_000_i64, -1..2_i64).prop_map(|(days, off)| days * 86_400_000_000 + off),
        prop_oneof![
            Just(i64::MAX),
            Just(i64::MIN),
            Just(253_402_300_799_999_999),
            Just(253_402_300_800_000_000),
            Just(9_999_999_999_999_999)
        ],
    ];
    match kind {
        SegmentKind::String => prop_oneof![
            "[ab# ]{0,3}",
            "[ -~]{0,6}",
            "[\\x00-\\x7f]{0,4}",
            any::<String>()
        ]
        .prop_map(SegmentValue::String)
        .boxed(),
        SegmentKind::Bytes => prop::collection::vec(any::<u8>(), 0..5)
            .prop_map(SegmentValue::Bytes)
            .boxed(),
        SegmentKind::ByteArray { len } => prop::collection::vec(any::<u8>(), usize::from(len))
            .prop_map(SegmentValue::Bytes)
            .boxed(),
        SegmentKind::Unsigned { .. } => (any::<u128>(), 0..128_u32)
            .prop_map(|(value, shift)| SegmentValue::Unsigned(value >> shift))
            .boxed(),
        SegmentKind::Signed { .. } => (any::<i128>(), 0..128_u32)
            .prop_map(|(value, shift)| SegmentValue::Signed(value >> shift))
            .boxed(),
        SegmentKind::Float { bits: 32 } => prop_oneof![
            any::<u32>().prop_map(f32::from_bits),
            Just(0.0),
            Just(-0.0),
            -2.0..2.0_f32
        ]
        .prop_map(SegmentValue::Float32)
        .boxed(),
        SegmentKind::Float { .. } => prop_oneof![
            any::<u64>().prop_map(f64::from_bits),
            Just(0.0),
            Just(-0.0),
            -2.0..2.0_f64
        ]
        .prop_map(SegmentValue::Float)
        .boxed(),
        SegmentKind::Bool => any::<bool>().prop_map(SegmentValue::Bool).boxed(),
        SegmentKind::Char => prop_oneof![any::<char>(), prop::char::range('\0', '\x7f')]
            .prop_map(SegmentValue::Char)
            .boxed(),
        SegmentKind::Uuid => any::<[u8; 16]>().prop_map(SegmentValue::Uuid).boxed(),
        SegmentKind::Date => (-4_000..4_000_000_i64)
            .prop_map(|days| SegmentValue::Time(Timestamp::from_seconds(days * 86_400)))
            .boxed(),
        SegmentKind::Time => edge_time
            .prop_map(|micros| SegmentValue::Time(Timestamp::from_micros(micros)))
            .boxed(),
    }
}

/// The value, changed so that the segment holds it.
pub(crate) fn fit(segment: &Segment, value: SegmentValue, separator: u8) -> SegmentValue {
    match (value, &segment.format) {
        (SegmentValue::String(mut text), SegmentFormat::Padded { width, pad }) => {
            text.retain(|one| one >= char::from(*pad));
            while text.len() > usize::from(*width) {
                text.pop();
            }
            SegmentValue::String(text.trim_end_matches(char::from(*pad)).to_owned())
        }
        (SegmentValue::String(mut text), SegmentFormat::Variable) => {
            text.retain(|one| one > char::from(separator));
            SegmentValue::String(text)
        }
        (SegmentValue::String(mut text), SegmentFormat::CodedText { escape, last }) => {
            text.retain(|one| *escape || one != '\0');
            if *last && text.is_empty() {
                text.push('x');
            }
            SegmentValue::String(text)
        }
        (SegmentValue::Unsigned(number), format) => {
            SegmentValue::Unsigned(match largest(segment.kind, format) {
                u128::MAX => number,
                max => number % (max + 1),
            })
        }
        (SegmentValue::Signed(number), format) => {
            let max = largest(segment.kind, format);
            let rest = if number < 0 { !number } else { number };
            let rest = rest.unsigned_abs() % (max + 1);
            let rest = i128::try_from(rest).unwrap();
            SegmentValue::Signed(if number < 0 { !rest } else { rest })
        }
        (SegmentValue::Char(one), SegmentFormat::Char) if one <= char::from(separator) => {
            SegmentValue::Char('é')
        }
        (SegmentValue::Time(time), format) if segment.kind == SegmentKind::Date => {
            let micros = fit_time(time, format).as_micros();
            SegmentValue::Time(Timestamp::from_micros(micros - micros.rem_euclid(DAY)))
        }
        (SegmentValue::Time(time), format) => SegmentValue::Time(fit_time(time, format)),
        (value, _) => value,
    }
}

fn fit_time(time: Timestamp, format: &SegmentFormat) -> Timestamp {
    let micros = time.as_micros();
    let whole = |micros: i64, unit: &TimeUnit, truncate: bool| {
        if truncate {
            micros
        } else {
            micros / unit.micros() * unit.micros()
        }
    };
    Timestamp::from_micros(match format {
        SegmentFormat::Ticks {
            unit,
            width,
            truncate,
            ..
        } => {
            let positive = micros.checked_abs().unwrap_or(i64::MAX);
            let end = 10_i64
                .checked_pow((*width).into())
                .and_then(|end| end.checked_mul(unit.micros()))
                .unwrap_or(i64::MAX);
            whole(positive % end, unit, *truncate)
        }
        SegmentFormat::BinaryTicks { unit, truncate, .. }
        | SegmentFormat::CodedTicks { unit, truncate } => {
            // The last unit before the least time does not fit into it.
            let micros = micros.max(i64::MIN + unit.micros());
            whole(micros, unit, *truncate)
        }
        SegmentFormat::Calendar {
            format,
            truncate,
            offset_seconds,
        } => {
            let local = micros.checked_abs().unwrap_or(i64::MAX) % 253_402_300_800_000_000;
            let time = Timestamp::from_micros(local - i64::from(*offset_seconds) * 1_000_000);
            let floor = format.floor(time, *offset_seconds).unwrap();
            return if *truncate { time } else { floor };
        }
        _ => micros,
    })
}

/// The largest number of a segment, by its definition.
fn largest(kind: SegmentKind, format: &SegmentFormat) -> u128 {
    let of_type = match kind {
        SegmentKind::Unsigned { bits } => u128::MAX >> (128 - bits),
        SegmentKind::Signed { bits } => u128::MAX >> (129 - bits),
        _ => u128::MAX,
    };
    let digits = match format {
        SegmentFormat::Digits { width } => u32::from(*width),
        SegmentFormat::SignedDigits { width } => u32::from(*width) - 1,
        _ => return of_type,
    };
    10_u128
        .checked_pow(digits)
        .map_or(of_type, |end| of_type.min(end - 1))
}

/// The value that is read back: the value itself, or the time rounded down if the segment
/// truncates.
pub(crate) fn stored(segment: &Segment, value: &SegmentValue) -> SegmentValue {
    let SegmentValue::Time(time) = value else {
        return value.clone();
    };
    let floor = |unit: &TimeUnit| {
        Timestamp::from_micros(time.as_micros().div_euclid(unit.micros()) * unit.micros())
    };
    SegmentValue::Time(match &segment.format {
        SegmentFormat::Ticks { unit, .. }
        | SegmentFormat::BinaryTicks { unit, .. }
        | SegmentFormat::CodedTicks { unit, .. } => floor(unit),
        SegmentFormat::Calendar {
            format,
            offset_seconds,
            ..
        } => format.floor(*time, *offset_seconds).unwrap(),
        _ => *time,
    })
}

/// The natural order of values.
pub(crate) fn natural(a: &SegmentValue, b: &SegmentValue) -> Ordering {
    match (a, b) {
        (SegmentValue::String(a), SegmentValue::String(b)) => a.cmp(b),
        (SegmentValue::Bytes(a), SegmentValue::Bytes(b)) => a.cmp(b),
        (SegmentValue::Unsigned(a), SegmentValue::Unsigned(b)) => a.cmp(b),
        (SegmentValue::Signed(a), SegmentValue::Signed(b)) => a.cmp(b),
        (SegmentValue::Float32(a), SegmentValue::Float32(b)) => a.total_cmp(b),
        (SegmentValue::Float(a), SegmentValue::Float(b)) => a.total_cmp(b),
        (SegmentValue::Bool(a), SegmentValue::Bool(b)) => a.cmp(b),
        (SegmentValue::Char(a), SegmentValue::Char(b)) => a.cmp(b),
        (SegmentValue::Uuid(a), SegmentValue::Uuid(b)) => a.cmp(b),
        (SegmentValue::Time(a), SegmentValue::Time(b)) => a.cmp(b),
        other => panic!("two kinds: {other:?}"),
    }
}

/// The order of two values' bytes, by definition.
pub(crate) fn order(segment: &Segment, a: &SegmentValue, b: &SegmentValue) -> Ordering {
    let order = natural(&stored(segment, a), &stored(segment, b));
    match segment.format {
        SegmentFormat::Ticks { reverse: true, .. }
        | SegmentFormat::BinaryTicks { reverse: true, .. } => order.reverse(),
        _ => order,
    }
}

pub(crate) fn layout() -> impl Strategy<Value = KeyLayout> {
    let own = (prop::collection::vec(segment(false), 0..4), segment(true));
    let own = (own, prefix(), separator());
    let own = own.prop_map(|(segments, prefix, separator)| of(segments, prefix, separator));
    let enclosed = prop::collection::vec(segment(false), 1..5);
    let enclosed = (enclosed, prefix(), separator());
    let enclosed = enclosed.prop_map(|(segments, prefix, separator)| KeyLayout {
        prefix: prefix.into(),
        separator: separator.into(),
        enclosed: true,
        segments: segments.into(),
    });
    prop_oneof![6 => own, 2 => coded_layout(), 1 => enclosed]
}

/// A layout of keys in ordered code.
pub(crate) fn coded_layout() -> impl Strategy<Value = KeyLayout> {
    let segments = (prop::collection::vec(coded(false), 0..4), coded(true));
    (segments, prefix())
        .prop_map(|(segments, prefix)| of(segments, prefix, KeyLayout::ORDERED_CODE))
}

fn prefix() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just(""), Just("BATTERY")]
}

fn of(
    (mut before, last): (Vec<Segment>, Segment),
    prefix: &'static str,
    separator: &'static str,
) -> KeyLayout {
    before.push(last);
    KeyLayout {
        prefix: prefix.into(),
        separator: separator.into(),
        enclosed: false,
        segments: before.into(),
    }
}

/// Values that the layout's segments hold.
pub(crate) fn values(layout: &KeyLayout) -> BoxedStrategy<Vec<SegmentValue>> {
    let separator = layout.separator_byte();
    let each: Vec<_> = layout
        .segments
        .iter()
        .cloned()
        .map(|segment| {
            raw_value(segment.kind).prop_map(move |value| fit(&segment, value, separator))
        })
        .collect();
    each.boxed()
}
