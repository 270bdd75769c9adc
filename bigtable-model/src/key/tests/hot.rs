//! Salts that spread the rows of hot series only.

use proptest::prelude::*;
use xxhash_rust::xxh64::xxh64;

use crate::Timestamp;
use crate::key::*;

fn identifier(name: &'static str, format: SegmentFormat) -> Segment {
    Segment {
        name: name.into(),
        role: SegmentRole::Identifier,
        kind: SegmentKind::String,
        format,
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

fn hot(segment: usize, series: &[usize], values: &[(&'static str, u16)]) -> HotSeries {
    let values = values
        .iter()
        .map(|(value, shards)| ((*value).into(), *shards));
    HotSeries {
        segment,
        series: series.to_vec().into(),
        values: values.collect(),
    }
}

fn salt(shards: u16, of: &[usize], hot: HotSeries) -> Salt {
    Salt {
        shards,
        first: 0,
        of: of.to_vec().into(),
        hash: SaltHash::Xxh64,
        hot: Some(hot),
    }
}

/// A key of a salt at a place, a padded venue, a symbol and the time.
fn layout(place: usize, salt: Salt) -> KeyLayout {
    let mut segments = vec![
        identifier(
            "venue",
            SegmentFormat::Padded {
                width: 4,
                pad: b' ',
            },
        ),
        identifier("symbol", SegmentFormat::Variable),
        time(),
    ];
    let salt = Segment {
        name: "salt".into(),
        role: SegmentRole::Salt,
        kind: SegmentKind::Unsigned { bits: 16 },
        format: SegmentFormat::Salt(salt),
    };
    segments.insert(place, salt);
    KeyLayout {
        prefix: "Q".into(),
        separator: "#".into(),
        enclosed: false,
        segments: segments.into(),
    }
}

/// Symbols are hot: two in 16 and 4 of 64 shards.
fn by_symbol() -> KeyLayout {
    let hot = hot(2, &[1, 2], &[("AAPL", 16), ("TSLA", 4)]);
    layout(0, salt(64, &[1, 2, 3], hot))
}

fn values(venue: &str, symbol: &str, millis: i64) -> [SegmentValue; 3] {
    [
        SegmentValue::String(venue.to_owned()),
        SegmentValue::String(symbol.to_owned()),
        SegmentValue::Time(Timestamp::from_millis(millis)),
    ]
}

fn encoded(layout: &KeyLayout, values: &[SegmentValue]) -> String {
    let mut key = Vec::new();
    layout.encode(values, &mut key).unwrap();
    assert_eq!(layout.decode(&key).unwrap(), values);
    String::from_utf8(key).unwrap()
}

/// The shards of the layout, computed from nothing but its description.
fn expected(symbol: &str, millis: i64) -> u64 {
    let count = match symbol {
        "AAPL" => 16,
        "TSLA" => 4,
        _ => 1,
    };
    let of_series = xxh64(format!("NYSE#{symbol}").as_bytes(), 0);
    let of_event = xxh64(format!("NYSE#{symbol}#{millis:013}").as_bytes(), 0);
    (of_series % 64 + of_event % count) % 64
}

#[test]
fn golden_keys() {
    let layout = by_symbol();
    assert_eq!(layout.check(), Ok(()));
    for symbol in ["AAPL", "TSLA", "IBM", "AAP", "AAPLX", ""] {
        for millis in [0, 1, 1_426_535_612_156, 1_426_535_612_157] {
            let key = encoded(&layout, &values("NYSE", symbol, millis));
            let shard = expected(symbol, millis);
            assert_eq!(key, format!("Q#{shard:02}#NYSE#{symbol}#{millis:013}"));
        }
    }
    let key = encoded(&layout, &values("NYSE", "IBM", 1));
    assert_eq!(key, GOLDEN_COLD);
    assert_eq!(encoded(&layout, &values("NYSE", "AAPL", 1)), GOLDEN_HOT);
}

// Made by another implementation, in Python: the hash of `NYSE#IBM` is 22f280e305c4245f, that of
// `NYSE#AAPL` is 44406b4c2dcc7c93, and that of `NYSE#AAPL#0000000000001` is 3c4bebc57f5d6e8e.
const GOLDEN_COLD: &str = "Q#31#NYSE#IBM#0000000000001";
const GOLDEN_HOT: &str = "Q#33#NYSE#AAPL#0000000000001";

#[test]
fn a_cold_series_is_in_one_shard_and_a_hot_one_in_its_own() {
    let layout = by_symbol();
    let shards = |symbol: &str| {
        let keys = (0..2_000).map(|millis| encoded(&layout, &values("NYSE", symbol, millis)));
        let shards = keys.map(|key| key[2..4].parse::<u16>().unwrap());
        shards.collect::<std::collections::BTreeSet<u16>>()
    };
    let (_, salt) = layout.salt().unwrap();
    for (symbol, count) in [("AAPL", 16), ("TSLA", 4), ("IBM", 1), ("MSFT", 1)] {
        let found = shards(symbol);
        let parts: [&[u8]; 4] = [b"", b"NYSE", symbol.as_bytes(), b""];
        let known = salt.shards_with("#", |at| {
            parts.get(at).copied().filter(|one| !one.is_empty())
        });
        assert_eq!(found.len(), count, "{symbol}");
        assert_eq!(found, known.into_iter().collect(), "{symbol}");
    }
    assert_eq!(salt.shards_with("#", |_| None), Vec::from_iter(0..64));
    // A part of the series' name says nothing about its shards.
    let symbol = |at| (at == 2).then_some(b"AAPL".as_slice());
    assert_eq!(salt.shards_with("#", symbol).len(), 64);
    // Cold series are in all shards.
    let cold = (0..2_000).map(|nth| encoded(&layout, &values("NYSE", &format!("C{nth}"), 1)));
    let cold: std::collections::BTreeSet<_> = cold.map(|key| key[2..4].to_owned()).collect();
    assert_eq!(cold.len(), 64);
}

/// The shards after the last are the first ones.
#[test]
fn shards_of_a_series_go_around() {
    for shards in [2, 3, 5] {
        let hot = hot(2, &[2], &[("AAPL", shards)]);
        let mut salt = salt(shards, &[2, 3], hot);
        salt.first = 1;
        let symbol = |at| (at == 2).then_some(b"AAPL".as_slice());
        let mut found = salt.shards_with("#", symbol);
        found.sort_unstable();
        assert_eq!(found, Vec::from_iter(1..=shards));
    }
}

#[test]
fn a_key_in_another_shard_of_its_series_is_refused() {
    let layout = by_symbol();
    let right = encoded(&layout, &values("NYSE", "AAPL", 7));
    for shard in 0..64 {
        let key = format!("Q#{shard:02}#NYSE#AAPL#0000000000007");
        let decoded = layout.decode(key.as_bytes());
        assert_eq!(decoded.is_ok(), key == right, "{key}: {decoded:?}");
    }
}

#[test]
fn hot_series_that_cannot_be_are_refused() {
    let refusal = |of: &[usize], hot| layout(0, salt(8, of, hot)).refusal();
    let reason = |of: &[usize], hot| refusal(of, hot).unwrap_or_default();
    let symbol = |values: &[(&'static str, u16)]| hot(2, &[2], values);
    assert_eq!(refusal(&[2, 3], symbol(&[("A", 2), ("B", 8)])), None);
    assert!(reason(&[2, 3], symbol(&[])).contains("one value or more"));
    for shards in [0, 1, 9] {
        let reason = reason(&[2, 3], symbol(&[("A", shards)]));
        assert!(reason.contains("2 shards or more"), "{shards}: {reason}");
    }
    let twice = symbol(&[("A", 2), ("A", 3)]);
    assert!(reason(&[2, 3], twice).contains("each once"));
    let disordered = symbol(&[("B", 2), ("A", 3)]);
    assert!(reason(&[2, 3], disordered).contains("each once"));
    // The salt hashes nothing but identifiers.
    let alone = hot(2, &[1, 2], &[("A", 2)]);
    assert!(reason(&[1, 2], alone).contains("in one shard already"));
    // The time is no part of the series, and every identifier is.
    let of_time = hot(3, &[3], &[("A", 2)]);
    assert!(reason(&[2, 3], of_time).contains("all identifiers"));
    let of_some = hot(2, &[2], &[("A", 2)]);
    assert!(reason(&[1, 2, 3], of_some).contains("all identifiers"));
    let with_time = hot(2, &[2, 3], &[("A", 2)]);
    assert!(reason(&[1, 2, 3], with_time).contains("all identifiers"));
    let unhashed = hot(1, &[2], &[("A", 2)]);
    assert!(reason(&[2, 3], unhashed).contains("that it hashes"));
    // No key holds these.
    for value in ["A", "LONGER", "AB", "\u{1}ABC"] {
        let venue = hot(1, &[1], &[(value, 2)]);
        assert!(reason(&[1, 3], venue).contains("no key holds"), "{value:?}");
    }
    assert_eq!(refusal(&[1, 3], hot(1, &[1], &[("AB  ", 2)])), None);
    assert!(reason(&[2, 3], symbol(&[("A#B", 2)])).contains("no key holds"));
}

#[test]
fn hot_values_are_those_of_a_text() {
    let mut layout = layout(0, salt(8, &[2, 3], hot(2, &[2], &[("12", 2)])));
    let symbol = &mut layout.segments.to_mut()[2];
    symbol.kind = SegmentKind::Unsigned { bits: 16 };
    symbol.format = SegmentFormat::Digits { width: 2 };
    assert!(layout.refusal().unwrap().contains("are texts"));
}

/// Values with escapes are refused: what is left is written as it is.
#[test]
fn a_hot_value_is_what_its_segment_writes() {
    let formats = [
        ("#", SegmentFormat::Variable),
        ("#", SegmentFormat::Escaped),
        (
            KeyLayout::ORDERED_CODE,
            SegmentFormat::CodedText {
                escape: true,
                last: false,
            },
        ),
        (
            KeyLayout::ORDERED_CODE,
            SegmentFormat::CodedText {
                escape: false,
                last: false,
            },
        ),
        (
            "#",
            SegmentFormat::Padded {
                width: 2,
                pad: b'a',
            },
        ),
    ];
    for (separator, format) in formats {
        let mut accepted = 0;
        for text in ["", "a", "ab", "ba", "aa", "\0", "#", "$", "%", "é", "a#"] {
            let leaked: &'static str = text.to_owned().leak();
            let segments = vec![
                Segment {
                    name: "salt".into(),
                    role: SegmentRole::Salt,
                    kind: SegmentKind::Unsigned { bits: 16 },
                    format: SegmentFormat::Salt(salt(8, &[1, 2], hot(1, &[1], &[(leaked, 2)]))),
                },
                identifier("symbol", format.clone()),
                time(),
            ];
            let layout = KeyLayout {
                prefix: "".into(),
                separator: separator.into(),
                enclosed: false,
                segments: segments.into(),
            };
            if layout.refusal().is_some() {
                continue;
            }
            accepted += 1;
            let symbol = &layout.segments[1];
            let value = symbol
                .decode(text.as_bytes(), layout.separator_byte())
                .unwrap();
            let mut written = Vec::new();
            symbol
                .encode(&value, layout.separator_byte(), &mut written)
                .unwrap();
            assert_eq!(written, text.as_bytes(), "{format:?}");
        }
        assert!(accepted >= 3, "{format:?}: {accepted}");
    }
}

/// Layouts with such a salt are stored; others are stored as before.
#[cfg(feature = "json")]
#[test]
fn hot_series_are_serialised_where_there_are_some() {
    let hot = salt(8, &[2, 3], hot(2, &[2], &[("AAPL", 2)]));
    let json = serde_json::to_string(&hot).unwrap();
    assert_eq!(
        json,
        r#"{"shards":8,"of":[2,3],"hash":"Xxh64","hot":{"segment":2,"series":[2],"values":[["AAPL",2]]}}"#
    );
    assert_eq!(serde_json::from_str::<Salt>(&json).unwrap(), hot);
    let even = Salt { hot: None, ..hot };
    let json = serde_json::to_string(&even).unwrap();
    assert_eq!(json, r#"{"shards":8,"of":[2,3],"hash":"Xxh64"}"#);
    assert_eq!(serde_json::from_str::<Salt>(&json).unwrap(), even);
}

/// Some of the segments, by bits.
fn chosen(bits: usize, of: &[usize]) -> Vec<usize> {
    let of = of.iter().enumerate();
    of.filter(|(nth, _)| bits >> nth & 1 == 1)
        .map(|(_, place)| *place)
        .collect()
}

proptest! {
    /// Keys written by segments are those written at once, whatever is between the hashed
    /// segments, and a key is in one of the shards of its series.
    #[test]
    fn a_key_is_in_a_shard_of_its_series(
        venue in "[A-C]{1,2}",
        symbol in "[A-C]{1,2}",
        long in 0_usize..80,
        millis in 0_i64..1_000,
        place in 0_usize..4,
        of in 1_usize..4,
        counts in (2_u16..9, 2_u16..9),
    ) {
        let symbol = symbol.repeat(1 + long);
        let physical = |at: usize| at + usize::from(place <= at);
        let series: Vec<usize> = chosen(of, &[0, 1]).into_iter().map(physical).collect();
        let of: Vec<usize> = series.iter().copied().chain([physical(2)]).collect();
        let (segment, values_of): (usize, &[&'static str]) = match series.contains(&physical(1)) {
            true => (physical(1), &["A", "BC"]),
            false => (physical(0), &["A   ", "BC  "]),
        };
        let values_of = [(values_of[0], counts.0), (values_of[1], counts.1)];
        let layout = layout(place, salt(8, &of, hot(segment, &series, &values_of)));
        prop_assert_eq!(layout.check(), Ok(()));
        let mut described = Vec::new();
        let event = values(&venue, &symbol, millis);
        layout.encode(&event, &mut described).unwrap();
        prop_assert_eq!(&layout.decode(&described).unwrap()[..], &event[..]);
        let mut written = b"before".to_vec();
        let mut writer = SaltedKeyWriter::new("Q", "#", &layout.segments, &mut written).unwrap();
        writer.segment(physical(0), venue.as_str()).unwrap();
        writer.segment(physical(1), symbol.as_str()).unwrap();
        writer.segment(physical(2), Timestamp::from_millis(millis)).unwrap();
        writer.finish().unwrap();
        prop_assert_eq!(&written[6..], &described[..]);
        let (_, salt) = layout.salt().unwrap();
        let parts = [format!("{venue:<4}"), symbol.clone()];
        let known = |at: usize| {
            let nth = (0..2).find(|nth| physical(*nth) == at)?;
            series.contains(&at).then(|| parts[nth].as_bytes())
        };
        let shards = salt.shards_with("#", known);
        let mut reader = layout.reader(&described).unwrap();
        let mut digit = 0;
        for (at, segment) in layout.segments.iter().enumerate() {
            let bytes = reader.segment(segment, layout.is_last(at)).unwrap();
            if at == place {
                digit = salt.decode(bytes).unwrap();
            }
        }
        prop_assert!(shards.contains(&digit), "{digit} of {shards:?}");
        prop_assert!(shards.len() <= usize::from(counts.0.max(counts.1)));
    }
}
