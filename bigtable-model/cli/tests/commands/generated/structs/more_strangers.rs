//! What `generate` proposes.
#![allow(dead_code, unused_imports, reason = "as a user has them")]

pub(crate) mod stations {
use bigtable_model::Model;

/// Keys `{part_1:bytes}` in table STATIONS.
///
/// It reads 24 of 24 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "STATIONS", family = "w", separator = "/")]
pub struct Stations {
    /// 24 values, as bytes, since `São Paulo/観測/2024-01-01` has a character that sorts before the separator `/`.
    #[bigtable(key)]
    pub part_1: Vec<u8>,
    /// Sure: text.
    #[bigtable(column = "região")]
    pub regi_o: String,
    /// Sure: numbers as text.
    #[bigtable(column = "気温", text)]
    pub column: f64,
}
}

pub(crate) mod customers {
use bigtable_model::Model;

/// Keys `{part_1}/{part_2}/{part_3:06}` in table CUSTOMERS.
///
/// It reads 20 of 20 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "CUSTOMERS", family = "cdc", separator = "/")]
pub struct Customers {
    /// One value.
    #[bigtable(key)]
    pub part_1: String,
    /// One value.
    #[bigtable(key)]
    pub part_2: String,
    /// Sure: 20 values, all digits of one width with leading zeros.
    #[bigtable(key, width = 6)]
    pub part_3: u32,
    /// Sure: JSON.
    #[bigtable(json)]
    pub doc: serde_json::Value,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub lsn: i64,
    /// Sure: text.
    pub op: String,
}
}

pub(crate) mod visits {
use bigtable_model::Model;

/// Keys `{part_1}` in table VISITS.
///
/// It reads 4 of 4 sampled rows.
/// Not in it: that the 28 columns from 20240101 to 20240128 are named by data: they may be a bucket's times, or a map marked `columns`.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "VISITS", family = "n")]
pub struct Visits {
    /// 4 values.
    #[bigtable(key)]
    pub part_1: String,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240101")]
    pub column_20240101: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240102")]
    pub column_20240102: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240103")]
    pub column_20240103: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240104")]
    pub column_20240104: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240105")]
    pub column_20240105: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240106")]
    pub column_20240106: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240107")]
    pub column_20240107: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240108")]
    pub column_20240108: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240109")]
    pub column_20240109: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240110")]
    pub column_20240110: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240111")]
    pub column_20240111: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240112")]
    pub column_20240112: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240113")]
    pub column_20240113: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240114")]
    pub column_20240114: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240115")]
    pub column_20240115: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240116")]
    pub column_20240116: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240117")]
    pub column_20240117: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240118")]
    pub column_20240118: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240119")]
    pub column_20240119: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240120")]
    pub column_20240120: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240121")]
    pub column_20240121: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240122")]
    pub column_20240122: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240123")]
    pub column_20240123: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240124")]
    pub column_20240124: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240125")]
    pub column_20240125: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240126")]
    pub column_20240126: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240127")]
    pub column_20240127: i64,
    /// Likely: 8 bytes, big-endian, near 0.
    #[bigtable(column = "20240128")]
    pub column_20240128: i64,
}
}

pub(crate) mod sensors {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}:{at:%Y%m%d}` in table SENSORS.
///
/// It reads 9 of 9 sampled rows, 108 events.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SENSORS", family = "s", separator = ":", layout = "cells", allow(kept_forever))]
pub struct Sensors {
    /// 3 values.
    #[bigtable(key)]
    pub part_1: String,
    /// Likely: 3 values, all dates from 1990 to 2050.
    #[bigtable(time, bucket = "day", label = "%Y%m%d")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub celsius: f64,
    /// Sure: numbers as text, not in all events.
    #[bigtable(text)]
    pub humidity: Option<i64>,
}
}

pub(crate) mod pages {
use bigtable_model::Model;

/// Keys `{part_1}` in table PAGES.
///
/// It reads 15 of 15 sampled rows.
/// Not in it: older versions of cells: the newest is read.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PAGES", family = "anchor")]
pub struct Pages {
    /// 15 values.
    #[bigtable(key)]
    pub part_1: String,
    /// Sure: text, in 9 of 15 rows.
    #[bigtable(column = "site0.example")]
    pub site0_example: Option<String>,
    /// Sure: text, in 9 of 15 rows.
    #[bigtable(column = "site1.example")]
    pub site1_example: Option<String>,
    /// Sure: text, in 9 of 15 rows.
    #[bigtable(column = "site2.example")]
    pub site2_example: Option<String>,
    /// Sure: text, in 12 of 15 rows.
    #[bigtable(column = "site3.example")]
    pub site3_example: Option<String>,
    /// Sure: text, in 12 of 15 rows.
    #[bigtable(column = "site4.example")]
    pub site4_example: Option<String>,
    /// Sure: text, in 9 of 15 rows.
    #[bigtable(column = "site5.example")]
    pub site5_example: Option<String>,
    /// Sure: text.
    #[bigtable(family = "contents")]
    pub html: String,
}
}

pub(crate) mod padded {
use bigtable_model::Model;

/// Keys `{part_1:020}` in table PADDED.
///
/// It reads 24 of 24 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PADDED", family = "m")]
pub struct Padded {
    /// Sure: 24 values, all digits of one width with leading zeros.
    #[bigtable(key, width = 20)]
    pub part_1: u128,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub kwh: f64,
}
}
