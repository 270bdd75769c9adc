//! The history of a column: what a cell held before it was corrected.

use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::model::{Version, WholeEvent, insert_mutations};
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, Timestamp};
use rust_decimal::Decimal;

use crate::support::{at, backends};

/// A closing price; corrections leave the previous price readable.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "CLOSE", family = "STOCK", cell_time = "write")]
struct Close {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, format = "%Y%m%d")]
    day: Timestamp,
    #[bigtable(column = "PRICE", text)]
    price: Decimal,
    #[bigtable(column = "VOLUME", text)]
    volume: Option<u64>,
}

/// The same, a month in a row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "MONTH",
    family = "STOCK",
    layout = "columns",
    cell_time = "write"
)]
struct InMonth {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "month", offset = "%d")]
    day: Timestamp,
    #[bigtable(column = "PRICE", text)]
    price: Decimal,
    #[bigtable(column = "VOLUME", text)]
    volume: Option<u64>,
}

/// The same serialised.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BLOB", family = "STOCK", cell_time = "write", serialize(json))]
struct Blob {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, format = "%Y%m%d")]
    day: Timestamp,
    price: f64,
    volume: Option<u64>,
}

/// A cell for each event, at its time.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "CELLS", family = "STOCK", layout = "cells")]
struct InCells {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "month")]
    day: Timestamp,
    #[bigtable(text)]
    price: Decimal,
}

/// A qualifier for each event.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "VALUES", family = "STOCK", layout = "qualifiers")]
struct InQualifiers {
    #[bigtable(key, column = "SYMBOL", family = "ROW")]
    symbol: String,
    #[bigtable(time, bucket = "month")]
    day: Timestamp,
    #[bigtable(text)]
    price: Decimal,
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn day() -> Timestamp {
    at("2015-03-01T00:00:00Z")
}

/// The times when the price was entered and corrected.
fn entered() -> Timestamp {
    at("2015-03-01T21:00:00.125Z")
}

fn corrected() -> Timestamp {
    at("2015-03-02T08:30:00Z")
}

fn close(price: &str) -> Close {
    Close {
        symbol: "ZXZZT".to_owned(),
        day: day(),
        price: decimal(price),
        volume: Some(7),
    }
}

async fn insert_at<M: Model>(db: &dyn Backend, event: &M, now: Timestamp) {
    let row = insert_mutations(event, now).unwrap();
    db.mutate_row(M::SCHEMA.table.fixed().unwrap(), row)
        .await
        .unwrap();
}

fn version<T>(time: Timestamp, value: T) -> Version<T> {
    Version { time, value }
}

/// The document's advice: use versions for corrections.
#[tokio::test]
async fn a_corrected_price_stays_readable() {
    for db in backends("history", "close") {
        db.ensure_tables::<Close>().await.unwrap();
        // The previous day's price is not a version of this one.
        let before = Close {
            day: at("2015-02-28T00:00:00Z"),
            ..close("1.00")
        };
        insert_at(&*db, &before, entered()).await;
        insert_at(&*db, &close("559.40"), entered()).await;
        insert_at(&*db, &close("558.40"), corrected()).await;
        let key = close("558.40").key();
        let read: Option<Close> = db.get(&key).await.unwrap();
        assert_eq!(read.unwrap().price, decimal("558.40"));
        let prices = db.history(&key, Close::FIELDS.price).await.unwrap();
        let expected = [
            version(corrected(), decimal("558.40")),
            version(entered(), decimal("559.40")),
        ];
        assert_eq!(prices, expected);
        let newest = db.history(&key, Close::FIELDS.price).newest(1).await;
        assert_eq!(newest.unwrap(), expected[..1]);
        let all = db.history(&key, Close::FIELDS.price).newest(usize::MAX);
        assert_eq!(all.await.unwrap(), expected);
        let none = db.history(&key, Close::FIELDS.price).newest(0).await;
        assert_eq!(none.unwrap(), []);
        let other = CloseKey {
            symbol: "ZXZZU".to_owned(),
            day: day(),
        };
        assert_eq!(db.history(&other, Close::FIELDS.price).await.unwrap(), []);

        // Like an insert, an update keeps the previous value; it does not change other columns.
        db.send(Close::update(&key).price(decimal("558.45")))
            .await
            .unwrap();
        let prices = db.history(&key, Close::FIELDS.price).await.unwrap();
        assert_eq!(
            (prices[0].value, &prices[1..]),
            (decimal("558.45"), &expected[..])
        );
        let volumes = db.history(&key, Close::FIELDS.volume).await.unwrap();
        let times: Vec<_> = volumes.iter().map(|one| one.time).collect();
        assert_eq!(
            (times, volumes[0].value),
            (vec![corrected(), entered()], Some(7))
        );

        // A delete removes all versions.
        db.delete_cell(&key, Close::FIELDS.volume).await.unwrap();
        assert_eq!(db.history(&key, Close::FIELDS.volume).await.unwrap(), []);
    }
}

#[tokio::test]
async fn columns_of_a_bucket_have_their_own_versions() {
    for db in backends("history", "month") {
        db.ensure_tables::<InMonth>().await.unwrap();
        let of = |day: &str, price: &str| InMonth {
            symbol: "ZXZZT".to_owned(),
            day: at(day),
            price: decimal(price),
            volume: None,
        };
        insert_at(&*db, &of("2015-03-01T00:00:00Z", "559.40"), entered()).await;
        insert_at(&*db, &of("2015-03-02T00:00:00Z", "571.34"), entered()).await;
        insert_at(&*db, &of("2015-03-01T00:00:00Z", "558.40"), corrected()).await;
        let key = of("2015-03-01T00:00:00Z", "0").key();
        let prices = db.history(&key, InMonth::FIELDS.price).await.unwrap();
        let expected = [
            version(corrected(), decimal("558.40")),
            version(entered(), decimal("559.40")),
        ];
        assert_eq!(prices, expected);
        assert_eq!(db.history(&key, InMonth::FIELDS.volume).await.unwrap(), []);
    }
}

#[tokio::test]
async fn serialised_events_have_versions_as_a_whole_and_by_field() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Blob>().await.unwrap();
    let of = |price: f64, volume: Option<u64>| Blob {
        symbol: "ZXZZT".to_owned(),
        day: day(),
        price,
        volume,
    };
    let (first, second) = (of(559.40, None), of(558.40, Some(7)));
    insert_at(&db, &first, entered()).await;
    insert_at(&db, &second, corrected()).await;
    let key = first.key();
    let events = db.history(&key, WholeEvent::<Blob>::new()).await.unwrap();
    let expected = [version(corrected(), second), version(entered(), first)];
    assert_eq!(events, expected);
    let newest = db
        .history(&key, WholeEvent::<Blob>::new())
        .newest(1)
        .await
        .unwrap();
    assert_eq!(newest, expected[..1]);
    let volumes = db.history(&key, Blob::FIELDS.volume).await.unwrap();
    let expected = [version(corrected(), Some(7)), version(entered(), None)];
    assert_eq!(volumes, expected);
}

#[tokio::test]
async fn events_at_their_time_have_one_version() {
    for db in backends("history", "cells") {
        db.ensure_tables::<InCells>().await.unwrap();
        db.ensure_tables::<InQualifiers>().await.unwrap();
        let symbol = "ZXZZT".to_owned();
        for (date, price) in [("2015-03-01", "558.40"), ("2015-03-02", "571.34")] {
            let (day, price) = (at(&format!("{date}T00:00:00Z")), decimal(price));
            let symbol = symbol.clone();
            let event = InCells {
                symbol: symbol.clone(),
                day,
                price,
            };
            db.insert(&event).await.unwrap();
            db.insert(&InQualifiers { symbol, day, price })
                .await
                .unwrap();
        }
        let expected = [version(day(), decimal("558.40"))];
        let key = InCellsKey {
            symbol: symbol.clone(),
            day: day(),
        };
        let prices = db.history(&key, InCells::FIELDS.price).await.unwrap();
        assert_eq!(prices, expected);
        let key = InQualifiersKey { symbol, day: day() };
        let prices = db.history(&key, InQualifiers::FIELDS.price).await.unwrap();
        assert_eq!(prices, expected);
    }
}

#[tokio::test]
async fn bytes_that_are_no_value_are_told_with_their_time() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Close>().await.unwrap();
    let key = close("0").key();
    for (time, value) in [(entered(), "five hundred"), (corrected(), "558.40")] {
        let price = Mutation::SetCell {
            family: "STOCK".into(),
            qualifier: "PRICE".into(),
            timestamp_micros: time.as_micros(),
            value: value.into(),
        };
        let row = RowMutations {
            key: "ZXZZT#20150301".into(),
            mutations: vec![price],
        };
        db.mutate_row("CLOSE", row).await.unwrap();
    }
    let newest = db.history(&key, Close::FIELDS.price).newest(1).await;
    assert_eq!(newest.unwrap().len(), 1);
    let refused = db.history(&key, Close::FIELDS.price).await.unwrap_err();
    let Error::Version { column, time, .. } = &refused else {
        panic!("{refused:?}")
    };
    assert_eq!((column.as_str(), *time), ("STOCK:PRICE", entered()));
    let shown = refused.to_string();
    assert!(shown.contains("symbol=ZXZZT day=2015-03-01"), "{shown}");
    assert!(shown.contains("2015-03-01T21:00:00.125Z"), "{shown}");
    let no_key = CloseKey {
        symbol: "Z#Z".to_owned(),
        day: day(),
    };
    let refused = db.history(&no_key, Close::FIELDS.price).await.unwrap_err();
    assert!(matches!(refused, Error::Key { .. }), "{refused:?}");
}
