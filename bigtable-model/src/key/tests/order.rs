//! Byte order is value order, and values are decoded as they were encoded.

use proptest::prelude::*;

use super::strategies::*;
use crate::key::*;

fn one() -> impl Strategy<Value = (Segment, &'static str, SegmentValue, SegmentValue)> {
    joined(true).prop_flat_map(|(segment, separator)| {
        let byte = separator.as_bytes()[0];
        let (first, second) = (segment.clone(), segment.clone());
        (
            Just(segment.clone()),
            Just(separator),
            raw_value(segment.kind).prop_map(move |value| fit(&first, value, byte)),
            raw_value(segment.kind).prop_map(move |value| fit(&second, value, byte)),
        )
    })
}

/// A layout with two lists of values that share their first values, like neighbours in a table.
fn neighbours() -> impl Strategy<Value = (KeyLayout, Vec<SegmentValue>, Vec<SegmentValue>)> {
    layout()
        .prop_flat_map(|layout| {
            let (one, other) = (values(&layout), values(&layout));
            let count = layout.segments.len();
            (Just(layout), one, other, 0..=count)
        })
        .prop_map(|(layout, one, mut other, common)| {
            other[..common].clone_from_slice(&one[..common]);
            (layout, one, other)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn bytes_of_a_segment_sort_as_its_values((segment, separator, a, b) in one()) {
        let byte = separator.as_bytes()[0];
        let (mut x, mut y) = (Vec::new(), Vec::new());
        segment.encode(&a, byte, &mut x).unwrap();
        segment.encode(&b, byte, &mut y).unwrap();
        prop_assert_eq!(x.cmp(&y), order(&segment, &a, &b), "{} {} {}", segment, a, b);
        for (value, bytes) in [(&a, &x), (&b, &y)] {
            let back = segment.decode(bytes, byte).unwrap();
            prop_assert!(natural(&back, &stored(&segment, value)).is_eq(), "{}: {} came back as {}", segment, value, back);
            if let Some(len) = segment.format.fixed_len() {
                prop_assert_eq!(bytes.len(), len);
            }
        }
        let variable = matches!(segment.format, SegmentFormat::Variable | SegmentFormat::Escaped | SegmentFormat::Char);
        prop_assert!(!variable || x.iter().all(|one| *one > byte));
    }

    #[test]
    fn keys_sort_as_their_values((layout, one, other) in neighbours()) {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        prop_assume!(layout.encode(&one, &mut x).is_ok() && layout.encode(&other, &mut y).is_ok());
        let order = layout.segments.iter().zip(one.iter().zip(&other))
            .map(|(segment, (a, b))| order(segment, a, b))
            .find(|order| order.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal);
        prop_assert_eq!(x.cmp(&y), order, "{}", layout);
    }

    #[test]
    fn keys_come_back((layout, values, _) in neighbours()) {
        let times = layout.segments.iter().filter(|segment| segment.role == SegmentRole::Time).count();
        prop_assert!(layout.check().is_ok() || times > 1, "{}", layout);
        let mut key = b"before".to_vec();
        match layout.encode(&values, &mut key) {
            Ok(()) => {
                prop_assert!(layout.fixed_len().is_none_or(|len| len == key.len() - 6));
                let back = layout.decode(&key[6..]).unwrap();
                prop_assert_eq!(back.len(), values.len());
                for (segment, (back, value)) in layout.segments.iter().zip(back.iter().zip(&values)) {
                    prop_assert!(natural(back, &stored(segment, value)).is_eq(), "{} {}", segment, value);
                }
                let time = layout.segments.iter().zip(&back).find(|(segment, _)| segment.role == SegmentRole::Time);
                let time = time.map(|(_, value)| value.clone());
                let read = layout.time_of(&key[6..]).unwrap();
                prop_assert_eq!(layout.time_at_end_of(&key[6..]).unwrap(), read);
                prop_assert_eq!(read.map(SegmentValue::Time), time);
                prop_assert!(!layout.describe(&key[6..]).to_string().starts_with('"'));
            }
            Err(error) => {
                prop_assert_eq!(error, KeyError::Empty);
                prop_assert_eq!(key, b"before");
            }
        }
    }

    #[test]
    fn a_prefix_holds_the_keys_that_begin_with_its_values_and_no_others((layout, one, other) in neighbours(), count in 0..5_usize) {
        let count = count.min(layout.segments.len());
        let (mut key, mut prefix) = (Vec::new(), Vec::new());
        prop_assume!(layout.encode(&other, &mut key).is_ok());
        prop_assume!(layout.encode_prefix(&one[..count], &mut prefix).is_ok());
        let same = layout.segments.iter().zip(one[..count].iter().zip(&other)).all(|(segment, (a, b))| order(segment, a, b).is_eq());
        let inside = if count == layout.segments.len() { key == prefix } else { key.starts_with(&prefix) };
        prop_assert_eq!(inside, same, "{}", layout);
    }

    #[test]
    fn any_bytes_are_no_key_or_the_key_of_their_values(layout in layout(), key in prop::collection::vec(any::<u8>(), 0..60)) {
        one_key_of(&layout, &key)?;
    }

    #[test]
    fn changed_keys_are_no_key_or_the_key_of_their_values((layout, values, _) in neighbours(), at: prop::sample::Index, byte: u8, change in 0..4) {
        let mut key = Vec::new();
        prop_assume!(layout.encode(&values, &mut key).is_ok());
        let at = at.index(key.len());
        match change {
            0 => key[at] = byte,
            1 => key.insert(at, byte),
            2 => { key.remove(at); }
            _ => key.truncate(at),
        }
        one_key_of(&layout, &key)?;
    }
}

/// Decoding does not panic, and accepted bytes are those that the decoded values encode to.
fn one_key_of(layout: &KeyLayout, key: &[u8]) -> Result<(), TestCaseError> {
    let _ = layout.describe(key).to_string();
    let time = layout.time_of(key);
    if let Ok(values) = layout.decode(key) {
        prop_assert!(time.is_ok());
        let mut again = Vec::new();
        prop_assert_eq!(layout.encode(&values, &mut again), Ok(()), "{}", layout);
        prop_assert_eq!(again, key, "{}", layout);
    }
    Ok(())
}
