//! What `generate` proposes.
#![allow(dead_code, unused_imports, reason = "as a user has them")]

pub(crate) mod weather {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{at:010s}` in table WEATHER.
///
/// It reads 36 of 36 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "WEATHER", family = "OBS", cell_time = "write")]
pub struct Weather {
    /// 3 values.
    #[bigtable(key)]
    pub part_1: String,
    /// Sure: 12 values, all times from 1990 to 2050.
    #[bigtable(time, unit = "s")]
    pub at: Timestamp,
    /// Sure: text.
    #[bigtable(column = "LOCAL_DATE")]
    pub local_date: String,
    /// Sure: numbers as text.
    #[bigtable(column = "TEMP", text)]
    pub temp: f64,
    /// Sure: numbers as text.
    #[bigtable(column = "VISIB", text)]
    pub visib: i64,
    /// Sure: numbers as text, in 27 of 36 rows.
    #[bigtable(column = "WIND", text)]
    pub wind: Option<f64>,
    /// Sure: numbers as text, in 27 of 36 rows.
    #[bigtable(column = "WINDDIR", text)]
    pub winddir: Option<i64>,
}
}

pub(crate) mod reading {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{at:013ms}` in table READING.
///
/// It reads 20 of 20 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING", family = "M", cell_time = "write")]
pub struct Reading {
    /// 2 values.
    #[bigtable(key)]
    pub part_1: String,
    /// Sure: 10 values, all times from 1990 to 2050.
    #[bigtable(time, unit = "ms")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(column = "CELSIUS", text)]
    pub celsius: f64,
    /// Sure: numbers as text.
    #[bigtable(column = "HUMIDITY", text)]
    pub humidity: i64,
}
}

pub(crate) mod trader {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{at:010s}` in table TRADER.
///
/// It reads 24 of 24 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TRADER", family = "T", cell_time = "write")]
pub struct Trader {
    /// 3 values.
    #[bigtable(key)]
    pub part_1: String,
    /// Sure: 8 values, all times from 1990 to 2050.
    #[bigtable(time, unit = "s")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(column = "PRICE", text)]
    pub price: f64,
    /// Sure: numbers as text.
    #[bigtable(column = "SHARES", text)]
    pub shares: i64,
}
}

pub(crate) mod time_first {
use bigtable_model::{Model, Timestamp};

/// Keys `{at:013ms}#{part_2:<6}#{part_3}` in table TIME_FIRST.
///
/// It reads 20 of 20 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TIME_FIRST", family = "MD", cell_time = "write", allow(time_first))]
pub struct TimeFirst {
    /// Sure: 20 values, all times from 1990 to 2050.
    #[bigtable(time, unit = "ms")]
    pub at: Timestamp,
    /// Likely: one value of one width, some of them padded.
    #[bigtable(key, width = 6)]
    pub part_2: String,
    /// 3 values.
    #[bigtable(key)]
    pub part_3: String,
    /// Likely: 8 bytes, as a number neither huge nor tiny.
    pub ask: f64,
    /// Likely: 8 bytes, as a number neither huge nor tiny.
    pub bid: f64,
}
}

pub(crate) mod reversed {
use bigtable_model::{Model, Timestamp};

/// Keys `{at:rev 019ms}#{part_2}#{part_3}` in table REVERSED.
///
/// It reads 20 of 20 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "REVERSED", family = "MD", cell_time = "write", allow(time_first))]
pub struct Reversed {
    /// Sure: 20 values, all times from 1990 to 2050, counted from the end.
    #[bigtable(time, unit = "ms", width = 19, reverse)]
    pub at: Timestamp,
    /// One value.
    #[bigtable(key)]
    pub part_2: String,
    /// 3 values.
    #[bigtable(key)]
    pub part_3: String,
    /// Likely: 8 bytes, as a number neither huge nor tiny.
    pub ask: f64,
    /// Likely: 8 bytes, as a number neither huge nor tiny.
    pub bid: f64,
}
}

pub(crate) mod promoted {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{part_2}#{at:013ms}` in table PROMOTED.
///
/// It reads 20 of 20 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PROMOTED", family = "MD", cell_time = "write")]
pub struct Promoted {
    /// One value.
    #[bigtable(key)]
    pub part_1: String,
    /// 3 values.
    #[bigtable(key)]
    pub part_2: String,
    /// Sure: 20 values, all times from 1990 to 2050.
    #[bigtable(time, unit = "ms")]
    pub at: Timestamp,
    /// Likely: 8 bytes, as a number neither huge nor tiny.
    pub ask: f64,
    /// Likely: 8 bytes, as a number neither huge nor tiny.
    pub bid: f64,
}
}

pub(crate) mod salted {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1:02}#{part_2}#{part_3}#{at:013ms}` in table SALTED.
///
/// It reads 20 of 20 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SALTED", family = "MD", cell_time = "write")]
pub struct Salted {
    /// Likely: 3 values, all digits of one width with leading zeros.
    #[bigtable(key, width = 2)]
    pub part_1: u32,
    /// One value.
    #[bigtable(key)]
    pub part_2: String,
    /// 3 values.
    #[bigtable(key)]
    pub part_3: String,
    /// Sure: 20 values, all times from 1990 to 2050.
    #[bigtable(time, unit = "ms")]
    pub at: Timestamp,
    /// Likely: 8 bytes, as a number neither huge nor tiny.
    pub ask: f64,
    /// Likely: 8 bytes, as a number neither huge nor tiny.
    pub bid: f64,
}
}
