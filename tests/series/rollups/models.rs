//! Trades in several layouts, each with its roll-up.

use bigtable_model::model::Editable;
use bigtable_model::query::{ByKey, ByTime, Erased, Query};
use bigtable_model::rollup::{Mean, Rollup};
use bigtable_model::{Backend, BackendExt, Error, Model, Timestamp};
use futures::future::BoxFuture;

/// A trade as plain values: symbol, millisecond, price and shares.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plain {
    pub(super) symbol: String,
    pub(super) millis: i64,
    pub(super) price: i64,
    pub(super) shares: Option<i64>,
}

/// The aggregate of trades as plain values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlainBar {
    pub(super) start: i64,
    pub(super) symbol: String,
    pub(super) trades: u64,
    /// The number of trades with known shares, the sum of shares, and their value.
    pub(super) shares: (u32, i64, Option<i64>),
    pub(super) ohlc: (i64, i64, i64, i64),
    /// The first and the last known number of shares.
    pub(super) ends: (Option<i64>, Option<i64>),
    pub(super) mean: f64,
}

pub(super) trait Trade: Editable<Key: Clone> + Clone {
    type Bar: Bar<Source = Self>;
    /// The time of the first trade in milliseconds.
    const START: i64;
    /// The tables of the roll-up, with the lengths of their buckets as text.
    const TABLES: [(&'static str, &'static str); 3];
    /// The time zone of its calendar.
    const ZONE: &'static str;

    fn of(plain: Plain) -> Self;
    fn plain(&self) -> Plain;
    fn key_of(symbol: &str, millis: i64) -> Self::Key;
    fn correct<'a>(
        key: &Self::Key,
        price: i64,
        db: &'a dyn Backend,
    ) -> BoxFuture<'a, Result<(), Error>>;
    fn asked(symbols: &[&str], from: i64, to: i64) -> Query<Self, Erased<ByTime>, Self>;
}

pub(super) trait Bar:
    Rollup + Model<Series = String> + Clone + PartialEq + std::fmt::Debug
{
    fn plain(&self) -> PlainBar;
    fn all() -> Query<Self, Erased<ByKey>, Self>;
}

macro_rules! trades {
    (
        $module:ident, $minutes:literal, [$($table:tt)*], [$($time:tt)*], [$($level:tt)*], $start:literal, $zone:literal,
        [$(($tables:literal, $lengths:literal)),*]
    ) => {
        pub(super) mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(family = "T", rollup(Minute), $($table)*)]
            pub(crate) struct Trade {
                #[bigtable(key)]
                symbol: String,
                #[bigtable($($time)*)]
                at: Timestamp,
                price: i64,
                shares: Option<i64>,
            }

            impl Trade {
                fn cost(&self) -> Option<i64> {
                    self.shares.map(|shares| shares * self.price)
                }
            }

            #[derive(Debug, Clone, PartialEq, Model, Rollup)]
            #[bigtable(table = $minutes, family = "B")]
            #[rollup(of = Trade, $($level)*)]
            pub(crate) struct Minute {
                #[bigtable(key)]
                symbol: String,
                #[bigtable(time, unit = "s")]
                start: Timestamp,
                #[rollup(count)]
                trades: u64,
                #[rollup(count(shares))]
                known: u32,
                #[rollup(sum)]
                shares: i64,
                #[rollup(sum(by = Trade::cost))]
                cost: Option<i64>,
                #[rollup(first(price))]
                open: i64,
                #[rollup(max(price))]
                high: i64,
                #[rollup(min(price))]
                low: i64,
                #[rollup(last(price))]
                close: i64,
                #[rollup(first(shares))]
                first: Option<i64>,
                #[rollup(last(shares))]
                last: Option<i64>,
                #[rollup(mean(price))]
                mean: Mean,
            }

            impl super::Bar for Minute {
                fn plain(&self) -> PlainBar {
                    PlainBar {
                        start: self.start.as_millis(),
                        symbol: self.symbol.clone(),
                        trades: self.trades,
                        shares: (self.known, self.shares, self.cost),
                        ohlc: (self.open, self.high, self.low, self.close),
                        ends: (self.first, self.last),
                        mean: self.mean.value().unwrap(),
                    }
                }

                fn all() -> Query<Self, Erased<ByKey>, Self> {
                    Self::scan().events().erase()
                }
            }

            impl super::Trade for Trade {
                type Bar = Minute;
                const START: i64 = $start;
                const TABLES: [(&'static str, &'static str); 3] = [$(($tables, $lengths)),*];
                const ZONE: &'static str = $zone;

                fn of(plain: Plain) -> Self {
                    Self {
                        symbol: plain.symbol,
                        at: Timestamp::from_millis(plain.millis),
                        price: plain.price,
                        shares: plain.shares,
                    }
                }

                fn plain(&self) -> Plain {
                    Plain {
                        symbol: self.symbol.clone(),
                        millis: self.at.as_millis(),
                        price: self.price,
                        shares: self.shares,
                    }
                }

                fn key_of(symbol: &str, millis: i64) -> TradeKey {
                    TradeKey {
                        symbol: symbol.to_owned(),
                        at: Timestamp::from_millis(millis),
                    }
                }

                fn correct<'a>(
                    key: &TradeKey,
                    price: i64,
                    db: &'a dyn Backend,
                ) -> BoxFuture<'a, Result<(), Error>> {
                    db.send(Self::update(key).price(price))
                }

                fn asked(symbols: &[&str], from: i64, to: i64) -> Query<Self, Erased<ByTime>, Self> {
                    let at = Timestamp::from_millis;
                    Self::query().symbol(symbols).at(at(from)..at(to)).events().erase()
                }
            }
        }
    };
}

// 2024-11-01: clocks go back in New York on the 3rd.
trades!(
    rows,
    "MINUTE",
    [table = "TRADE"],
    [time, unit = "ms"],
    [
        every = "1m",
        longer(every = "1h", table = "HOUR"),
        longer(every = "1d", table = "DAY")
    ],
    1_730_419_200_000,
    "America/New_York",
    [
        ("MINUTE", "60 seconds"),
        ("HOUR", "3600 seconds"),
        ("DAY", "86400 seconds")
    ]
);
trades!(
    cells,
    "CHOUR",
    [table = "CTRADE", layout = "cells"],
    [time, bucket = "day"],
    [
        every = "hour",
        longer(every = "day", zone = "America/New_York", table = "CDAY"),
        longer(every = "month", zone = "America/New_York", table = "CMONTH")
    ],
    1_730_419_200_000,
    "America/New_York",
    [
        ("CHOUR", "3600 seconds"),
        ("CDAY", "1 day in America/New_York"),
        ("CMONTH", "1 month in America/New_York")
    ]
);
// 2024-10-04: clocks go forward by half an hour on Lord Howe on the 6th, so hours of its days do
// not align with hours.
trades!(
    columns,
    "OMINUTE",
    [
        table = "OTRADE",
        layout = "columns",
        salt(shards = 3, of(symbol, at))
    ],
    [time, bucket = "hour"],
    [
        every = "1m",
        longer(every = "1h", table = "OHOUR"),
        longer(every = "day", zone = "Australia/Lord_Howe", table = "ODAY")
    ],
    1_728_000_000_000,
    "Australia/Lord_Howe",
    [
        ("OMINUTE", "60 seconds"),
        ("OHOUR", "3600 seconds"),
        ("ODAY", "1 day in Australia/Lord_Howe")
    ]
);
// 2011-12-28: Apia skips the 30th.
trades!(
    weeks,
    "WDAY",
    [table = "WTRADE"],
    [time, unit = "ms"],
    [
        every = "day",
        zone = "Pacific/Apia",
        longer(every = "week", zone = "Pacific/Apia", table = "WWEEK"),
        longer(every = "year", zone = "Pacific/Apia", table = "WYEAR")
    ],
    1_325_030_400_000,
    "Pacific/Apia",
    [
        ("WDAY", "1 day in Pacific/Apia"),
        ("WWEEK", "1 week in Pacific/Apia"),
        ("WYEAR", "1 year in Pacific/Apia")
    ]
);
