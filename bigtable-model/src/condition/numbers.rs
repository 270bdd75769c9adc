//! Ranges of numbers as ranges of their stored bytes.
//!
//! Signed integers are stored in two's complement and floats in IEEE 754, both big-endian: the
//! bytes of non-negative numbers sort like the numbers, and before those of negative numbers. Bytes
//! of negative integers sort like the integers, those of negative floats in reverse.

use std::ops::Bound;

use bytes::Bytes;

use super::filter::ValueRange;

/// The bit of the sign, in the first byte.
const SIGN: u8 = 0x80;

fn is_negative(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|first| first & SIGN != 0)
}

/// The bytes of a number: one first byte, and another repeated.
fn number(first: u8, rest: u8, len: usize) -> Bytes {
    let mut bytes = vec![rest; len];
    if let Some(byte) = bytes.first_mut() {
        *byte = first;
    }
    bytes.into()
}

/// The ranges of the 8-byte signed integers between two others.
pub(crate) fn signed((start, end): ValueRange) -> Vec<ValueRange> {
    const LEN: usize = 8;
    let mut ranges = Vec::new();
    if !bound(&end).is_some_and(is_negative) {
        let from = match bound(&start).is_none_or(is_negative) {
            true => Bound::Included(number(0, 0, LEN)),
            false => start.clone(),
        };
        let to = or_included(&end, || number(!SIGN, 0xff, LEN));
        ranges.push((from, to));
    }
    if bound(&start).is_none_or(is_negative) {
        let from = or_included(&start, || number(SIGN, 0, LEN));
        let to = match bound(&end).is_some_and(is_negative) {
            true => end,
            false => Bound::Included(number(0xff, 0xff, LEN)),
        };
        ranges.push((from, to));
    }
    ranges
}

/// The ranges of the floats between two others, of `LEN` bytes, 4 or 8. -0.0 is 0.0, and NaN is in
/// no range.
pub(crate) fn float<const LEN: usize>((start, end): ValueRange) -> Vec<ValueRange> {
    let ends = [bound(&start), bound(&end)];
    let infinity = infinity(LEN);
    if ends.into_iter().flatten().any(|end| is_nan(end, &infinity)) {
        return Vec::new();
    }
    let negative = |bytes: &Bytes| {
        let first = bytes.first().map_or(0, |first| first | SIGN);
        let rest = bytes.get(1..).unwrap_or_default();
        Bytes::from([&[first], rest].concat())
    };
    let zero = number(0, 0, LEN);
    let (start, end) = (without_sign_of_zero(start), without_sign_of_zero(end));
    let mut ranges = Vec::new();
    if !bound(&end).is_some_and(is_negative) {
        let from = match bound(&start).is_none_or(is_negative) {
            true => Bound::Included(zero.clone()),
            false => start.clone(),
        };
        ranges.push((from, or_included(&end, || infinity.clone())));
    }
    // Among negative floats the least has the last bytes; -0.0 has the first.
    let least = match &start {
        Bound::Included(start) if *start == zero => Some(Bound::Included(negative(start))),
        start if bound(start).is_none_or(is_negative) => {
            Some(or_included(start, || negative(&infinity)))
        }
        _ => None,
    };
    let greatest = match &end {
        Bound::Excluded(end) if *end == zero => Bound::Excluded(negative(end)),
        end if bound(end).is_some_and(is_negative) => end.clone(),
        _ => Bound::Included(negative(&zero)),
    };
    ranges.extend(least.map(|least| (greatest, least)));
    ranges
}

fn bound(bound: &Bound<Bytes>) -> Option<&[u8]> {
    match bound {
        Bound::Included(bytes) | Bound::Excluded(bytes) => Some(bytes),
        Bound::Unbounded => None,
    }
}

fn or_included(bound: &Bound<Bytes>, last: impl FnOnce() -> Bytes) -> Bound<Bytes> {
    match bound {
        Bound::Unbounded => Bound::Included(last()),
        bound => bound.clone(),
    }
}

fn infinity(len: usize) -> Bytes {
    match len {
        4 => Bytes::copy_from_slice(&f32::INFINITY.to_be_bytes()),
        _ => Bytes::copy_from_slice(&f64::INFINITY.to_be_bytes()),
    }
}

fn is_nan(bytes: &[u8], infinity: &[u8]) -> bool {
    let first = bytes.first().map_or(0, |first| first & !SIGN);
    (first, bytes.get(1..))
        > (
            infinity.first().copied().unwrap_or_default(),
            infinity.get(1..),
        )
}

fn without_sign_of_zero(end: Bound<Bytes>) -> Bound<Bytes> {
    let unsigned = |bytes: Bytes| {
        let rest = bytes.get(1..).unwrap_or_default();
        match bytes.first() == Some(&SIGN) && rest.iter().all(|byte| *byte == 0) {
            true => number(0, 0, bytes.len()),
            false => bytes,
        }
    };
    end.map(unsigned)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "a test may panic")]
mod tests {
    use std::ops::RangeBounds;

    use proptest::prelude::*;

    use super::*;

    fn any_bound<T: Clone + std::fmt::Debug + 'static>(
        value: impl Strategy<Value = T> + Clone + 'static,
    ) -> impl Strategy<Value = Bound<T>> {
        prop_oneof![
            value.clone().prop_map(Bound::Included),
            value.prop_map(Bound::Excluded),
            Just(Bound::Unbounded),
        ]
    }

    fn holds(ranges: &[ValueRange], bytes: &[u8]) -> bool {
        let bytes = Bytes::copy_from_slice(bytes);
        ranges.iter().any(|(start, end)| {
            RangeBounds::<Bytes>::contains(&(start.as_ref(), end.as_ref()), &bytes)
        })
    }

    fn integers() -> impl Strategy<Value = i64> + Clone {
        let edges = [0, 1, -1, i64::MAX, i64::MIN, 255, 256, -256];
        prop_oneof![
            any::<i64>(),
            prop::sample::select(edges.to_vec()),
            -9_i64..9
        ]
    }

    fn floats() -> impl Strategy<Value = f64> + Clone {
        let edges = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            -f64::MIN_POSITIVE,
            f64::from_bits(1),
            -f64::from_bits(1),
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -f64::NAN,
        ];
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits),
            prop::sample::select(edges.to_vec())
        ]
    }

    proptest! {
        #[test]
        fn integers_lie_where_they_are(
            start in any_bound(integers()),
            end in any_bound(integers()),
            number in integers(),
        ) {
            let bytes = |bound: Bound<i64>| bound.map(|one| Bytes::copy_from_slice(&one.to_be_bytes()));
            let ranges = signed((bytes(start), bytes(end)));
            prop_assert_eq!(
                holds(&ranges, &number.to_be_bytes()),
                (start, end).contains(&number)
            );
        }

        #[test]
        fn floats_lie_where_they_are(
            start in any_bound(floats()),
            end in any_bound(floats()),
            number in floats(),
        ) {
            let bytes = |bound: Bound<f64>| bound.map(|one| Bytes::copy_from_slice(&one.to_be_bytes()));
            let ranges = float::<8>((bytes(start), bytes(end)));
            let expected = !number.is_nan() && (start, end).contains(&number);
            prop_assert_eq!(holds(&ranges, &number.to_be_bytes()), expected);
        }

        #[test]
        fn floats_of_four_bytes_too(
            start in any_bound(any::<f32>()),
            end in any_bound(any::<f32>()),
            number in any::<f32>(),
        ) {
            let bytes = |bound: Bound<f32>| bound.map(|one| Bytes::copy_from_slice(&one.to_be_bytes()));
            let ranges = float::<4>((bytes(start), bytes(end)));
            let expected = !number.is_nan() && (start, end).contains(&number);
            prop_assert_eq!(holds(&ranges, &number.to_be_bytes()), expected);
        }
    }
}
