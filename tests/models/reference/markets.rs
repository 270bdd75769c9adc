//! Quotes and trades.

use bigtable_model::{Model, Timestamp};
use rust_decimal::Decimal;

use super::{decimal, reproduces};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key, width = 6, column = "EXCHANGE", text)]
    exchange: String,
    #[bigtable(key, width = 5, column = "SYMBOL", text)]
    symbol: String,
    #[bigtable(time, unit = "ms", column = "QUOTETIME", text)]
    at: Timestamp,
    #[bigtable(column = "BID", text)]
    bid: Decimal,
    #[bigtable(column = "ASK", text)]
    ask: Decimal,
    #[bigtable(column = "BIDSIZE", text)]
    bid_size: u32,
    #[bigtable(column = "ASKSIZE", text)]
    ask_size: u32,
}

#[tokio::test]
async fn quote() {
    let quote = Quote {
        exchange: "NASDAQ".into(),
        symbol: "ZXZZT".into(),
        at: Timestamp::from_millis(1_426_535_612_156),
        bid: decimal("600.55"),
        ask: decimal("600.60"),
        bid_size: 500,
        ask_size: 1500,
    };
    reproduces("market-quote", &[quote]).await;
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TRADE", family = "MD")]
struct Trade {
    #[bigtable(key, width = 6, column = "EXCHANGE", text)]
    exchange: String,
    #[bigtable(key, width = 5, column = "SYMBOL", text)]
    symbol: String,
    #[bigtable(time, unit = "ms", column = "TRADETIME", text)]
    at: Timestamp,
    #[bigtable(column = "LASTSALE", text)]
    last_sale: Decimal,
    #[bigtable(column = "LASTSIZE", text)]
    last_size: u32,
    #[bigtable(column = "VOLUME", text)]
    volume: u64,
}

#[tokio::test]
async fn trade() {
    let trade = Trade {
        exchange: "NASDAQ".into(),
        symbol: "ZXZZT".into(),
        at: Timestamp::from_millis(1_426_535_612_045),
        last_sale: decimal("600.58"),
        last_size: 300,
        volume: 89_000,
    };
    reproduces("market-trade", &[trade]).await;
}
