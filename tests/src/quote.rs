//! The market quote for benchmarks and tests of keys.

use bigtable_model::{Model, Timestamp};

/// A quote with the key `NASDAQ#ZXZZT#1426535612156`.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "QUOTE", family = "MD")]
pub struct Quote {
    /// Padded to 6 bytes.
    #[bigtable(key, width = 6)]
    pub exchange: String,
    /// Padded to 5 bytes.
    #[bigtable(key, width = 5)]
    pub symbol: String,
    /// Milliseconds in 13 digits.
    #[bigtable(time, unit = "ms")]
    pub at: Timestamp,
    /// The price that buyers offer.
    #[bigtable(column = "BID")]
    pub bid: f64,
    /// The number of shares.
    #[bigtable(column = "BIDSIZE")]
    pub bid_size: Option<u32>,
}
