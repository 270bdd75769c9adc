//! The typed path of generated code equals the described one.

use std::fmt::Debug;
use std::time::SystemTime;

use proptest::prelude::*;

use super::layouts::{quote, segment};
use crate::Timestamp;
use crate::key::*;

const NONE: SegmentOptions = SegmentOptions::NONE;
const BINARY: SegmentOptions = SegmentOptions {
    binary: true,
    ..NONE
};

/// In every format of the kind: the same bytes, the same decoded value, and the order of `compare`.
fn same<'a, P: SegmentPrimitive<'a>>(
    a: P,
    b: P,
    arena: &'a mut Vec<u8>,
) -> Result<(), TestCaseError> {
    let mut formats = Vec::new();
    for options in [NONE, BINARY] {
        for reverse in [false, true] {
            for truncate in [false, true] {
                let options = SegmentOptions {
                    reverse,
                    truncate,
                    unit: truncate.then_some(TimeUnit::Seconds),
                    ..options
                };
                formats.extend(SegmentFormat::resolve(P::KIND, options, true));
            }
        }
    }
    prop_assert!(!formats.is_empty());
    let mut spans = Vec::new();
    for format in formats {
        let name = "one".into();
        let one = Segment {
            name,
            role: SegmentRole::Identifier,
            kind: P::KIND,
            format,
        };
        let encode = |value: P| {
            let (mut typed, mut described) = (Vec::new(), Vec::new());
            let outcome = value.encode(&one.format, b'#', &mut typed);
            let other = one.encode(&value.into_value(), b'#', &mut described);
            (outcome.clone().map(|()| typed), outcome == other, described)
        };
        let ((x, same_x, described), (y, same_y, _)) = (encode(a), encode(b));
        prop_assert!(same_x && same_y);
        if let (Ok(x), Ok(y)) = (&x, &y) {
            prop_assert_eq!(x, &described);
            prop_assert_eq!(
                x.cmp(y),
                a.compare(b, &one.format),
                "{:?} {:?} {}",
                a,
                b,
                one
            );
        }
        if let Ok(x) = x {
            spans.push((one, arena.len(), x.len()));
            arena.extend(x);
        }
    }
    let arena: &'a [u8] = arena;
    for (one, start, len) in spans {
        let bytes = &arena[start..start + len];
        let typed = P::decode(&one.format, bytes).unwrap();
        let described = one.decode(bytes, b'#').unwrap();
        let mut again = Vec::new();
        typed.encode(&one.format, b'#', &mut again).unwrap();
        prop_assert_eq!(again.as_slice(), bytes);
        prop_assert_eq!(
            format!("{:?}", typed.into_value()),
            format!("{described:?}")
        );
    }
    Ok(())
}

macro_rules! primitives {
    ($($name:ident: $type:ty;)+) => {
        proptest! {
            $(
                #[test]
                fn $name(a: $type, b: $type) {
                    same(a, b, &mut Vec::new())?;
                    same(a, a, &mut Vec::new())?;
                }
            )+
        }
    };
}

primitives! {
    u8_is_as_described: u8;
    u16_is_as_described: u16;
    u32_is_as_described: u32;
    u64_is_as_described: u64;
    u128_is_as_described: u128;
    i8_is_as_described: i8;
    i16_is_as_described: i16;
    i32_is_as_described: i32;
    i64_is_as_described: i64;
    i128_is_as_described: i128;
    bool_is_as_described: bool;
    char_is_as_described: char;
    arrays_are_as_described: [u8; 5];
}

proptest! {
    #[test]
    fn strings_are_as_described(a in "[$-~é]{0,6}", b: String) {
        same(a.as_str(), b.as_str(), &mut Vec::new())?;
    }

    #[test]
    fn byte_strings_are_as_described(a: Vec<u8>, b: Vec<u8>) {
        same(a.as_slice(), b.as_slice(), &mut Vec::new())?;
    }

    #[test]
    fn floats_are_as_described(a: u64, b: u64, c: u32, d: u32) {
        same(f64::from_bits(a), f64::from_bits(b), &mut Vec::new())?;
        same(f32::from_bits(c), f32::from_bits(d), &mut Vec::new())?;
    }

    #[test]
    fn times_are_as_described(a: i64, b in -5_000_000..5_000_000_i64, shift in 0..40) {
        let (a, b) = (Timestamp::from_micros(a >> shift), Timestamp::from_micros(b));
        same(a, b, &mut Vec::new())?;
        same(b, a, &mut Vec::new())?;
    }

    #[cfg(feature = "uuid")]
    #[test]
    fn uuids_are_as_described(a: u128, b: u128) {
        same(uuid::Uuid::from_u128(a), uuid::Uuid::from_u128(b), &mut Vec::new())?;
    }

    #[test]
    fn escapes_are_those_of_the_text(a: String, b: String, separator in b' '..=b'~') {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        a.as_str().encode(&SegmentFormat::Escaped, separator, &mut x).unwrap();
        b.as_str().encode(&SegmentFormat::Escaped, separator, &mut y).unwrap();
        let (x, y) = (Escaped::decode(&x, separator).unwrap(), Escaped::decode(&y, separator).unwrap());
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        prop_assert_eq!(x == y, a == b);
        prop_assert_eq!(x.to_string(), a.as_str());
        prop_assert_eq!(x.to_cow(), a.as_str());
        prop_assert!(x == a.as_str());
        prop_assert_eq!(x.chars().collect::<String>(), a.as_str());
        prop_assert!(x.bytes().eq(a.bytes()));
        let plain = Escaped::plain(&a);
        prop_assert_eq!(plain, x);
        prop_assert_eq!(plain.cmp(&y), a.cmp(&b));
        prop_assert_eq!(y.cmp(&plain), b.cmp(&a));
        prop_assert_eq!(plain.cmp(&Escaped::plain(&b)), a.cmp(&b));
        prop_assert_eq!(plain.to_string(), a.as_str());
        prop_assert_eq!(plain.to_cow(), a.as_str());
        prop_assert!(plain.bytes().eq(a.bytes()));
    }

    #[test]
    fn any_bytes_are_no_escape_or_that_of_their_text(bytes: Vec<u8>, separator in b' '..=b'~') {
        if let Ok(text) = Escaped::decode(&bytes, separator) {
            let mut again = Vec::new();
            text.to_cow().as_ref().encode(&SegmentFormat::Escaped, separator, &mut again).unwrap();
            prop_assert_eq!(again, bytes);
        }
    }

    #[test]
    fn writer_and_reader_equal_the_layout(exchange in "[A-Z]{0,6}", symbol in "[A-Z]{0,5}", millis in 0..9_999_999_999_999_i64) {
        let layout = quote();
        let [first, second, third] = &layout.segments[..] else { panic!() };
        let at = Timestamp::from_millis(millis);
        let mut typed = Vec::new();
        let mut key = KeyWriter::new("", "#", &mut typed);
        key.segment(first, exchange.as_str()).unwrap();
        key.segment(second, symbol.as_str()).unwrap();
        key.segment(third, at).unwrap();
        key.finish().unwrap();
        let beginning = format!("{exchange:<6}#{symbol:<5}#");
        let values = [SegmentValue::String(exchange.clone()), SegmentValue::String(symbol.clone()), SegmentValue::Time(at)];
        let mut described = Vec::new();
        layout.encode(&values, &mut described).unwrap();
        prop_assert_eq!(&typed, &described);
        let mut reader = KeyReader::new("", "#", &typed).unwrap();
        prop_assert_eq!(reader.read::<&str>(first, false).unwrap(), exchange);
        prop_assert_eq!(reader.read::<&str>(second, false).unwrap(), symbol);
        let read = typed.len() - reader.rest().len();
        prop_assert_eq!(&typed[..read], beginning.as_bytes());
        prop_assert_eq!(reader.read::<Timestamp>(third, true).unwrap(), at);
    }
}

#[test]
fn a_dropped_writer_takes_its_bytes_back() {
    let layout = quote();
    let mut out = b"kept".to_vec();
    {
        let mut key = KeyWriter::new("MD", "#", &mut out);
        key.segment(&layout.segments[0], "NASDAQ").unwrap();
        key.segment(&layout.segments[1], "too wide").unwrap_err();
    }
    assert_eq!(out, b"kept");
}

#[track_caller]
fn through<T: KeySegment + PartialEq + Debug>(value: T, stored: SegmentValue) {
    assert_eq!(value.store().into_value(), stored);
    assert_eq!(T::restore(value.store()).as_ref(), Ok(&value));
}

#[test]
fn owned_types_stand_on_primitives() {
    let text = || SegmentValue::String("x".to_owned());
    through(String::from("x"), text());
    through(Box::<str>::from("x"), text());
    through(std::sync::Arc::<str>::from("x"), text());
    through(bytestring::ByteString::from("x"), text());
    let bytes = || SegmentValue::Bytes(vec![0, 255]);
    through(vec![0_u8, 255], bytes());
    through(bytes::Bytes::from_static(&[0, 255]), bytes());
    through([0_u8, 255], bytes());
    through(7_u16, SegmentValue::Unsigned(7));
    through(-7_i64, SegmentValue::Signed(-7));
}

#[test]
fn times_of_other_crates_are_rounded_down() {
    let micros = |micros| SegmentValue::Time(Timestamp::from_micros(micros));
    let nanos = std::time::Duration::from_nanos(1);
    let before = SystemTime::UNIX_EPOCH - nanos;
    assert_eq!(before.store().into_value(), micros(-1));
    through(SystemTime::UNIX_EPOCH - nanos * 1_000, micros(-1));
    through(SystemTime::UNIX_EPOCH + nanos * 1_000, micros(1));
    let jiff = |nanos| jiff::Timestamp::from_nanosecond(nanos).unwrap();
    assert_eq!(jiff(-1).store().into_value(), micros(-1));
    through(jiff(1_000), micros(1));
    assert!(jiff::Timestamp::restore(Timestamp::MAX).is_err());
    #[cfg(feature = "chrono")]
    {
        let chrono = |nanos| chrono::DateTime::from_timestamp_nanos(nanos);
        assert_eq!(chrono(-1).store().into_value(), micros(-1));
        through(chrono(-1_000), micros(-1));
        assert!(chrono::DateTime::<chrono::Utc>::restore(Timestamp::MAX).is_err());
    }
    #[cfg(feature = "time")]
    {
        let other = |nanos| ::time::OffsetDateTime::from_unix_timestamp_nanos(nanos).unwrap();
        assert_eq!(other(-1).store().into_value(), micros(-1));
        through(other(1_999_000), micros(1_999));
        assert!(::time::OffsetDateTime::restore(Timestamp::MIN).is_err());
    }
}

#[test]
fn kinds_are_those_of_the_primitive() {
    assert_eq!(<String as KeySegment>::KIND, SegmentKind::String);
    assert_eq!(
        <[u8; 3] as KeySegment>::KIND,
        SegmentKind::ByteArray { len: 3 }
    );
    assert_eq!(<SystemTime as KeySegment>::KIND, SegmentKind::Time);
    let wrong = segment("x", SegmentKind::Bool, NONE);
    assert!(matches!(
        "text".encode(&wrong.format, b'#', &mut Vec::new()),
        Err(SegmentError::Mismatch { .. })
    ));
}
