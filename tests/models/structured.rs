//! Keys in Bigtable's structured encodings, on every backend.

use bigtable_model::data::{RowKeySchema, RowKeyValue};
use bigtable_model::key::{KeyError, SegmentError, SegmentValue};
use bigtable_model::model::ModelKey;
use bigtable_model::query::starts_with;
use bigtable_model::{Backend, BackendExt, KeySegment, Model, Timestamp};
use proptest::prelude::*;
use uuid::Uuid;

use crate::keys::{Host, Venue};
use crate::support::{at, backends};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TRADE", family = "MD", encoding = "structured")]
struct Trade {
    #[bigtable(key)]
    exchange: String,
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    size: u32,
}

/// All types with a form in ordered code, and as text otherwise.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "ALL",
    family = "F",
    prefix = "ALL",
    marker = "M",
    encoding = "structured",
    salt(shards = 20, of(number))
)]
struct All {
    #[bigtable(key)]
    venue: Venue,
    #[bigtable(key)]
    host: Host,
    #[bigtable(key, width = 4, pad = '_')]
    site: String,
    #[bigtable(key, escape)]
    path: String,
    #[bigtable(key)]
    number: i64,
    #[bigtable(key)]
    port: u16,
    #[bigtable(key, width = 20)]
    wide: u64,
    #[bigtable(key)]
    flag: bool,
    #[bigtable(key)]
    letter: char,
    #[bigtable(key, binary)]
    digest: [u8; 3],
    #[bigtable(key, binary)]
    id: Uuid,
    #[bigtable(key)]
    day: jiff::civil::Date,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    #[bigtable(key, unit = "us", width = 19, reverse)]
    received: Timestamp,
    #[bigtable(key)]
    tail: String,
    value: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "METER",
    family = "F",
    layout = "cells",
    encoding = "structured",
    separator = "!",
    prefix = "M"
)]
struct Meter {
    #[bigtable(key)]
    site: String,
    #[bigtable(key, width = 6)]
    meter: u32,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    reading: f64,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn trade(exchange: &str, symbol: &str, at: Timestamp) -> Trade {
    Trade {
        exchange: exchange.to_owned(),
        symbol: symbol.to_owned(),
        at,
        size: 100,
    }
}

#[test]
fn derived_keys_have_the_published_bytes() {
    let one = trade("NASDAQ", "ZXZZT", Timestamp::from_millis(1_426_535_612_156));
    let key = one.key().encode().unwrap();
    let expected = "4e4153444151 0001 5a585a5a54 0001 ff05116d346c0860";
    assert_eq!(hex(&key), expected.replace(' ', ""));
    let read = TradeKeyRef::decode(&key).unwrap();
    assert_eq!(
        (read.exchange, read.symbol, read.at),
        ("NASDAQ", "ZXZZT", one.at)
    );
    assert_eq!(TradeKey::decode(&key).unwrap(), one.key());
    assert_eq!(
        TradeKey::LAYOUT.to_string(),
        r"{exchange:code}\x00\x01{symbol:code}\x00\x01{at:code ms}"
    );
    let empty = trade("", "", one.at).key().encode().unwrap();
    let expected = "0000 0001 0000 0001 ff05116d346c0860";
    assert_eq!(hex(&empty), expected.replace(' ', ""));
    let zero = trade("a\0", "b", one.at).key().encode();
    assert!(
        matches!(&zero, Err(KeyError::Segment { segment, source: SegmentError::SeparatorByte { byte: 0, .. } }) if segment == "exchange"),
        "{zero:?}"
    );
    let meter = Meter {
        site: "north".to_owned(),
        meter: 17,
        at: at("2017-07-26T10:00:00Z"),
        reading: 1.5,
    };
    assert_eq!(meter.key().encode().unwrap(), b"M!north!000017!20170726");
}

#[test]
fn models_say_their_schemas() {
    let shown = |schema: Result<RowKeySchema, _>| schema.unwrap().to_string();
    assert_eq!(
        shown(Trade::row_key_schema()),
        "exchange STRING, symbol STRING, at TIMESTAMP in ordered code, joined in ordered code"
    );
    assert_eq!(
        shown(All::row_key_schema()),
        "prefix STRING, salt STRING, venue STRING, host STRING, site STRING, path STRING, \
         number INT64 in ordered code, port INT64 in ordered code, wide STRING, flag STRING, \
         letter STRING, digest BYTES, id BYTES, day STRING, at TIMESTAMP in ordered code, \
         received STRING, tail STRING, joined in ordered code"
    );
    assert_eq!(
        shown(Meter::row_key_schema()),
        r#"prefix STRING, site STRING, meter STRING, at STRING, joined by "!""#
    );
    let explained = Trade::query()
        .exchange("NASDAQ")
        .events()
        .explain()
        .to_string();
    assert!(
        explained.contains("exchange STRING, symbol STRING"),
        "{explained}"
    );
}

fn micros() -> impl Strategy<Value = i64> {
    prop_oneof![
        any::<i64>(),
        -9_000_000_000..9_000_000_000_i64,
        Just(0),
        Just(i64::MIN)
    ]
}

prop_compose! {
    fn alls()(
        (venue, host, site, path) in (
            prop_oneof![Just(Venue::Nasdaq), Just(Venue::Arca)],
            "[\\x01-\\x7f]{0,3}",
            "[a-c]{0,3}",
            "[\\x00ab]{0,3}",
        ),
        (number, port, wide, flag) in (prop_oneof![any::<i64>(), -300..300_i64], any::<u16>(), any::<u64>(), any::<bool>()),
        (letter, digest, id) in (prop::char::range('\u{1}', '\u{7ff}'), any::<[u8; 3]>(), any::<[u8; 16]>()),
        (days, seconds, received, tail) in (0..20_000_i32, micros(), 0..i64::MAX, "[\\x01-\\x02a]{1,2}"),
    ) -> All {
        let date = jiff::civil::date(1970, 1, 1);
        let day = date.checked_add(jiff::Span::new().days(days)).unwrap();
        All {
            venue, host: Host(host), site, path, number, port, wide, flag, letter, digest,
            id: Uuid::from_bytes(id), day,
            at: Timestamp::from_micros(seconds / 1_000_000 * 1_000_000),
            received: Timestamp::from_micros(received),
            tail, value: None,
        }
    }
}

/// The required order of keys: by their values, from first to last.
fn natural(all: &All) -> impl Ord + use<> {
    (
        (
            all.venue.store().to_owned(),
            all.host.0.clone(),
            all.site.clone(),
            all.path.clone(),
        ),
        (all.number, all.port, all.wide, all.flag, all.letter),
        (all.digest, *all.id.as_bytes(), all.day, all.at),
        (std::cmp::Reverse(all.received), all.tail.clone()),
    )
}

proptest! {
    #[test]
    fn derived_keys_come_back_and_sort(one in alls(), mut other in alls(), common in 0..6_usize) {
        if common > 0 {
            // Keys with the same first segments, so later ones decide.
            other = All { venue: one.venue, host: one.host.clone(), site: one.site.clone(), number: one.number, ..other };
        }
        if common > 2 {
            other = All { path: one.path.clone(), port: one.port, wide: one.wide, flag: one.flag, letter: one.letter, ..other };
        }
        if common > 4 {
            other = All { digest: one.digest, id: one.id, day: one.day, ..other };
        }
        let (key, bytes) = (one.key(), one.key().encode().unwrap());
        prop_assert_eq!(&AllKey::decode(&bytes).unwrap(), &key);
        let values = AllKey::LAYOUT.decode(&bytes).unwrap();
        let mut again = Vec::new();
        AllKey::LAYOUT.encode(&values, &mut again).unwrap();
        prop_assert_eq!(&again, &bytes);
        let read = AllKeyRef::decode(&bytes).unwrap();
        prop_assert_eq!(read.path.to_string(), one.path.clone());
        let others = other.key().encode().unwrap();
        prop_assert_eq!(bytes.cmp(&others), key.cmp(&other.key()));
        let [a, b] = [&bytes, &others].map(|key| AllKey::decode(key).unwrap());
        prop_assert_eq!(bytes.cmp(&others), a.cmp(&b));
        if one.number == other.number {
            // In the same shard.
            prop_assert_eq!(bytes.cmp(&others), natural(&one).cmp(&natural(&other)));
        }
        let fields = All::row_key_schema().unwrap().decode(&bytes).unwrap();
        prop_assert_eq!(&fields[5], &RowKeyValue::String(one.path.clone()));
        prop_assert_eq!(&fields[6], &RowKeyValue::Int64(one.number));
        prop_assert_eq!(&fields[14], &RowKeyValue::Timestamp(one.at));
        prop_assert!(matches!(&values[4], SegmentValue::Signed(number) if *number == i128::from(one.number)));
    }
}

/// Times with zero bytes in ordered code, and times before 1970.
fn trades() -> Vec<Trade> {
    let names = ["", "A", "AA", "B", "\u{1}", "é"];
    let times = [-64_000, -1_000, 0, 8_192_000, 1_426_535_612_156_000];
    let mut trades = Vec::new();
    for exchange in names {
        for symbol in names {
            let times = times.iter().map(|micros| Timestamp::from_micros(*micros));
            trades.extend(times.map(|at| trade(exchange, symbol, at)));
        }
    }
    trades
}

async fn asked(db: &dyn Backend) {
    db.ensure_tables::<Trade>().await.unwrap();
    let trades = trades();
    // Not in key order.
    let shuffled: Vec<_> = trades.iter().rev().cloned().collect();
    db.insert_many(&shuffled).await.into_result().unwrap();
    let those = |keep: &dyn Fn(&Trade) -> bool| -> Vec<Trade> {
        let mut those: Vec<_> = trades.iter().filter(|one| keep(one)).cloned().collect();
        those.sort_by(|a, b| (&a.exchange, &a.symbol, a.at).cmp(&(&b.exchange, &b.symbol, b.at)));
        those
    };
    let all = db.fetch(&Trade::scan()).await.unwrap();
    assert_eq!(all, those(&|_| true));
    for exchange in ["", "A", "B"] {
        let found = db.fetch(&Trade::query().exchange(exchange)).await.unwrap();
        assert_eq!(
            found,
            those(&|one| one.exchange == exchange),
            "{exchange:?}"
        );
    }
    let found = db
        .fetch(&Trade::query().exchange(starts_with("A")))
        .await
        .unwrap();
    assert_eq!(found, those(&|one| one.exchange.starts_with('A')));
    let found = db
        .fetch(&Trade::query().exchange("A").symbol("A".to_owned()..))
        .await
        .unwrap();
    assert_eq!(
        found,
        those(&|one| one.exchange == "A" && one.symbol.as_str() >= "A")
    );
    let (from, to) = (
        Timestamp::from_micros(-1_000),
        Timestamp::from_micros(8_192_000),
    );
    let series = || Trade::query().exchange("").symbol("A");
    let found = db.fetch(&series().at(from..to)).await.unwrap();
    assert_eq!(
        found,
        those(&|one| one.exchange.is_empty() && one.symbol == "A" && (from..to).contains(&one.at))
    );
    let latest = db
        .fetch(&series().events().newest_first().limit(2))
        .await
        .unwrap();
    let mut expected = those(&|one| one.exchange.is_empty() && one.symbol == "A");
    expected.reverse();
    assert_eq!(latest, expected[..2]);
    let named = Trade::scan().symbol("B");
    assert_eq!(
        db.fetch(&named).await.unwrap(),
        those(&|one| one.symbol == "B")
    );
    let count = db.count(&Trade::query().exchange("é")).await.unwrap();
    assert_eq!(count, 30);
    let mut token = None;
    let mut paged = Vec::new();
    loop {
        let page = db
            .page(&Trade::query().exchange("AA"), 7, token.as_ref())
            .await
            .unwrap();
        paged.extend(page.events);
        token = page.next;
        if token.is_none() {
            break;
        }
    }
    assert_eq!(paged, those(&|one| one.exchange == "AA"));
    let series = db.series(&Trade::scan()).await.unwrap();
    assert_eq!(series.len(), 36);
    series_of(db, &trades).await;
    db.delete_all(&Trade::query().exchange("A").symbol(""))
        .await
        .into_result()
        .unwrap();
    let left = db.fetch(&Trade::query().exchange("A")).await.unwrap();
    assert_eq!(
        left,
        those(&|one| one.exchange == "A" && !one.symbol.is_empty())
    );
}

/// The newest of each series.
async fn series_of(db: &dyn Backend, trades: &[Trade]) {
    let each = db
        .latest_each(&Trade::query().exchange("B"), 1)
        .await
        .unwrap();
    let newest = trades
        .iter()
        .filter(|one| one.exchange == "B" && one.at > Timestamp::from_seconds(9));
    assert_eq!(each.len(), newest.count());
}

#[tokio::test]
async fn queries_read_keys_in_ordered_code() {
    for db in backends("structured", "trades") {
        asked(&*db).await;
    }
}
