//! Values that a codec accepts are read back equal, bit for bit, and only values that would be lost
//! are refused: every codec and type, with every special value.

#![allow(clippy::unwrap_used, reason = "a failing test panics")]

#[cfg(feature = "prost")]
mod by_prost;
#[cfg(all(feature = "json", feature = "postcard"))]
mod by_serde;
#[cfg(all(feature = "json", feature = "postcard", feature = "prost"))]
mod nested;

#[cfg(any(feature = "prost", all(feature = "json", feature = "postcard")))]
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;
use proptest::prelude::*;

use super::*;
use crate::Timestamp;

/// Every value is read back with the same image, except those that are refused.
fn come_back<C: CellCodec<T>, T: Debug, I: PartialEq + Debug>(
    values: impl IntoIterator<Item = T>,
    image: impl Fn(&T) -> I,
    refused: impl Fn(&T) -> bool,
) {
    for value in values {
        match encode_cell::<C, T>(&value) {
            Ok(cell) => {
                assert!(!refused(&value), "{value:?} is accepted as {cell:?}");
                let back = decode_cell::<C, T>(&cell).unwrap();
                assert_eq!(image(&back), image(&value), "{value:?} as {cell:?}");
            }
            Err(error) => assert!(refused(&value), "{value:?}: {error}"),
        }
    }
}

/// No value is refused.
fn all_come_back<C: CellCodec<T>, T: Debug + PartialEq + Clone>(
    values: impl IntoIterator<Item = T>,
) {
    come_back::<C, T, T>(values, Clone::clone, |_| false);
}

const DOUBLES: [f64; 20] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    600.55,
    1e23,
    5e-324,
    2.225_073_858_507_201e-308,
    9_007_199_254_740_993.0,
    f64::MIN_POSITIVE,
    f64::EPSILON,
    f64::MIN,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    -f64::NAN,
    // A signalling NaN, and one with other bits.
    f64::from_bits(0x7ff0_0000_0000_0001),
    f64::from_bits(0xfff8_0000_0000_002a),
];

const SINGLES: [f32; 17] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    16_777_217.0,
    1e-45,
    1.175_494_2e-38,
    f32::MIN_POSITIVE,
    f32::EPSILON,
    f32::MIN,
    f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    -f32::NAN,
    f32::from_bits(0x7f80_0001),
];

const CHARS: [char; 10] = [
    '\0',
    '"',
    '\\',
    '/',
    'a',
    'é',
    '\x7f',
    '\u{2028}',
    '\u{ffff}',
    '\u{10ffff}',
];

const TEXTS: [&str; 10] = [
    "",
    " ",
    "null",
    "NaN",
    "-0.0",
    "\0",
    "\"\\",
    "\u{2028}\r\n",
    "🦀",
    "\u{feff}",
];

fn texts<T: for<'a> From<&'a str>>() -> impl Iterator<Item = T> {
    TEXTS.into_iter().map(T::from)
}

fn nan_of_other_bits(value: f64) -> bool {
    value.is_nan() && value.abs().to_bits() != f64::NAN.to_bits()
}

fn single_of_other_bits(value: f32) -> bool {
    value.is_nan() && value.abs().to_bits() != f32::NAN.to_bits()
}

macro_rules! of_integers {
    ($check:ident: $($int:ident),*) => {$(
        $check([$int::MIN, $int::MAX, 0, 1, $int::MAX / 2, $int::MIN / 2 + 1]);
    )*};
}
#[cfg(any(feature = "prost", all(feature = "json", feature = "postcard")))]
use of_integers;

#[test]
fn natively() {
    come_back::<Native, _, _>(DOUBLES, |one: &f64| one.to_bits(), |_| false);
    come_back::<Native, _, _>(SINGLES, |one: &f32| one.to_bits(), |_| false);
    fn integers<T: CellValue + Debug + Copy + PartialEq + TryInto<i64>>(values: [T; 6]) {
        // A cell's integer has 64 bits and a sign.
        come_back::<Native, _, _>(values, |one| *one, |one| (*one).try_into().is_err());
    }
    of_integers!(integers: u8, u16, u32, u64, i8, i16, i32, i64);
    all_come_back::<Native, _>([true, false]);
    all_come_back::<Native, _>(CHARS);
    all_come_back::<Native, _>(texts::<String>());
    all_come_back::<Native, _>(texts::<Box<str>>());
    all_come_back::<Native, _>(texts::<Arc<str>>());
    all_come_back::<Native, _>(texts::<ByteString>());
    let bytes = [vec![], vec![0], vec![0xff; 300]];
    all_come_back::<Native, _>(bytes.clone().map(Bytes::from));
    all_come_back::<Native, _>(bytes.clone().map(Vec::into_boxed_slice));
    all_come_back::<Native, _>(bytes);
    all_come_back::<Native, _>([[0_u8; 3], [0xff; 3]]);
    let times = [Timestamp::MIN, Timestamp::MAX, Timestamp::UNIX_EPOCH];
    all_come_back::<Native, _>(times);
}

#[test]
fn as_text() {
    come_back::<Text, _, _>(
        DOUBLES,
        |one: &f64| one.to_bits(),
        |one| nan_of_other_bits(*one),
    );
    come_back::<Text, _, _>(
        SINGLES,
        |one: &f32| one.to_bits(),
        |one| single_of_other_bits(*one),
    );
    let cell = encode_cell::<Text, f64>(&-f64::NAN).unwrap();
    assert_eq!(cell, "-NaN");
    assert_eq!(encode_cell::<Text, f64>(&f64::NAN).unwrap(), "NaN");
    fn integers<
        T: std::str::FromStr<Err: std::fmt::Display>
            + std::fmt::Display
            + Debug
            + Copy
            + PartialEq
            + 'static,
    >(
        values: [T; 6],
    ) {
        all_come_back::<Text, _>(values);
    }
    of_integers!(integers: u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);
    all_come_back::<Text, _>([true, false]);
    all_come_back::<Text, _>(CHARS);
    all_come_back::<Text, _>(texts::<String>());
    let times = [
        Timestamp::MIN,
        Timestamp::MAX,
        Timestamp::UNIX_EPOCH,
        Timestamp::from_micros(-62_135_596_800_000_001),
        Timestamp::from_micros(253_402_300_799_999_999),
        Timestamp::from_micros(253_402_300_800_000_000),
        Timestamp::from_micros(-377_705_116_800_000_000),
    ];
    all_come_back::<Text, _>(times);
    #[cfg(feature = "uuid")]
    all_come_back::<Text, _>([uuid::Uuid::nil(), uuid::Uuid::max()]);
}

/// A zero has a sign, and a scale.
#[cfg(feature = "rust_decimal")]
#[test]
fn decimals() {
    use rust_decimal::Decimal;
    let negative = |scale| {
        let mut zero = Decimal::new(0, scale);
        zero.set_sign_negative(true);
        zero
    };
    let values = [
        Decimal::ZERO,
        negative(0),
        negative(2),
        negative(28),
        Decimal::new(0, 28),
        Decimal::new(-1, 28),
        Decimal::MAX,
        Decimal::MIN,
        Decimal::new(60_050, 2),
    ];
    come_back::<Native, _, _>(values, Decimal::serialize, |_| false);
    come_back::<Text, _, _>(values, Decimal::serialize, |_| false);
}

/// Times of other crates are rounded down to whole microseconds first, and are then read back
/// unchanged.
#[test]
fn times_of_others() {
    use std::time::{Duration, SystemTime, UNIX_EPOCH};
    let micros = |time: &SystemTime| Timestamp::from(*time);
    let whole = [
        UNIX_EPOCH,
        UNIX_EPOCH - Duration::from_micros(1),
        UNIX_EPOCH + Duration::from_micros(1),
    ];
    all_come_back::<Native, _>(whole);
    let fine = [
        UNIX_EPOCH + Duration::from_nanos(1_999),
        UNIX_EPOCH - Duration::from_nanos(1),
    ];
    come_back::<Native, _, _>(fine, micros, |_| false);
    let far = [UNIX_EPOCH + Duration::from_secs(1 << 62)];
    come_back::<Native, _, _>(far, micros, |_| true);
    all_come_back::<Native, _>([jiff::Timestamp::UNIX_EPOCH]);
    let ends = [jiff::Timestamp::MIN, jiff::Timestamp::MAX];
    come_back::<Native, _, _>(ends, |one| Timestamp::from(*one), |_| false);
    #[cfg(feature = "chrono")]
    {
        use chrono::{DateTime, Utc};
        let ends = [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC];
        come_back::<Native, _, _>(ends, |one| Timestamp::from(*one), |_| false);
        let leap = DateTime::<Utc>::from_timestamp(1_483_228_799, 1_500_000_000).unwrap();
        all_come_back::<Text, _>(ends.into_iter().chain([leap]));
    }
}

proptest! {
    #[test]
    fn any_float(double: u64, single: u32) {
        let (double, single) = (f64::from_bits(double), f32::from_bits(single));
        come_back::<Native, _, _>([double], |one: &f64| one.to_bits(), |_| false);
        come_back::<Native, _, _>([single], |one: &f32| one.to_bits(), |_| false);
        come_back::<Text, _, _>([double], |one: &f64| one.to_bits(), |one| nan_of_other_bits(*one));
        come_back::<Text, _, _>([single], |one: &f32| one.to_bits(), |one| single_of_other_bits(*one));
    }
}
