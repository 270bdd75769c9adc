//! The market tables of Google's documents, byte for byte.

use bigtable_model::model::insert_mutations;
use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
use rust_decimal::Decimal;

use crate::support::{cells, rows};

/// Table `market-quote`.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "QUOTE", family = "MD")]
pub struct Quote {
    #[bigtable(key, width = 6, column = "EXCHANGE")]
    pub exchange: String,
    #[bigtable(key, width = 5, column = "SYMBOL")]
    pub symbol: String,
    #[bigtable(time, unit = "ms", column = "QUOTETIME", text)]
    pub at: Timestamp,
    #[bigtable(column = "BID", text)]
    pub bid: Decimal,
    #[bigtable(column = "ASK", text)]
    pub ask: Decimal,
    #[bigtable(column = "BIDSIZE", text)]
    pub bid_size: Option<u32>,
    #[bigtable(column = "ASKSIZE", text)]
    pub ask_size: Option<u32>,
}

/// Table `market-trade`.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TRADE", family = "MD")]
pub struct Trade {
    #[bigtable(key, width = 6, column = "EXCHANGE")]
    pub exchange: String,
    #[bigtable(key, width = 5, column = "SYMBOL")]
    pub symbol: String,
    #[bigtable(time, unit = "ms", column = "TRADETIME", text)]
    pub at: Timestamp,
    #[bigtable(column = "LASTSALE", text)]
    pub price: Decimal,
    #[bigtable(column = "LASTSIZE", text)]
    pub size: u32,
    #[bigtable(column = "VOLUME", text)]
    pub volume: u64,
}

pub fn quote() -> Quote {
    Quote {
        exchange: "NASDAQ".to_owned(),
        symbol: "ZXZZT".to_owned(),
        at: Timestamp::from_millis(1_426_535_612_156),
        bid: "600.55".parse().unwrap(),
        ask: "600.60".parse().unwrap(),
        bid_size: Some(500),
        ask_size: Some(1500),
    }
}

#[test]
fn quote_is_the_published_row() {
    let row = insert_mutations(&quote(), Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(&row.key[..], b"NASDAQ#ZXZZT#1426535612156");
    let time = 1_426_535_612_156_000;
    let expected = [
        ("MD:EXCHANGE", "NASDAQ"),
        ("MD:SYMBOL", "ZXZZT"),
        ("MD:QUOTETIME", "1426535612156"),
        ("MD:BID", "600.55"),
        ("MD:ASK", "600.60"),
        ("MD:BIDSIZE", "500"),
        ("MD:ASKSIZE", "1500"),
    ];
    let expected = expected.map(|(column, value)| (column.to_owned(), value.to_owned(), time));
    assert_eq!(cells(&row), expected);
}

#[test]
fn trade_is_the_published_row() {
    let trade = Trade {
        exchange: "NASDAQ".to_owned(),
        symbol: "ZXZZT".to_owned(),
        at: Timestamp::from_millis(1_426_535_612_045),
        price: "600.58".parse().unwrap(),
        size: 300,
        volume: 89000,
    };
    let row = insert_mutations(&trade, Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(&row.key[..], b"NASDAQ#ZXZZT#1426535612045");
    let values: Vec<_> = cells(&row)
        .into_iter()
        .map(|cell| (cell.0, cell.1))
        .collect();
    let expected = [
        ("MD:EXCHANGE", "NASDAQ"),
        ("MD:SYMBOL", "ZXZZT"),
        ("MD:TRADETIME", "1426535612045"),
        ("MD:LASTSALE", "600.58"),
        ("MD:LASTSIZE", "300"),
        ("MD:VOLUME", "89000"),
    ];
    assert_eq!(values, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[tokio::test]
async fn a_quote_comes_back_as_it_was_written() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Quote>().await.unwrap();
    db.insert(&quote()).await.unwrap();
    assert_eq!(
        db.get::<Quote>(&quote().key()).await.unwrap(),
        Some(quote())
    );
    let row = &rows(&db, "QUOTE").await[0];
    let qualifiers: Vec<_> = row.cells.iter().map(|cell| &cell.qualifier[..]).collect();
    let ordered: [&[u8]; 7] = [
        b"ASK",
        b"ASKSIZE",
        b"BID",
        b"BIDSIZE",
        b"EXCHANGE",
        b"QUOTETIME",
        b"SYMBOL",
    ];
    assert_eq!(qualifiers, ordered);
}

#[test]
fn shorter_names_are_padded() {
    let row = insert_mutations(
        &Quote {
            exchange: "NYSE".to_owned(),
            symbol: "A".to_owned(),
            ..quote()
        },
        Timestamp::UNIX_EPOCH,
    )
    .unwrap();
    assert_eq!(&row.key[..], b"NYSE  #A    #1426535612156");
}
