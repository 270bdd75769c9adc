#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use bytestring::ByteString;
use proptest::prelude::*;

use super::*;
use crate::Timestamp;

fn encoded<T: CellValue>(value: &T) -> Vec<u8> {
    encode_cell::<Native, T>(value).unwrap().to_vec()
}

fn decoded<T: CellValue>(bytes: &[u8]) -> Result<T, ValueError> {
    decode_cell::<Native, T>(&Bytes::copy_from_slice(bytes))
}

/// The value has these bytes, and the bytes decode to this value.
fn golden<T: CellValue + PartialEq + Debug>(value: T, bytes: impl AsRef<[u8]>) {
    assert_eq!(encoded(&value), bytes.as_ref(), "{value:?}");
    assert_eq!(decoded::<T>(bytes.as_ref()), Ok(value));
}

fn refusal<T: CellValue + Debug>(bytes: &[u8]) -> String {
    decoded::<T>(bytes).unwrap_err().to_string()
}

#[test]
fn integers_are_signed_big_endian_in_8_bytes() {
    golden(1_u8, [0, 0, 0, 0, 0, 0, 0, 1]);
    golden(0x1234_u16, [0, 0, 0, 0, 0, 0, 0x12, 0x34]);
    golden(u32::MAX, [0, 0, 0, 0, 255, 255, 255, 255]);
    golden(u64::MAX >> 1, [127, 255, 255, 255, 255, 255, 255, 255]);
    golden(-1_i8, [255; 8]);
    golden(-2_i16, [255, 255, 255, 255, 255, 255, 255, 254]);
    golden(i32::MIN, [255, 255, 255, 255, 128, 0, 0, 0]);
    golden(i64::MIN, [128, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn floats_are_ieee_big_endian() {
    golden(1.0_f32, [0x3f, 0x80, 0, 0]);
    golden(1.0_f64, [0x3f, 0xf0, 0, 0, 0, 0, 0, 0]);
    golden(f64::NEG_INFINITY, [0xff, 0xf0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(encoded(&-0.0_f64), [0x80, 0, 0, 0, 0, 0, 0, 0]);
    assert!(decoded::<f64>(&encoded(&f64::NAN)).unwrap().is_nan());
}

#[test]
fn text_is_utf8() {
    golden("Zürich".to_owned(), "Z\u{fc}rich");
    golden(Box::<str>::from("a"), "a");
    golden(Arc::<str>::from("a"), "a");
    golden(ByteString::from_static("a"), "a");
    golden(String::new(), "");
    golden('€', [0xe2, 0x82, 0xac]);
}

#[test]
fn bytes_are_themselves() {
    golden(vec![0_u8, 255], [0, 255]);
    golden(Box::<[u8]>::from([7]), [7]);
    golden(Bytes::from_static(b"\x00\xff"), [0, 255]);
    golden([1_u8, 2, 3], [1, 2, 3]);
    golden([0_u8; 0], []);
    golden(true, [1]);
    golden(false, [0]);
}

#[test]
fn times_are_microseconds_as_an_integer() {
    let bytes = [0, 0x05, 0x11, 0x6d, 0x34, 0x6c, 0x08, 0x60];
    let at = Timestamp::from_millis(1_426_535_612_156);
    golden(at, bytes);
    golden(at.as_micros(), bytes);
    golden(SystemTime::try_from(at).unwrap(), bytes);
    golden(jiff::Timestamp::try_from(at).unwrap(), bytes);
    #[cfg(feature = "chrono")]
    {
        golden(
            chrono::DateTime::<chrono::Utc>::try_from(at).unwrap(),
            bytes,
        );
        golden(
            chrono::DateTime::<chrono::FixedOffset>::try_from(at).unwrap(),
            bytes,
        );
        golden(
            chrono::DateTime::<chrono::Local>::try_from(at).unwrap(),
            bytes,
        );
    }
    #[cfg(feature = "time")]
    golden(time::OffsetDateTime::try_from(at).unwrap(), bytes);
    golden(Timestamp::from_micros(-1), [255; 8]);
}

#[cfg(feature = "uuid")]
#[test]
fn a_uuid_is_its_16_bytes() {
    let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    golden(uuid::Uuid::from_bytes(bytes), bytes);
    assert_eq!(
        refusal::<uuid::Uuid>(b"x"),
        "expected a UUID of 16 bytes, got 1 byte \"x\""
    );
}

#[cfg(feature = "rust_decimal")]
#[test]
fn a_decimal_is_text_that_keeps_its_scale() {
    use rust_decimal::Decimal;
    golden(Decimal::new(60_050, 2), "600.50");
    golden(Decimal::new(-5, 28), "-0.0000000000000000000000000005");
    golden(Decimal::MAX, "79228162514264337593543950335");
    assert_eq!(decoded::<Decimal>(b"600.50").unwrap().scale(), 2);
    let rounded = refusal::<Decimal>(b"0.12345678901234567890123456789");
    assert!(
        rounded.starts_with("expected the text of a decimal number ("),
        "{rounded}"
    );
}

#[test]
fn names_tell_forms_apart() {
    let name = |name: &'static str| name;
    assert_eq!(name(<Native as CellCodec<u8>>::NAME), "int64");
    assert_eq!(name(<Native as CellCodec<f32>>::NAME), "float32");
    assert_eq!(name(<Native as CellCodec<[u8; 0]>>::NAME), "bytes[0]");
    assert_eq!(name(<Native as CellCodec<[u8; 9]>>::NAME), "bytes[9]");
    assert_eq!(name(<Native as CellCodec<[u8; 10]>>::NAME), "bytes[10]");
    assert_eq!(
        name(<[u8; usize::MAX]>::NAME),
        format!("bytes[{}]", usize::MAX)
    );
    assert_eq!(name(<Text as CellCodec<f64>>::NAME), "text");
}

#[test]
fn integers_beyond_the_range_are_refused() {
    let error = encode_cell::<Native, u64>(&u64::MAX).unwrap_err();
    let text = "`18446744073709551615` is outside a cell's signed 64-bit integer, whose largest is 9223372036854775807";
    assert_eq!(error.to_string(), text);
    let bytes = encoded(&300_i64);
    assert_eq!(refusal::<u8>(&bytes), "`300` is outside the range of u8");
    assert_eq!(
        refusal::<u64>(&encoded(&-1_i8)),
        "`-1` is outside the range of u64"
    );
}

#[test]
fn other_lengths_are_refused() {
    let text = "expected a big-endian integer of 8 bytes, got 3 bytes \"600\"";
    assert_eq!(refusal::<u32>(b"600"), text);
    assert_eq!(
        refusal::<i64>(b""),
        "expected a big-endian integer of 8 bytes, got 0 bytes \"\""
    );
    assert!(decoded::<f32>(&[0; 8]).is_err());
    assert!(decoded::<f64>(&[0; 4]).is_err());
    assert!(decoded::<Timestamp>(&[0; 9]).is_err());
    assert_eq!(
        refusal::<[u8; 2]>(b"abc"),
        "expected exactly 2 bytes, got 3 bytes \"abc\""
    );
}

#[test]
fn bytes_of_another_type_are_refused() {
    assert_eq!(
        refusal::<bool>(&[2]),
        "expected the byte 00 or 01, got 1 byte \"\\x02\""
    );
    assert_eq!(
        refusal::<String>(b"a\xff"),
        "expected text in UTF-8, got 2 bytes \"a\\xff\""
    );
    assert_eq!(
        refusal::<ByteString>(b"\xff"),
        "expected text in UTF-8, got 1 byte \"\\xff\""
    );
    assert!(decoded::<char>(b"").is_err());
    assert!(decoded::<char>(b"ab").is_err());
}

#[test]
fn errors_keep_64_bytes() {
    let ValueError::Malformed { head, bytes, .. } = ValueError::malformed("x", &[b'a'; 100]) else {
        panic!("another error");
    };
    assert_eq!((head.len(), bytes), (64, 100));
    let text = ValueError::malformed("x", &[b'a'; 100]).to_string();
    assert!(text.ends_with("a\"..."), "{text}");
    assert!(
        !ValueError::malformed("x", &[b'a'; 64])
            .to_string()
            .ends_with("...")
    );
}

#[test]
fn times_beyond_the_range_are_refused() {
    let far = UNIX_EPOCH + Duration::from_secs(1 << 62);
    assert!(encode_cell::<Native, SystemTime>(&far).is_err());
    let error = refusal::<jiff::Timestamp>(&encoded(&i64::MAX));
    assert!(
        error.ends_with("is outside the range of jiff::Timestamp"),
        "{error}"
    );
}

#[test]
fn a_value_over_100_mib_is_refused() {
    let long = Bytes::from(vec![b' '; MAX_VALUE_BYTES + 1]);
    let text = "the value takes 104857601 bytes, Bigtable allows 104857600 in a cell";
    let error = encode_cell::<Native, Bytes>(&long).unwrap_err();
    assert_eq!(error.to_string(), text);
    let text = String::decode_value(&long).unwrap();
    assert!(encode_cell::<Text, String>(&text).is_err());
    let fits = long.slice(1..);
    assert_eq!(
        encode_cell::<Native, Bytes>(&fits).unwrap().len(),
        MAX_VALUE_BYTES
    );
}

#[test]
fn long_bytes_can_be_shared() {
    fn check<C: CellCodec<Bytes> + CellCodec<ByteString>>() {
        let bytes = Bytes::from(vec![b'a'; 5000]);
        let copy: Bytes = C::decode(&bytes).unwrap();
        assert_eq!(copy, bytes);
        assert_ne!(copy.as_ptr(), bytes.as_ptr());
        let copy: ByteString = C::decode(&bytes).unwrap();
        assert_ne!(copy.as_bytes().as_ptr(), bytes.as_ptr());
        let share: Bytes = C::decode_shared(&bytes).unwrap();
        assert_eq!(share.as_ptr(), bytes.as_ptr());
        let share: ByteString = C::decode_shared(&bytes).unwrap();
        assert_eq!(share.as_bytes().as_ptr(), bytes.as_ptr());
    }
    check::<Native>();
    let foreign = Bytes::from(vec![0xff; 5000]);
    assert!(ByteString::decode_shared_value(&foreign).is_err());
}

#[test]
fn text_names_what_it_could_not_read() {
    let error = decode_cell::<Text, u32>(&Bytes::from("x")).unwrap_err();
    let text = "expected the text of u32 (invalid digit found in string), got 1 byte \"x\"";
    assert_eq!(error.to_string(), text);
    assert!(decode_cell::<Text, String>(&Bytes::from_static(b"\xff")).is_err());
}

#[cfg(feature = "json")]
#[test]
fn json_refuses_what_it_can_not_write_or_read() {
    use std::collections::BTreeMap;
    let keyed_by_list = BTreeMap::from([(vec![1_u8], 1_u8)]);
    let error = encode_cell::<Json, _>(&keyed_by_list).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the value cannot be written as JSON: key must be a string"
    );
    let error = decode_cell::<Json, u8>(&Bytes::from("-1"))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("expected the JSON of u8 ("), "{error}");
    let infinite = encode_cell::<Json, f64>(&f64::INFINITY).unwrap_err();
    assert_eq!(
        infinite.to_string(),
        "the value cannot be written as JSON: JSON has no number for inf"
    );
    assert!(decode_cell::<Json, f64>(&Bytes::from("null")).is_err());
}

/// The encoded value is read back, and earlier bytes are unchanged.
fn comes_back<C: CellCodec<T>, T: PartialEq + Debug>(value: &T) -> Result<(), TestCaseError> {
    let mut out = b"kept".to_vec();
    C::encode(value, &mut out).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let bytes = Bytes::from(out);
    prop_assert_eq!(&bytes[..4], b"kept");
    let cell = bytes.slice(4..);
    let written = encode_cell::<C, T>(value);
    prop_assert_eq!(written.as_ref(), Ok(&cell));
    let back = decode_cell::<C, T>(&cell);
    prop_assert_eq!(back.as_ref(), Ok(value));
    Ok(())
}

proptest! {
    #[test]
    fn integers_come_back(a: u8, b: i16, c: u32, d: i64) {
        comes_back::<Native, _>(&a)?;
        comes_back::<Native, _>(&b)?;
        comes_back::<Native, _>(&c)?;
        comes_back::<Native, _>(&d)?;
        comes_back::<Text, _>(&d)?;
    }

    #[test]
    fn unsigned_ones_come_back_or_are_refused(value: u64) {
        match i64::try_from(value) {
            Ok(_) => comes_back::<Native, _>(&value)?,
            Err(_) => prop_assert!(encode_cell::<Native, _>(&value).is_err()),
        }
        comes_back::<Text, _>(&value)?;
    }

    #[test]
    fn integers_are_read_as_any_type_that_holds_them(value: i64) {
        let bytes = Bytes::from(encoded(&value));
        prop_assert_eq!(u8::decode_value(&bytes).ok(), u8::try_from(value).ok());
        prop_assert_eq!(i32::decode_value(&bytes).ok(), i32::try_from(value).ok());
        prop_assert_eq!(u64::decode_value(&bytes).ok(), u64::try_from(value).ok());
    }

    #[test]
    fn floats_come_back_to_the_bit(a: u32, b: u64) {
        let single = decoded::<f32>(&encoded(&f32::from_bits(a))).unwrap();
        let double = decoded::<f64>(&encoded(&f64::from_bits(b))).unwrap();
        prop_assert_eq!((single.to_bits(), double.to_bits()), (a, b));
    }

    #[test]
    fn finite_floats_come_back_from_text(value in proptest::num::f64::ANY) {
        prop_assume!(!value.is_nan());
        comes_back::<Text, _>(&value)?;
    }

    #[test]
    fn strings_and_bytes_come_back(text: String, bytes: Vec<u8>, array: [u8; 5], c: char, b: bool) {
        comes_back::<Text, _>(&text)?;
        comes_back::<Native, _>(&ByteString::from(text.as_str()))?;
        comes_back::<Native, _>(&text)?;
        comes_back::<Native, _>(&Bytes::copy_from_slice(&bytes))?;
        comes_back::<Native, _>(&bytes)?;
        comes_back::<Native, _>(&array)?;
        comes_back::<Native, _>(&c)?;
        comes_back::<Native, _>(&b)?;
    }

    #[test]
    fn times_come_back(micros in i64::MIN + 1..i64::MAX) {
        let at = Timestamp::from_micros(micros);
        comes_back::<Native, _>(&at)?;
        comes_back::<Native, _>(&SystemTime::try_from(at).unwrap())?;
    }

    #[cfg(feature = "rust_decimal")]
    #[test]
    fn decimals_come_back_with_their_scale(lo: u32, mid: u32, hi: u32, negative: bool, scale in 0_u32..=28) {
        let value = rust_decimal::Decimal::from_parts(lo, mid, hi, negative, scale);
        let bytes = encoded(&value);
        let back = decoded::<rust_decimal::Decimal>(&bytes).unwrap();
        prop_assert_eq!((back, back.scale()), (value, value.scale()));
    }

    #[cfg(feature = "json")]
    #[test]
    fn json_comes_back(value: (String, Option<i64>, Vec<bool>)) {
        comes_back::<Json, _>(&value)?;
    }

    /// No bytes make a decoder panic, and it only accepts bytes that it would write, except in
    /// forms with several texts for one value.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
        let bytes = Bytes::from(bytes);
        exact::<u8>(&bytes)?;
        exact::<u64>(&bytes)?;
        exact::<i32>(&bytes)?;
        exact::<bool>(&bytes)?;
        exact::<char>(&bytes)?;
        exact::<String>(&bytes)?;
        exact::<ByteString>(&bytes)?;
        exact::<[u8; 7]>(&bytes)?;
        exact::<Timestamp>(&bytes)?;
        exact::<jiff::Timestamp>(&bytes)?;
        #[cfg(feature = "chrono")]
        exact::<chrono::DateTime<chrono::Utc>>(&bytes)?;
        #[cfg(feature = "time")]
        exact::<time::OffsetDateTime>(&bytes)?;
        #[cfg(feature = "uuid")]
        exact::<uuid::Uuid>(&bytes)?;
        #[cfg(feature = "rust_decimal")]
        let _ = rust_decimal::Decimal::decode_value(&bytes);
        let _ = decode_cell::<Text, f64>(&bytes);
        #[cfg(feature = "json")]
        let _ = decode_cell::<Json, Vec<String>>(&bytes);
    }

    #[cfg(feature = "rust_decimal")]
    #[test]
    fn any_text_is_a_decimal_or_refused(text in "[-+0-9._eE]{0,40}") {
        let _ = rust_decimal::Decimal::decode_value(&Bytes::from(text));
    }
}

fn exact<T: CellValue>(bytes: &Bytes) -> Result<(), TestCaseError> {
    if let Ok(value) = T::decode_value(bytes) {
        prop_assert_eq!(encode_cell::<Native, T>(&value), Ok(bytes.clone()));
    }
    Ok(())
}
