//! Columns: missing ones, defaults, codecs, run-time qualifiers, markers, cell times.

use std::collections::BTreeMap;
use std::error::Error as _;

use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::model::insert_mutations;
use bigtable_model::value::{CellCodec, ValueError};
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, Timestamp};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::support::{at, cells, deleted};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Place {
    latitude: f64,
    longitude: f64,
}

/// Prices in cents, written as 4 bytes.
pub struct Cents;

impl CellCodec<f64> for Cents {
    const NAME: &'static str = "cents";

    fn encode(value: &f64, out: &mut Vec<u8>) -> Result<(), ValueError> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        out.extend_from_slice(&((value * 100.0).round() as u32).to_be_bytes());
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<f64, ValueError> {
        let bytes =
            <[u8; 4]>::try_from(bytes).map_err(|_| ValueError::malformed("4 bytes", bytes))?;
        Ok(f64::from(u32::from_be_bytes(bytes)) / 100.0)
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING", family = "R")]
pub struct Reading {
    #[bigtable(key)]
    meter: u32,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    value: f64,
    #[bigtable(column = "n")]
    count: Option<i64>,
    #[bigtable(default)]
    quality: u8,
    #[bigtable(default = unknown, family = "META")]
    source: String,
    #[bigtable(json, family = "META")]
    place: Option<Place>,
    #[bigtable(with = Cents)]
    price: Option<f64>,
    #[bigtable(skip)]
    scratch: Vec<String>,
    raw: Option<Bytes>,
    r#type: Option<String>,
}

fn reading() -> Reading {
    Reading {
        meter: 7,
        at: at("2017-07-26T00:15:00Z"),
        value: 12.5,
        count: Some(-1),
        quality: 3,
        source: "probe".to_owned(),
        place: Some(Place {
            latitude: 1.5,
            longitude: 2.5,
        }),
        price: Some(1.25),
        scratch: Vec::new(),
        raw: Some(Bytes::from_static(b"\0\xff")),
        r#type: Some("day".to_owned()),
    }
}

#[test]
fn each_codec_writes_its_bytes() {
    let row = insert_mutations(&reading(), Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(&row.key[..], b"0000000007#1501028100000");
    let values: Vec<_> = cells(&row)
        .into_iter()
        .map(|cell| (cell.0, cell.1))
        .collect();
    let expected = [
        ("R:value", r"@)\x00\x00\x00\x00\x00\x00"),
        ("R:n", r"\xff\xff\xff\xff\xff\xff\xff\xff"),
        ("R:quality", r"\x00\x00\x00\x00\x00\x00\x00\x03"),
        ("META:source", "probe"),
        ("META:place", r#"{\"latitude\":1.5,\"longitude\":2.5}"#),
        ("R:price", r"\x00\x00\x00}"),
        ("R:raw", r"\x00\xff"),
        ("R:type", "day"),
    ];
    assert_eq!(values, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[tokio::test]
async fn an_insert_replaces_the_event_and_deletes_what_it_lacks() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Reading>().await.unwrap();
    db.insert(&reading()).await.unwrap();
    let bare = Reading {
        count: None,
        place: None,
        price: None,
        raw: None,
        r#type: None,
        ..reading()
    };
    let row = insert_mutations(&bare, Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(
        deleted(&row),
        ["R:n", "META:place", "R:price", "R:raw", "R:type"]
    );
    db.insert(&bare).await.unwrap();
    assert_eq!(db.get::<Reading>(&bare.key()).await.unwrap(), Some(bare));
}

#[tokio::test]
async fn an_absent_column_is_its_default_or_an_error() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Reading>().await.unwrap();
    let full = insert_mutations(&reading(), Timestamp::UNIX_EPOCH).unwrap();
    let is_value = |mutation: &Mutation| matches!(mutation, Mutation::SetCell { qualifier, .. } if &qualifier[..] == b"value");
    let only: Vec<_> = full
        .mutations
        .iter()
        .filter(|one| is_value(one))
        .cloned()
        .collect();
    let row = RowMutations {
        key: full.key.clone(),
        mutations: only,
    };
    db.mutate_row("READING", row).await.unwrap();
    let read = db.get::<Reading>(&reading().key()).await.unwrap().unwrap();
    assert_eq!(
        (read.quality, read.source.as_str(), read.count),
        (0, "unknown", None)
    );
}

#[tokio::test]
async fn bytes_of_another_type_are_an_error_that_says_where() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Reading>().await.unwrap();
    let mut row = insert_mutations(&reading(), Timestamp::UNIX_EPOCH).unwrap();
    for mutation in &mut row.mutations {
        if let Mutation::SetCell {
            qualifier, value, ..
        } = mutation
            && &qualifier[..] == b"n"
        {
            *value = Bytes::from_static(b"abc");
        }
    }
    db.mutate_row("READING", row).await.unwrap();
    let error = db.get::<Reading>(&reading().key()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "table READING: column R:n of meter=7 at=2017-07-26T00:15:00Z is refused"
    );
    assert!(
        error.source().unwrap().to_string().contains("abc"),
        "{:?}",
        error.source()
    );
}

/// Table `server-metric`: the columns differ between machines.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METRIC", family = "METRIC", marker = "SAMPLE")]
pub struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(column = "CPU/LOAD", text)]
    load: Option<f64>,
    #[bigtable(columns, text)]
    rest: BTreeMap<String, String>,
}

fn metric() -> Metric {
    let rest = [
        ("CPU/CPU1_USR", "0.02"),
        ("CPU/CPU1_NICE", "0.00"),
        ("IO/BLK_READ", "253453634"),
        ("MIO/BLK_WRTN", "657365234"),
    ];
    Metric {
        host: "server1.bbb.com".to_owned(),
        at: Timestamp::from_millis(1_426_535_612_045),
        load: None,
        rest: rest.map(|(a, b)| (a.to_owned(), b.to_owned())).into(),
    }
}

/// Written and found: an error shows their beginning.
#[tokio::test]
async fn long_qualifiers_are_cut_in_errors() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Metric>().await.unwrap();
    let with = |len: usize| Metric {
        rest: [("x".repeat(len), "1".to_owned())].into(),
        ..metric()
    };
    let shown = |error: &Error| format!("{error:?}: {error}");
    let error = db.insert(&with(16_385)).await.unwrap_err();
    assert!(shown(&error).len() < 2_000, "{}", shown(&error).len());
    assert!(shown(&error).contains("xxx... (16385 bytes)"));
    // Bytes that are not text.
    let longest = with(16_384);
    let mut row = insert_mutations(&longest, Timestamp::from_millis(1)).unwrap();
    for mutation in &mut row.mutations {
        if let Mutation::SetCell { value, .. } = mutation {
            *value = Bytes::from_static(b"\xff");
        }
    }
    db.mutate_row("METRIC", row).await.unwrap();
    let error = db.get::<Metric>(&longest.key()).await.unwrap_err();
    assert!(shown(&error).len() < 2_000, "{}", shown(&error).len());
    assert!(shown(&error).contains("xxx... (16384 bytes)"));
}

#[tokio::test]
async fn run_time_columns_are_what_the_family_has_besides() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Metric>().await.unwrap();
    let row = insert_mutations(&metric(), Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(&row.key[..], b"server1.bbb.com#1426535612045");
    assert_eq!(cells(&row)[0].0, "METRIC:SAMPLE");
    db.insert(&metric()).await.unwrap();
    assert_eq!(
        db.get::<Metric>(&metric().key()).await.unwrap(),
        Some(metric())
    );

    let fewer = Metric {
        load: Some(0.5),
        rest: [("IO/BLK_READ".to_owned(), "1".to_owned())].into(),
        ..metric()
    };
    db.insert(&fewer).await.unwrap();
    assert_eq!(
        db.get::<Metric>(&metric().key()).await.unwrap(),
        Some(fewer)
    );
}

/// Earlier values stay readable: cells have the time of the write.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "STOCK", family = "STOCK", cell_time = "write")]
pub struct Close {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, format = "%Y%m%d")]
    day: Timestamp,
    #[bigtable(column = "PRICE", text)]
    price: f64,
}

#[test]
fn cells_carry_the_time_that_is_declared() {
    let close = Close {
        symbol: "ZXZZT".to_owned(),
        day: at("2015-03-01T00:00:00Z"),
        price: 559.4,
    };
    let now = Timestamp::from_micros(1_500_000_000_123_456);
    let row = insert_mutations(&close, now).unwrap();
    assert_eq!(&row.key[..], b"ZXZZT#20150301");
    assert_eq!(
        cells(&row),
        [(
            "STOCK:PRICE".to_owned(),
            "559.4".to_owned(),
            1_500_000_000_123_000
        )]
    );
    let row = insert_mutations(&reading(), now).unwrap();
    assert!(
        cells(&row)
            .iter()
            .all(|cell| cell.2 == 1_501_028_100_000_000)
    );
}

#[tokio::test]
async fn bad_events_of_many_are_named_and_the_others_written() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Close>().await.unwrap();
    let close = |symbol: &str, hour: i64| Close {
        symbol: symbol.to_owned(),
        day: Timestamp::from_seconds(hour * 3600),
        price: 1.0,
    };
    let events = [
        close("A", 0),
        close("B#", 0),
        close("C", 1),
        close("A", 0),
        close("D", 24),
    ];
    let outcome = db.insert_many(&events).await;
    assert_eq!(outcome.written(), 3);
    let failed: Vec<_> = outcome.failed().iter().map(|failed| failed.index).collect();
    assert_eq!(failed, [1, 2]);
    assert!(matches!(outcome.failed()[0].error, Error::Key { .. }));
    assert_eq!(db.count(&Close::scan()).await.unwrap(), 2);
}

/// Times rounded down to seconds.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SECOND", family = "S")]
pub struct Second {
    #[bigtable(key, column = "DIGEST", text)]
    digest: [u8; 2],
    #[bigtable(time, unit = "s", width = 12, truncate, column = "AT", text)]
    at: Timestamp,
    value: i64,
}

#[tokio::test]
async fn of_two_events_that_are_one_after_rounding_the_last_written_wins() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Second>().await.unwrap();
    let second = |at: &str, value| Second {
        digest: [0xde, 0x0f],
        at: self::at(at),
        value,
    };
    db.insert(&second("2015-03-01T00:00:10.7Z", 1))
        .await
        .unwrap();
    db.insert(&second("2015-03-01T00:00:10.3Z", 2))
        .await
        .unwrap();
    let whole = second("2015-03-01T00:00:10Z", 2);
    assert_eq!(
        db.get::<Second>(&whole.key()).await.unwrap(),
        Some(whole.clone())
    );
    db.send(Second::update(&whole.key()).value(5))
        .await
        .unwrap();
    let read = db.get::<Second>(&whole.key()).await.unwrap().unwrap();
    assert_eq!(read.value, 5);
}

#[test]
fn copies_of_segments_read_as_in_the_key() {
    let second = Second {
        digest: [0xde, 0x0f],
        at: at("2015-03-01T00:00:10Z"),
        value: 1,
    };
    let row = insert_mutations(&second, Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(&row.key[..], b"de0f#001425168010");
    let values: Vec<_> = cells(&row).into_iter().map(|cell| cell.1).collect();
    assert_eq!(values[..2], ["de0f", "001425168010"]);
}

#[test]
fn an_entry_of_the_map_can_not_stand_for_a_declared_column() {
    for clash in ["CPU/LOAD", "SAMPLE", &"x".repeat((16 << 10) + 1)] {
        let metric = Metric {
            rest: [(clash.to_owned(), "9".to_owned())].into(),
            ..metric()
        };
        let error = insert_mutations(&metric, Timestamp::UNIX_EPOCH).unwrap_err();
        assert!(
            matches!(&error, Error::Value { column, .. } if column.contains(&clash[..clash.len().min(256)])),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn one_entry_of_the_map_is_deleted() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Metric>().await.unwrap();
    db.insert(&metric()).await.unwrap();
    let key = metric().key();
    db.delete_cell(&key, Metric::FIELDS.rest.entry("IO/BLK_READ"))
        .await
        .unwrap();
    let read = db.get::<Metric>(&key).await.unwrap().unwrap();
    assert!(!read.rest.contains_key("IO/BLK_READ"));
    assert_eq!(read.rest.len(), 3);
}

/// More columns than fit in one request with 1,000 rows.
#[tokio::test]
async fn a_batch_stays_below_the_most_mutations_of_a_request() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Metric>().await.unwrap();
    let wide = |second: i64| Metric {
        at: Timestamp::from_seconds(second),
        rest: (0..150)
            .map(|n| (format!("M{n}"), "1".to_owned()))
            .collect(),
        ..metric()
    };
    let events: Vec<_> = (0..900).map(wide).collect();
    let outcome = db.insert_many(&events).await;
    assert_eq!((outcome.written(), outcome.failed().len()), (900, 0));
}
