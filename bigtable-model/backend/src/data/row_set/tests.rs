use std::ops::Bound;

use proptest::prelude::*;

use super::*;

fn until(end: Bound<&'static str>) -> RowRange {
    RowRange {
        start: Bound::Included("b".into()),
        end: end.map(Bytes::from),
    }
}

#[test]
fn an_end_before_the_empty_key_is_none() {
    for range in [
        until(Bound::Excluded("")),
        until(Bound::Unbounded),
        RowRange::half_open("b", ""),
    ] {
        assert!(!range.is_empty());
        assert!(range.contains(b"b") && range.contains(b"\xff\xff"));
        assert!(!range.contains(b"a"));
        assert_eq!(range.to_string(), "[\"b\", last)");
        assert_eq!(range.bounds(), until(Bound::Unbounded).bounds());
        assert_eq!(range.normal(), until(Bound::Unbounded));
    }
    let all = RowRange {
        start: Bound::Unbounded,
        end: Bound::Excluded(Bytes::new()),
    };
    assert!(!all.is_empty() && all.contains(b"") && all.contains(b"a"));
}

#[test]
fn other_ends_are_what_they_say() {
    assert!(until(Bound::Included("")).is_empty());
    assert!(until(Bound::Excluded("b")).is_empty());
    assert!(!until(Bound::Included("b")).is_empty());
    assert!(RowRange::half_open("b", "a").is_empty());
    let after = |end: &'static str| RowRange {
        start: Bound::Excluded("b".into()),
        end: Bound::Excluded(end.into()),
    };
    // `b` and a byte of 0 is the first key after `b`.
    assert!(after("b").is_empty() && after("b\0").is_empty());
    assert!(!after("b\0\0").is_empty() && !after("b\x01").is_empty());
    let only_empty = RowRange {
        start: Bound::Unbounded,
        end: Bound::Included(Bytes::new()),
    };
    assert!(!only_empty.is_empty() && only_empty.contains(b"") && !only_empty.contains(b"a"));
}

/// Every key of up to three bytes from an alphabet of three, including adjacent keys.
fn keys() -> Vec<Bytes> {
    let mut keys = vec![Bytes::new()];
    let mut last = keys.clone();
    for _ in 0..3 {
        let longer = last
            .iter()
            .flat_map(|key| [0, 1, 0xff].map(|byte| Bytes::from([key.as_ref(), &[byte]].concat())));
        last = longer.collect();
        keys.extend(last.iter().cloned());
    }
    keys
}

fn bytes() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(prop::sample::select(vec![0_u8, 1, 0xff]), 0..3).prop_map(Bytes::from)
}

fn end() -> impl Strategy<Value = Bound<Bytes>> {
    prop_oneof![
        bytes().prop_map(Bound::Included),
        bytes().prop_map(Bound::Excluded),
        Just(Bound::Unbounded),
    ]
}

fn holds((start, end): &ByteRange, bytes: &[u8]) -> bool {
    let after = match start {
        Bound::Included(start) => bytes >= start,
        Bound::Excluded(start) => bytes > start,
        Bound::Unbounded => true,
    };
    after
        && match end {
            Bound::Included(end) => bytes <= end,
            Bound::Excluded(end) => bytes < end,
            Bound::Unbounded => true,
        }
}

proptest! {
    #[test]
    fn united_ranges_hold_each_once(ranges in prop::collection::vec((end(), end()), 0..6)) {
        let one = united(ranges.clone());
        for key in keys() {
            let held = one.iter().filter(|range| holds(range, &key)).count();
            prop_assert_eq!(held, usize::from(ranges.iter().any(|range| holds(range, &key))));
        }
        // In order, and no range continues the previous one.
        for pair in one.windows(2) {
            let [(_, end), (start, _)] = pair else { unreachable!() };
            let between = (end.clone(), start.clone());
            let between = match between {
                (Bound::Included(end), Bound::Included(start)) => (Bound::Excluded(end), Bound::Excluded(start)),
                (Bound::Included(end), Bound::Excluded(start)) => (Bound::Excluded(end), Bound::Included(start)),
                (Bound::Excluded(end), Bound::Included(start)) => (Bound::Included(end), Bound::Excluded(start)),
                (Bound::Excluded(end), Bound::Excluded(start)) => (Bound::Included(end), Bound::Included(start)),
                _ => return Err(TestCaseError::fail("a range after all others, or before them")),
            };
            let longer = keys().into_iter().flat_map(|key| [key.clone(), [&key[..], &[0]].concat().into()]);
            prop_assert!(longer.into_iter().any(|key: Bytes| holds(&between, &key)), "{:?}", pair);
        }
    }

    #[test]
    fn what_lies_within_both_lies_in_each(
        start in end(),
        end_of_one in end(),
        other in (end(), end()),
        without in bytes(),
        single in prop::collection::vec(bytes(), 0..3),
    ) {
        let one = RowRange { start, end: end_of_one };
        let other = RowRange::from(other);
        let rows = RowSet { keys: single, ranges: vec![one.clone()] };
        let both = rows.within(&other);
        let parts: Vec<_> = one.without(&without).collect();
        // No row's key is empty.
        for key in keys().into_iter().skip(1) {
            let expected = rows.contains(&key) && other.contains(&key);
            prop_assert_eq!(both.as_ref().is_some_and(|both| both.contains(&key)), expected);
            let held = parts.iter().filter(|part| part.contains(&key)).count();
            prop_assert_eq!(held, usize::from(one.contains(&key) && key != without));
        }
        prop_assert!(both.is_none_or(|both| !both.is_all()));
    }
}
