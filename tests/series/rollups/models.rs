//! One kind of trade in several layouts, each with the roll-up that its trades have.

use bigtable_model::query::{ByKey, ByTime, Erased, Query};
use bigtable_model::rollup::{Level, Rollup, RollupError};
use bigtable_model::{Backend, Error, Model, Timestamp};
use futures::future::BoxFuture;

/// A trade in plain values: symbol, millisecond, price and shares.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plain {
    pub(super) symbol: String,
    pub(super) millis: i64,
    pub(super) price: i64,
    pub(super) shares: Option<i64>,
}

/// What trades come to, in plain values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlainBar {
    pub(super) start: i64,
    pub(super) symbol: String,
    pub(super) trades: u64,
    pub(super) shares: i64,
    pub(super) ohlc: (i64, i64, i64, i64),
}

pub(super) trait Trade: Model<Key: Clone> + Clone {
    type Bar: Bar<Source = Self>;
    /// The tables of the roll-up, with the milliseconds of their buckets.
    const TABLES: [(&'static str, i64); 3];

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

pub(super) trait Bar: Rollup + Clone + PartialEq + std::fmt::Debug {
    fn plain(&self) -> PlainBar;
    fn all() -> Query<Self, Erased<ByKey>, Self>;
}

macro_rules! trades {
    ($module:ident, [$($table:tt)*], [$($time:tt)*], $minutes:literal, $hours:literal, $days:literal) => {
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

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = $minutes, family = "B")]
            pub(crate) struct Minute {
                #[bigtable(key)]
                symbol: String,
                #[bigtable(time, unit = "s")]
                start: Timestamp,
                trades: u64,
                shares: i64,
                open: i64,
                high: i64,
                low: i64,
                close: i64,
            }

            impl Rollup for Minute {
                type Source = Trade;
                const LEVELS: &'static [Level] = &[
                    Level::minutes(1),
                    Level::hours(1).in_table($hours),
                    Level::days(1).in_table($days),
                ];

                fn of(trade: &Trade, start: Timestamp) -> Self {
                    let price = trade.price;
                    Self {
                        symbol: trade.symbol.clone(),
                        start,
                        trades: 1,
                        shares: trade.shares.unwrap_or(0),
                        open: price,
                        high: price,
                        low: price,
                        close: price,
                    }
                }

                fn merge(&mut self, later: &Self) -> Result<(), RollupError> {
                    self.trades += later.trades;
                    let shares = self.shares.checked_add(later.shares);
                    self.shares = shares.ok_or(RollupError::Overflow { column: "shares" })?;
                    self.high = self.high.max(later.high);
                    self.low = self.low.min(later.low);
                    self.close = later.close;
                    Ok(())
                }

                fn starting(self, start: Timestamp) -> Self {
                    Self { start, ..self }
                }
            }

            impl super::Bar for Minute {
                fn plain(&self) -> PlainBar {
                    PlainBar {
                        start: self.start.as_millis(),
                        symbol: self.symbol.clone(),
                        trades: self.trades,
                        shares: self.shares,
                        ohlc: (self.open, self.high, self.low, self.close),
                    }
                }

                fn all() -> Query<Self, Erased<ByKey>, Self> {
                    Self::query().scan().erase()
                }
            }

            impl super::Trade for Trade {
                type Bar = Minute;
                const TABLES: [(&'static str, i64); 3] =
                    [($minutes, 60_000), ($hours, 3_600_000), ($days, 86_400_000)];

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
                    Self::update(key).price(price).send(db)
                }

                fn asked(symbols: &[&str], from: i64, to: i64) -> Query<Self, Erased<ByTime>, Self> {
                    let at = Timestamp::from_millis;
                    Self::query().symbol(symbols).at(at(from)..at(to)).erase()
                }
            }
        }
    };
}

trades!(
    rows,
    [table = "TRADE"],
    [time, unit = "ms"],
    "MINUTE",
    "HOUR",
    "DAY"
);
trades!(
    cells,
    [table = "CTRADE", layout = "cells"],
    [time, bucket = "day"],
    "CMINUTE",
    "CHOUR",
    "CDAY"
);
trades!(
    columns,
    [
        table = "OTRADE",
        layout = "columns",
        salt(shards = 3, of(symbol, at))
    ],
    [time, bucket = "hour"],
    "OMINUTE",
    "OHOUR",
    "ODAY"
);
