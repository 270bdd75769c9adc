//! Generated key types encode like their layout.

use bigtable_model::key::{KeyError, SegmentError, SegmentValue};
use bigtable_model::model::ModelKey;
use bigtable_model::{KeySegment, Model, Timestamp};
use proptest::prelude::*;
use uuid::Uuid;

use crate::market::{Quote, QuoteKey, QuoteKeyRef};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, KeySegment)]
pub enum Venue {
    Nasdaq,
    #[bigtable(name = "NYSE-ARCA")]
    Arca,
}

#[derive(Debug, Clone, PartialEq, Eq, KeySegment)]
pub struct Host(pub String);

#[derive(Debug, Clone, PartialEq, Eq, KeySegment)]
pub struct Rack {
    pub number: u16,
}

/// Every kind of segment, as text if it has a text form.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ALL", family = "F", prefix = "ALL", marker = "M")]
pub struct All {
    #[bigtable(key)]
    venue: Venue,
    #[bigtable(key)]
    host: Host,
    #[bigtable(key)]
    rack: Rack,
    #[bigtable(key, escape)]
    path: String,
    #[bigtable(key)]
    signed: i32,
    #[bigtable(key, binary)]
    binary: i64,
    #[bigtable(key, binary)]
    level: f64,
    #[bigtable(key)]
    flag: bool,
    #[bigtable(key)]
    letter: char,
    #[bigtable(key)]
    digest: [u8; 4],
    #[bigtable(key)]
    id: Uuid,
    #[bigtable(key, unit = "s", truncate)]
    received: Timestamp,
    #[bigtable(time, unit = "us", reverse)]
    at: Timestamp,
    #[bigtable(key)]
    tail: Vec<u8>,
    value: Option<f64>,
}

/// A time in front that is not the event's time: the salt spreads it.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "VISIT", family = "V", salt(shards = 10, of(first_seen)))]
struct Spread {
    #[bigtable(key)]
    first_seen: Timestamp,
    pages: u32,
}

/// The same without a salt, deliberately, with a separator that sorts below capitals.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "VISIT", family = "V", separator = "@", allow(time_first))]
struct Gathered {
    #[bigtable(key, unit = "s")]
    first_seen: Timestamp,
    #[bigtable(key)]
    venue: Broad,
    pages: u32,
}

#[derive(Debug, Clone, PartialEq, KeySegment)]
enum Broad {
    Nasdaq,
}

#[test]
fn a_time_may_stand_first_where_that_is_meant() {
    let first_seen = Timestamp::from_seconds(1_426_535_612);
    let spread = SpreadKey { first_seen };
    assert_eq!(spread.encode().unwrap()[1..], *b"#1426535612000000");
    let venue = Broad::Nasdaq;
    let gathered = GatheredKey { first_seen, venue };
    assert_eq!(gathered.encode().unwrap(), b"1426535612@Nasdaq");
    assert_eq!(<Broad as KeySegment>::NAMES, Some(["Nasdaq"].as_slice()));
    assert_eq!(<String as KeySegment>::NAMES, None);
}

#[test]
fn the_generated_docs_show_what_the_layout_says() {
    assert_eq!(
        QuoteKey::LAYOUT.to_string(),
        "{exchange:<6}#{symbol:<5}#{at:013ms}"
    );
}

/// A borrowed key under the name of the owned one: both show all their values.
fn shown_as_owned(borrowed: &impl std::fmt::Debug) -> String {
    format!("{borrowed:?}").replacen("KeyRef", "Key", 1)
}

#[test]
fn a_key_is_encoded_decoded_and_shown() {
    let key = crate::market::quote().key();
    let bytes = key.encode().unwrap();
    assert_eq!(bytes, b"NASDAQ#ZXZZT#1426535612156");
    assert_eq!(QuoteKey::decode(&bytes).unwrap(), key);
    let borrowed = QuoteKeyRef::decode(&bytes).unwrap();
    assert_eq!((borrowed.exchange, borrowed.symbol), ("NASDAQ", "ZXZZT"));
    let text = "exchange=NASDAQ symbol=ZXZZT at=2015-03-16T19:53:32.156Z";
    assert_eq!(key.to_string(), text);
    assert_eq!(shown_as_owned(&borrowed), format!("{key:?}"));
    assert_eq!(Quote::SCHEMA.key.describe(&bytes).to_string(), text);
}

#[test]
fn a_refusal_names_the_segment_and_leaves_the_buffer() {
    let mut key = crate::market::quote().key();
    key.symbol = "ZXZZTX".to_owned();
    let mut out = b"before".to_vec();
    let error = key.encode_into(&mut out).unwrap_err();
    assert_eq!(out, b"before");
    match error {
        KeyError::Segment { segment, source } => {
            assert_eq!(segment, "symbol");
            assert!(matches!(
                source,
                SegmentError::TooWide {
                    bytes: 6,
                    width: 5,
                    ..
                }
            ));
        }
        other => panic!("{other:?}"),
    }
}

fn text() -> impl Strategy<Value = String> {
    "[$-~\u{a1}-\u{24f}]{0,6}"
}

fn time() -> impl Strategy<Value = Timestamp> {
    (0..9_999_999_999_i64 * 1_000_000).prop_map(Timestamp::from_micros)
}

prop_compose! {
    fn all()(
        (venue, host, rack, path) in (
            prop_oneof![Just(Venue::Nasdaq), Just(Venue::Arca)],
            text().prop_map(Host),
            any::<u16>().prop_map(|number| Rack { number }),
            "\\PC{0,6}|[\0-$]{0,4}",
        ),
        (signed, binary, level, flag, letter) in (
            any::<i32>(), any::<i64>(), any::<f64>(), any::<bool>(), proptest::char::range('$', '\u{1f600}'),
        ),
        (digest, id, received, at, tail) in (
            any::<[u8; 4]>(), any::<u128>().prop_map(Uuid::from_u128), time(), time(), any::<Vec<u8>>(),
        ),
    ) -> AllKey {
        let received = Timestamp::from_seconds(received.as_seconds());
        AllKey { venue, host, rack, path, signed, binary, level, flag, letter, digest, id, received, at, tail }
    }
}

fn values(key: &AllKey) -> Vec<SegmentValue> {
    vec![
        SegmentValue::String(match key.venue {
            Venue::Nasdaq => "Nasdaq".to_owned(),
            Venue::Arca => "NYSE-ARCA".to_owned(),
        }),
        SegmentValue::String(key.host.0.clone()),
        SegmentValue::Unsigned(key.rack.number.into()),
        SegmentValue::String(key.path.clone()),
        SegmentValue::Signed(key.signed.into()),
        SegmentValue::Signed(key.binary.into()),
        SegmentValue::Float(key.level),
        SegmentValue::Bool(key.flag),
        SegmentValue::Char(key.letter),
        SegmentValue::Bytes(key.digest.to_vec()),
        SegmentValue::Uuid(key.id.into_bytes()),
        SegmentValue::Time(key.received),
        SegmentValue::Time(key.at),
        SegmentValue::Bytes(key.tail.clone()),
    ]
}

proptest! {
    #[test]
    fn the_generated_path_writes_what_the_layout_writes(key in all()) {
        let typed = key.encode().unwrap();
        let mut described = Vec::new();
        AllKey::LAYOUT.encode(&values(&key), &mut described).unwrap();
        prop_assert_eq!(&typed, &described);
        prop_assert_eq!(&AllKey::decode(&typed).unwrap(), &key);
        let borrowed = AllKeyRef::decode(&typed).unwrap();
        prop_assert_eq!(shown_as_owned(&borrowed), format!("{key:?}"));
        prop_assert_eq!(AllKey::LAYOUT.time_of(&typed).unwrap(), Some(key.at));
    }

    #[test]
    fn the_order_of_keys_is_that_of_their_bytes(a in all(), b in all()) {
        let (x, y) = (a.encode().unwrap(), b.encode().unwrap());
        prop_assert_eq!(a.cmp(&b), x.cmp(&y));
        let (p, q) = (AllKey::decode(&x).unwrap(), AllKey::decode(&y).unwrap());
        prop_assert_eq!(p.cmp(&q), x.cmp(&y));
    }

    #[test]
    fn no_bytes_make_a_key_panic(bytes in any::<Vec<u8>>(), key in all(), cut in 0..80_usize) {
        let _ = AllKey::decode(&bytes);
        let mut encoded = key.encode().unwrap();
        let at = cut.min(encoded.len() - 1);
        encoded[at] ^= 0x55;
        if let Ok(decoded) = AllKey::decode(&encoded) {
            prop_assert_eq!(decoded.encode().unwrap(), encoded);
        }
    }
}

/// The key of the Portuguese edition of *time series*.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "SENSOR",
    family = "METER",
    separator = "|",
    enclosed,
    allow(time_first)
)]
struct Enclosed {
    #[bigtable(time, format = "%Y%m%d")]
    at: Timestamp,
    #[bigtable(key, width = 10)]
    meter: u32,
    reading: f64,
}

#[test]
fn a_separator_may_stand_around_the_key() {
    let at: Timestamp = "2017-07-26T00:00:00Z".parse().unwrap();
    let enclosed = Enclosed {
        at,
        meter: 987_654,
        reading: 1.0,
    };
    let key = enclosed.key().encode().unwrap();
    assert_eq!(key, b"|20170726|0000987654|");
    assert_eq!(EnclosedKey::decode(&key).unwrap(), enclosed.key());
    assert_eq!(EnclosedKeyRef::decode(&key).unwrap().meter, 987_654);
    for other in [
        "20170726|0000987654|",
        "|20170726|0000987654",
        "|20170726|0000987654|1",
    ] {
        assert!(EnclosedKey::decode(other.as_bytes()).is_err(), "{other}");
    }
    let plan = Enclosed::query().at(at..).events().plan().unwrap();
    let range = plan.scans[0].parts[0].ranges[0].to_string();
    assert_eq!(range, r#"["|20170726", "}")"#);
    let one = Enclosed::query()
        .at([at])
        .meter(987_654_u32)
        .events()
        .plan()
        .unwrap();
    assert_eq!(one.scans[0].parts[0].keys, ["|20170726|0000987654|"]);
}

/// A row of a day, whose key has no time of an event: the text has it.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "DAY",
    family = "D",
    layout = "cells",
    salt(shards = 4, of(host))
)]
struct Daily {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "day", zone = "Europe/Berlin", unit = "s", truncate)]
    at: Timestamp,
    value: f64,
}

fn hash(key: &impl std::hash::Hash) -> u64 {
    use std::hash::BuildHasher as _;
    static STATE: std::sync::OnceLock<std::hash::RandomState> = std::sync::OnceLock::new();
    STATE.get_or_init(Default::default).hash_one(key)
}

/// The text, JSON and the hash of a key, in code that is generic over models.
fn comes_back<K: ModelKey + Clone + Eq + std::fmt::Debug>(key: &K) {
    let text = key.to_text().unwrap();
    let in_path = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:%".contains(&byte);
    assert!(text.bytes().all(in_path), "{text}");
    let read = K::from_text(&text).unwrap();
    assert_eq!(&read, key, "{text}");
    assert_eq!(read.time(), key.time().filter(|_| read.time().is_some()));
    let json = serde_json::to_string(key).unwrap();
    assert_eq!(json, format!("{text:?}"));
    assert_eq!(&serde_json::from_str::<K>(&json).unwrap(), key);
    assert_eq!(hash(&read), hash(key));
}

#[test]
fn a_key_has_a_text_for_urls() {
    let key = crate::market::quote().key();
    assert_eq!(
        key.to_text().unwrap(),
        "NASDAQ~ZXZZT~2015-03-16T19:53:32.156Z"
    );
    let at: Timestamp = "2024-03-31T01:30:07.9Z".parse().unwrap();
    let host = "web/1~%é".to_owned();
    let daily = DailyKey { host, at };
    // The time of the event, as it is stored, and no shard.
    assert_eq!(
        daily.to_text().unwrap(),
        "web%2F1%7E%25%C3%A9~2024-03-31T01:30:07Z"
    );
    let read: DailyKey = daily.to_text().unwrap().parse().unwrap();
    assert_eq!(read.at, "2024-03-31T01:30:07Z".parse().unwrap());
    assert_eq!(read.encode().unwrap(), daily.encode().unwrap());
    let known = std::collections::HashSet::from([read.clone()]);
    assert!(known.contains(&read));

    for (text, reason) in [
        ("NASDAQ~ZXZZT", "2 values"),
        ("NASDAQ~ZXZZT~2015-03-16T19:53:32.156Z~", "4 values"),
        (
            "NASDAQ~ZXZZT~noon",
            "segment `at` of the row key is refused",
        ),
        ("NASDAQ~ZX%FF~2015-03-16T19:53:32.156Z", "segment `symbol`"),
        ("NASDAQ~ZXZZTX~2015-03-16T19:53:32.156Z", "segment `symbol`"),
        ("NASDAQ~ZXZZT~2015-03-16T19:53:32.1567Z", "segment `at`"),
    ] {
        let error = text.parse::<QuoteKey>().unwrap_err();
        assert!(error.to_string().contains(reason), "{text}: {error}");
    }
    // A key that no row can have has no text either.
    let symbol = "ZXZZTX".to_owned();
    assert!(QuoteKey { symbol, ..key }.to_text().is_err());
    let error = serde_json::from_str::<QuoteKey>("\"NASDAQ~ZXZZT~noon\"").unwrap_err();
    assert!(
        error.to_string().contains("\"noon\" is not a time"),
        "{error}"
    );
}

proptest! {
    #[test]
    fn the_text_of_a_key_comes_back(key in all()) {
        comes_back(&key);
    }

    #[test]
    fn so_does_that_of_an_event_in_a_bucket(host in text(), at in time()) {
        let at = Timestamp::from_seconds(at.as_seconds());
        comes_back(&DailyKey { host, at });
    }
}
