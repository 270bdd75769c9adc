//! Salts never change, and are compared when a key is read.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::Timestamp;
use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan};
use crate::key::*;

fn identifier(name: &'static str) -> Segment {
    Segment {
        name: name.into(),
        role: SegmentRole::Identifier,
        kind: SegmentKind::String,
        format: SegmentFormat::Variable,
    }
}

fn time() -> Segment {
    Segment {
        name: "at".into(),
        role: SegmentRole::Time,
        kind: SegmentKind::Time,
        format: SegmentFormat::Ticks {
            unit: TimeUnit::Millis,
            width: 13,
            reverse: false,
            truncate: false,
        },
    }
}

fn bucket(span: BucketSpan, label: BucketLabel) -> Segment {
    Segment {
        name: "at".into(),
        role: SegmentRole::Bucket,
        kind: SegmentKind::Time,
        format: SegmentFormat::Bucket(Bucket {
            span,
            zone: None,
            label,
            grid_micros: 1_000,
            truncate: false,
        }),
    }
}

fn salt(shards: u16, of: &'static [usize]) -> Segment {
    Segment {
        name: "salt".into(),
        role: SegmentRole::Salt,
        kind: SegmentKind::Unsigned { bits: 16 },
        format: SegmentFormat::Salt(Salt {
            shards,
            first: 0,
            of: of.into(),
            hash: SaltHash::Xxh64,
            hot: None,
        }),
    }
}

fn layout(segments: Vec<Segment>) -> KeyLayout {
    let layout = KeyLayout {
        prefix: "BATTERY".into(),
        separator: "#".into(),
        enclosed: false,
        segments: segments.into(),
    };
    layout.check().unwrap();
    layout
}

fn text(text: &str) -> SegmentValue {
    SegmentValue::String(text.to_owned())
}

fn at(text: &str) -> SegmentValue {
    SegmentValue::Time(text.parse().unwrap())
}

fn encoded(layout: &KeyLayout, values: &[SegmentValue]) -> String {
    let mut key = Vec::new();
    layout.encode(values, &mut key).unwrap();
    assert_eq!(layout.decode(&key).unwrap(), values);
    String::from_utf8(key).unwrap()
}

/// XXH64 with seed 0, as its authors' tool `xxhsum -H64` prints it.
#[test]
fn the_hash_is_what_its_name_says() {
    let shard = |shards, parts: &[&str]| {
        let salt = Salt {
            shards,
            first: 0,
            of: vec![0].into(),
            hash: SaltHash::Xxh64,
            hot: None,
        };
        salt.shard("#", parts.iter().map(|part| part.as_bytes()))
    };
    // The hash of no bytes is ef46db3751d8e999, that of "abc" is 44bc2cf5ad770999.
    assert_eq!(
        u64::from(shard(9999, &[])),
        0xef46_db37_51d8_e999_u64 % 9999
    );
    assert_eq!(
        u64::from(shard(9999, &["abc"])),
        0x44bc_2cf5_ad77_0999_u64 % 9999
    );
    assert_eq!(shard(64, &["a", "bc"]), shard(64, &["a#bc"]));
    let shards: BTreeSet<_> = (0..1_000)
        .map(|number| shard(64, &[&number.to_string()]))
        .collect();
    assert_eq!(shards.len(), 64);
}

struct Sum;

impl SaltFunction for Sum {
    const NAME: &'static str = "sum";

    fn hash(bytes: &[u8]) -> u64 {
        bytes.iter().map(|byte| u64::from(*byte)).sum()
    }
}

struct Unnamed;

impl SaltFunction for Unnamed {
    const NAME: &'static str = "";

    fn hash(_: &[u8]) -> u64 {
        0
    }
}

fn salt_by(hash: OwnHash, of: &'static [usize]) -> Segment {
    let mut salt = salt(64, of);
    if let SegmentFormat::Salt(salt) = &mut salt.format {
        salt.hash = SaltHash::Own(hash);
    }
    salt
}

/// The hashed bytes are those of the segments and of the separators between them, at any length and
/// with any segments in between.
#[test]
fn a_hash_of_ones_own_takes_the_bytes_that_the_layout_says() {
    let sum = |text: &str| text.bytes().map(u64::from).sum::<u64>() % 64;
    let by_sum = || salt_by(OwnHash::of::<Sum>(), &[1, 3]);
    let layout = layout(vec![
        by_sum(),
        identifier("a"),
        identifier("b"),
        identifier("c"),
    ]);
    let template = "BATTERY#{salt:02 of 64 by sum}#{a}#{b}#{c}";
    assert_eq!(layout.to_string(), template);
    for long in [1, 30, 62, 63, 64, 200] {
        let (a, c) = ("a".repeat(long), "z".repeat(long / 2));
        let values = [text(&a), text("between"), text(&c)];
        let shard = sum(&format!("{a}#{c}"));
        let expected = format!("BATTERY#{shard:02}#{a}#between#{c}");
        assert_eq!(encoded(&layout, &values), expected);
        let mut written = Vec::new();
        let mut writer =
            SaltedKeyWriter::new("BATTERY", "#", &layout.segments, &mut written).unwrap();
        for (place, part) in [(1, a.as_str()), (2, "between"), (3, c.as_str())] {
            writer.segment(place, part).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!(written, expected.as_bytes());
    }
    let others = KeyLayout {
        segments: vec![salt(64, &[1]), identifier("a")].into(),
        ..layout
    };
    let error = others.decode(b"BATTERY#33#a");
    assert!(
        matches!(error, Err(KeyError::Salt { found: 33, .. })),
        "{error:?}"
    );
}

#[test]
fn a_hash_goes_by_its_name() {
    let sum = SaltHash::Own(OwnHash::of::<Sum>());
    assert_eq!(sum, SaltHash::Own(OwnHash::of::<Sum>()));
    assert_ne!(sum, SaltHash::Xxh64);
    assert_eq!(
        (sum.to_string(), SaltHash::Xxh64.to_string()),
        ("sum".into(), "xxh64".into())
    );
    let unnamed = KeyLayout {
        prefix: "".into(),
        separator: "#".into(),
        enclosed: false,
        segments: vec![salt_by(OwnHash::of::<Unnamed>(), &[1]), identifier("a")].into(),
    };
    assert!(unnamed.refusal().unwrap().contains("has a name"));
}

/// Serialised data has the name but not the function.
#[cfg(feature = "json")]
#[test]
fn a_hash_of_ones_own_is_serialised_as_its_name() {
    let sum = SaltHash::Own(OwnHash::of::<Sum>());
    assert_eq!(
        serde_json::to_string(&SaltHash::Xxh64).unwrap(),
        r#""Xxh64""#
    );
    let written = serde_json::to_string(&sum).unwrap();
    assert_eq!(written, r#"{"Own":"sum"}"#);
    let error = serde_json::from_str::<SaltHash>(&written).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`sum` is a hash of a program's own"),
        "{error}"
    );
}

#[test]
fn shards_may_be_counted_from_one() {
    let mut counted = salt(10, &[1]);
    let SegmentFormat::Salt(salt) = &mut counted.format else {
        panic!("a salt");
    };
    salt.first = 1;
    assert_eq!(salt.width(), 2);
    let name = Segment {
        name: "name".into(),
        role: SegmentRole::Identifier,
        kind: SegmentKind::String,
        format: SegmentFormat::Variable,
    };
    let layout = layout(vec![counted, name]);
    assert_eq!(layout.to_string(), "BATTERY#{salt:02 of 10 from 1}#{name}");
    // The tenth shard has the number 10, and none has 0.
    let mut found = BTreeSet::new();
    for number in 0..200 {
        let name = number.to_string();
        let hash = xxhash_rust::xxh64::xxh64(name.as_bytes(), 0);
        let key = encoded(&layout, &[text(&name)]);
        assert_eq!(key, format!("BATTERY#{:02}#{name}", hash % 10 + 1));
        found.insert(key[8..10].to_owned());
    }
    assert_eq!(found.first().map(String::as_str), Some("01"));
    assert_eq!(found.last().map(String::as_str), Some("10"));
    assert_eq!(found.len(), 10);
    for wrong in ["00", "11", "1"] {
        assert!(
            layout
                .decode(format!("BATTERY#{wrong}#1").as_bytes())
                .is_err()
        );
    }
}

#[test]
fn golden_keys() {
    let first = layout(vec![salt(3, &[1]), time()]);
    assert_eq!(first.to_string(), "BATTERY#{salt:01 of 3}#{at:013ms}");
    let keys: Vec<_> = (1..=5)
        .map(|milli| encoded(&first, &[at(&format!("2015-03-01T12:45:01.00{milli}Z"))]))
        .collect();
    assert_eq!(keys, GOLDEN_FIRST,);
    let middle = layout(vec![identifier("user"), salt(100, &[0]), time()]);
    assert_eq!(
        encoded(&middle, &[text("Corrie"), at("2015-03-01T12:45:01.001Z")]),
        GOLDEN_MIDDLE
    );
    let last = layout(vec![identifier("user"), time(), salt(1_000, &[0, 1])]);
    assert_eq!(
        encoded(&last, &[text("Corrie"), at("2015-03-01T12:45:01.001Z")]),
        GOLDEN_LAST
    );
}

// Computed by another implementation: `xxhash.xxh64(b"1425213901001").intdigest() % 3` in Python,
// and so on.
const GOLDEN_FIRST: [&str; 5] = [
    "BATTERY#2#1425213901001",
    "BATTERY#1#1425213901002",
    "BATTERY#0#1425213901003",
    "BATTERY#1#1425213901004",
    "BATTERY#1#1425213901005",
];
const GOLDEN_MIDDLE: &str = "BATTERY#Corrie#81#1425213901001";
const GOLDEN_LAST: &str = "BATTERY#Corrie#1425213901001#577";

#[test]
fn a_salt_of_the_bucket_is_the_same_for_all_of_its_times() {
    let days = BucketLabel::Start {
        unit: TimeUnit::Seconds,
        width: 10,
        reverse: false,
    };
    let layout = layout(vec![
        salt(64, &[1, 2]),
        identifier("user"),
        bucket(BucketSpan::Day, days),
    ]);
    let key = |time: &str| {
        let mut key = Vec::new();
        layout.encode(&[text("Jo"), at(time)], &mut key).unwrap();
        key
    };
    assert_eq!(key("2015-03-01T00:00:00Z"), key("2015-03-01T23:59:59.999Z"));
    assert_ne!(key("2015-03-01T00:00:00Z"), key("2015-03-02T00:00:00Z"));
    let decoded = layout.decode(&key("2015-03-01T12:00:00Z")).unwrap();
    assert_eq!(decoded, [text("Jo"), at("2015-03-01T00:00:00Z")]);
}

#[test]
fn an_endless_bucket_leaves_no_trace() {
    let endless = || bucket(BucketSpan::Endless, BucketLabel::Absent);
    let time = at("1970-01-01T00:00:00Z");
    let last = layout(vec![identifier("symbol"), endless()]);
    assert_eq!(
        encoded(&last, &[text("ZXZZT"), time.clone()]),
        "BATTERY#ZXZZT"
    );
    assert_eq!(last.to_string(), "BATTERY#{symbol}");
    let between = layout(vec![endless(), identifier("symbol"), endless_free_salt()]);
    let key = encoded(&between, &[time, text("ZXZZT")]);
    assert!(key.starts_with("BATTERY#ZXZZT#"), "{key}");
}

fn endless_free_salt() -> Segment {
    salt(10, &[1])
}

#[test]
fn a_salt_that_does_not_go_with_the_segments_is_refused() {
    let layout = layout(vec![salt(3, &[1]), identifier("user")]);
    let mut key = Vec::new();
    layout.encode(&[text("Corrie")], &mut key).unwrap();
    let digit = b"BATTERY#".len();
    let right = key[digit];
    for digit_of in b"0123" {
        key[digit] = *digit_of;
        let error = layout.decode(&key).err();
        match *digit_of {
            b'3' => assert!(matches!(error, Some(KeyError::Segment { .. }))),
            other if other == right => assert_eq!(error, None),
            other => assert_eq!(
                error,
                Some(KeyError::Salt {
                    found: u16::from(other - b'0'),
                    expected: u16::from(right - b'0'),
                })
            ),
        }
    }
}

#[test]
fn layouts_with_salts_that_can_not_be_are_refused() {
    let refusal = |segments: Vec<Segment>| {
        KeyLayout {
            prefix: "".into(),
            separator: "#".into(),
            enclosed: false,
            segments: segments.into(),
        }
        .refusal()
    };
    assert!(refusal(vec![salt(1, &[1]), identifier("a")]).is_some());
    assert!(refusal(vec![salt(4, &[]), identifier("a")]).is_some());
    assert!(refusal(vec![salt(4, &[0]), identifier("a")]).is_some());
    assert!(refusal(vec![salt(4, &[2]), identifier("a")]).is_some());
    assert!(refusal(vec![salt(4, &[2, 1]), identifier("a"), identifier("b")]).is_some());
    assert!(refusal(vec![salt(4, &[2]), salt(4, &[2]), identifier("a")]).is_some());
    assert!(refusal(vec![salt(4, &[2, 1]), identifier("a"), identifier("b")]).is_some());
    assert!(refusal(vec![salt(4, &[1, 2]), identifier("a"), identifier("b")]).is_none());
    assert!(refusal(vec![bucket(BucketSpan::Endless, BucketLabel::Absent)]).is_some());
}

proptest! {
    #[test]
    fn writer_and_reader_are_those_of_the_layout(
        user in "[a-z]{1,8}",
        millis in 0_i64..4_102_444_800_000,
        place in 0_usize..3,
        of in 0_usize..3,
    ) {
        let of: &'static [usize] = match (of, place) {
            (0, 0) => &[1],
            (0, _) => &[0],
            (1, 2) => &[1],
            (1, _) => &[2],
            (_, 0) => &[1, 2],
            (_, 1) => &[0, 2],
            _ => &[0, 1],
        };
        let mut segments = vec![identifier("user"), time()];
        segments.insert(place, salt(64, of));
        let layout = layout(segments);
        let at = Timestamp::from_millis(millis);
        let mut described = Vec::new();
        layout.encode(&[text(&user), SegmentValue::Time(at)], &mut described).unwrap();
        let places: Vec<usize> = layout.valued().map(|(place, _)| place).collect();
        let mut written = b"before".to_vec();
        let mut writer = SaltedKeyWriter::new("BATTERY", "#", &layout.segments, &mut written).unwrap();
        writer.segment(places[0], user.as_str()).unwrap();
        writer.segment(places[1], at).unwrap();
        writer.finish().unwrap();
        prop_assert_eq!(&written[6..], &described[..]);
        let mut reader = SaltedKeyReader::new("BATTERY", "#", &layout.segments, &described).unwrap();
        prop_assert_eq!(reader.read::<&str>(places[0], layout.is_last(places[0])).unwrap(), user);
        prop_assert_eq!(reader.read::<Timestamp>(places[1], layout.is_last(places[1])).unwrap(), at);
        reader.finish().unwrap();
    }
}
