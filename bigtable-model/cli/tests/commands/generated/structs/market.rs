//! What `generate` proposes.
#![allow(dead_code, unused_imports, reason = "as a user has them")]

pub(crate) mod market_quote {
use bigtable_model::{Model, Timestamp};

/// Keys `{exchange}#{symbol}#{at:013ms}` in table MARKET_QUOTE.
///
/// It reads 1 of 1 sampled row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "MARKET_QUOTE", family = "MD", cell_time = "write")]
pub struct MarketQuote {
    /// One value.
    #[bigtable(key, column = "EXCHANGE")]
    pub exchange: String,
    /// One value.
    #[bigtable(key, column = "SYMBOL")]
    pub symbol: String,
    /// Likely: one value, all times from 1990 to 2050.
    #[bigtable(time, unit = "ms", column = "QUOTETIME", text)]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(column = "ASK", text)]
    pub ask: f64,
    /// Sure: numbers as text.
    #[bigtable(column = "ASKSIZE", text)]
    pub asksize: i64,
    /// Sure: numbers as text.
    #[bigtable(column = "BID", text)]
    pub bid: f64,
    /// Sure: numbers as text.
    #[bigtable(column = "BIDSIZE", text)]
    pub bidsize: i64,
}
}

pub(crate) mod market_trade {
use bigtable_model::{Model, Timestamp};

/// Keys `{exchange}#{symbol}#{at:013ms}` in table MARKET_TRADE.
///
/// It reads 1 of 1 sampled row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "MARKET_TRADE", family = "MD", cell_time = "write")]
pub struct MarketTrade {
    /// One value.
    #[bigtable(key, column = "EXCHANGE")]
    pub exchange: String,
    /// One value.
    #[bigtable(key, column = "SYMBOL")]
    pub symbol: String,
    /// Likely: one value, all times from 1990 to 2050.
    #[bigtable(time, unit = "ms", column = "TRADETIME", text)]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(column = "LASTSALE", text)]
    pub lastsale: f64,
    /// Sure: numbers as text.
    #[bigtable(column = "LASTSIZE", text)]
    pub lastsize: i64,
    /// Sure: numbers as text.
    #[bigtable(column = "VOLUME", text)]
    pub volume: i64,
}
}
