//! A key is in a range of bytes if and only if its value is in the range of values.

use std::ops::{Bound, RangeBounds};

use proptest::prelude::*;

use super::strategies::*;
use crate::Timestamp;
use crate::data::prefix_end;
use crate::key::*;

/// The keys' bytes after the preceding segments.
fn keys(segment: &Segment, value: &SegmentValue, separator: &str, last: bool) -> Vec<Vec<u8>> {
    let mut bytes = Vec::new();
    segment
        .encode(value, separator.as_bytes()[0], &mut bytes)
        .unwrap();
    if last {
        return vec![bytes];
    }
    bytes.extend_from_slice(separator.as_bytes());
    [&b""[..], b"\0", b"x", b"\xff\xff"]
        .iter()
        .map(|tail| [bytes.as_slice(), tail].concat())
        .collect()
}

fn holds(range: Option<&ByteRange>, key: &[u8]) -> bool {
    let Some((start, end)) = range else {
        return false;
    };
    let start = start.as_ref().map(Vec::as_slice);
    let end = end.as_ref().map(Vec::as_slice);
    RangeBounds::<[u8]>::contains(&(start, end), key)
}

fn bound(value: SegmentValue, which: u8) -> Bound<SegmentValue> {
    match which {
        0 => Bound::Unbounded,
        1 | 2 => Bound::Included(value),
        _ => Bound::Excluded(value),
    }
}

fn in_values(value: &SegmentValue, start: &Bound<SegmentValue>, end: &Bound<SegmentValue>) -> bool {
    let above = match start {
        Bound::Unbounded => true,
        Bound::Included(start) => natural(value, start).is_ge(),
        Bound::Excluded(start) => natural(value, start).is_gt(),
    };
    let below = match end {
        Bound::Unbounded => true,
        Bound::Included(end) => natural(value, end).is_le(),
        Bound::Excluded(end) => natural(value, end).is_lt(),
    };
    above && below
}

type Case = (
    Segment,
    &'static str,
    bool,
    Vec<SegmentValue>,
    Bound<SegmentValue>,
    Bound<SegmentValue>,
);

fn cases() -> impl Strategy<Value = Case> {
    any::<bool>()
        .prop_flat_map(|last| (joined(last), Just(last)))
        .prop_flat_map(|((segment, separator), last)| {
            let byte = separator.as_bytes()[0];
            let (one, other) = (segment.clone(), segment.clone());
            let fitted = raw_value(segment.kind).prop_map(move |value| fit(&one, value, byte));
            // Ends as a user gives them: also between the grid's times and beyond the width, but
            // only text that fits.
            let end =
                (raw_value(segment.kind), any::<bool>()).prop_map(
                    move |(value, raw)| match value {
                        SegmentValue::String(_) => fit(&other, value, byte),
                        value if raw => value,
                        value => fit(&other, value, byte),
                    },
                );
            (
                Just(segment),
                Just(separator),
                Just(last),
                prop::collection::vec(fitted, 1..12),
                (end.clone(), 0..5_u8),
                (end, 0..5_u8),
                any::<[prop::sample::Index; 2]>(),
                any::<[bool; 2]>(),
            )
        })
        .prop_map(
            |(segment, separator, last, values, (start, a), (end, b), picks, near)| {
                // Often an end is one of the values.
                let pick = |at: usize, other: SegmentValue| match near[at] {
                    true => values[picks[at].index(values.len())].clone(),
                    false => other,
                };
                let (start, end) = (bound(pick(0, start), a), bound(pick(1, end), b));
                (segment, separator, last, values, start, end)
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn keys_in_a_range_are_those_of_values_in_it((segment, separator, last, values, start, end) in cases()) {
        let range = segment.encode_range(start.as_ref(), end.as_ref(), separator, last).unwrap();
        for value in &values {
            let value = stored(&segment, value);
            for key in keys(&segment, &value, separator, last) {
                prop_assert_eq!(
                    holds(range.as_ref(), &key),
                    in_values(&value, &start, &end),
                    "{} {} {:?} {:?} gives {:?}", segment, value, start, end, range
                );
            }
        }
    }

    #[test]
    fn a_bound_is_the_first_value_not_before((segment, separator, _, values, start, _) in cases()) {
        let (Bound::Included(end) | Bound::Excluded(end)) = start else { return Ok(()) };
        let byte = separator.as_bytes()[0];
        let bound = segment.encode_bound(&end, byte).unwrap();
        for value in &values {
            let value = stored(&segment, value);
            let mut bytes = Vec::new();
            segment.encode(&value, byte, &mut bytes).unwrap();
            let not_before = match &bound {
                SegmentBound::BelowAll => true,
                SegmentBound::At(at) if segment.format.is_reversed() => bytes <= *at,
                SegmentBound::At(at) => bytes >= *at,
                SegmentBound::AboveAll => false,
            };
            prop_assert_eq!(not_before, natural(&value, &end).is_ge(), "{} {}", segment, value);
        }
    }

    #[test]
    fn a_text_prefix_holds_the_texts_that_begin_with_it(
        width in prop::option::of(1..6_u16), escape: bool, last: bool,
        separator in prop_oneof![3 => separator(), 1 => Just(KeyLayout::ORDERED_CODE)],
        texts in prop::collection::vec("[ab #é~\\x00]{0,5}", 1..10), prefix in "[ab #é~\\x00]{0,4}",
    ) {
        let place = if last { CodePlace::Last } else { CodePlace::Inner };
        let code = (separator == KeyLayout::ORDERED_CODE).then_some(place);
        let options = SegmentOptions { width, escape: escape && width.is_none(), code, ..SegmentOptions::NONE };
        let format = SegmentFormat::resolve(SegmentKind::String, options, last).unwrap();
        let segment = Segment { name: "text".into(), role: SegmentRole::Identifier, kind: SegmentKind::String, format };
        let byte = separator.as_bytes()[0];
        let Ok((start, end)) = segment.encode_text_prefix(&prefix, separator, last) else {
            // A prefix is refused if no value of the segment begins with it.
            for text in texts {
                let begins = text.starts_with(&prefix);
                let text = SegmentValue::String(text);
                prop_assert!(!begins || segment.encode(&text, byte, &mut Vec::new()).is_err());
            }
            return Ok(());
        };
        for text in texts {
            let SegmentValue::String(text) = fit(&segment, SegmentValue::String(text), byte) else { unreachable!() };
            for key in keys(&segment, &SegmentValue::String(text.clone()), separator, last) {
                let range = (start.clone(), end.clone());
                prop_assert_eq!(holds(Some(&range), &key), text.starts_with(&prefix), "{:?} in {:?}", text, range);
            }
        }
    }

    #[test]
    fn a_range_after_a_prefix_stays_inside_it((segment, separator, last, values, start, end) in cases()) {
        let Some((_, Bound::Included(end) | Bound::Excluded(end))) =
            segment.encode_range(start.as_ref(), end.as_ref(), separator, last).unwrap() else { return Ok(()) };
        let whole = prefix_end(b"series#").unwrap();
        prop_assert!([b"series#".as_slice(), &end].concat() <= whole);
        prop_assert!(!values.is_empty());
    }
}

fn time_segment(options: SegmentOptions) -> Segment {
    Segment {
        name: "at".into(),
        role: SegmentRole::Time,
        kind: SegmentKind::Time,
        format: SegmentFormat::resolve(SegmentKind::Time, options, true).unwrap(),
    }
}

fn ms(millis: i64) -> SegmentValue {
    SegmentValue::Time(Timestamp::from_millis(millis))
}

#[test]
fn ranges_of_times_in_bytes() {
    let plain = time_segment(SegmentOptions {
        unit: Some(TimeUnit::Seconds),
        width: Some(4),
        ..SegmentOptions::NONE
    });
    let reversed = time_segment(SegmentOptions {
        unit: Some(TimeUnit::Seconds),
        width: Some(4),
        reverse: true,
        ..SegmentOptions::NONE
    });
    let range = |segment: &Segment, start, end, last| {
        let (start, end) = (ms(start), ms(end));
        segment
            .encode_range(Bound::Included(&start), Bound::Excluded(&end), "#", last)
            .unwrap()
    };
    let bytes = |text: &str| text.as_bytes().to_vec();
    let half_open = |start, end| Some((Bound::Included(bytes(start)), Bound::Excluded(bytes(end))));
    assert_eq!(range(&plain, 5_000, 9_000, true), half_open("0005", "0009"));
    assert_eq!(
        range(&plain, 5_000, 9_000, false),
        half_open("0005", "0009")
    );
    // Both ends are rounded up.
    assert_eq!(range(&plain, 4_001, 8_999, true), half_open("0005", "0009"));
    assert_eq!(range(&plain, 4_001, 5_000, true), None);
    // Before 1970 and beyond the width.
    assert_eq!(
        range(&plain, -1, 10_000_000, true),
        Some((Bound::Unbounded, Bound::Unbounded))
    );
    assert_eq!(range(&plain, -2, -1, true), None);
    assert_eq!(range(&plain, 9_999_001, i64::MAX, true), None);
    // Reversed: from after the end's keys to the keys of the start.
    assert_eq!(
        range(&reversed, 5_000, 9_000, true),
        Some((
            Bound::Excluded(bytes("9990")),
            Bound::Included(bytes("9994"))
        ))
    );
    assert_eq!(
        range(&reversed, 5_000, 9_000, false),
        half_open("9990$", "9994$")
    );
}
