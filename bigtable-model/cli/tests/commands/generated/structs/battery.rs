//! What `generate` proposes.
#![allow(dead_code, unused_imports, reason = "as a user has them")]

pub(crate) mod battery_hotspot {
use bigtable_model::{Model, Timestamp};

/// Keys `BATTERY#{at:%Y%m%d%H%M%S%3f}` in table BATTERY_HOTSPOT.
///
/// It reads 5 of 5 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BATTERY_HOTSPOT", family = "METRIC", prefix = "BATTERY", cell_time = "write", allow(time_first))]
pub struct BatteryHotspot {
    /// Sure: 5 values, all dates from 1990 to 2050.
    #[bigtable(time, format = "%Y%m%d%H%M%S%3f")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(column = "PERCENTAGE", text)]
    pub percentage: i64,
    /// Sure: text.
    #[bigtable(column = "USER")]
    pub user: String,
}
}

pub(crate) mod battery_promoted {
use bigtable_model::{Model, Timestamp};

/// Keys `BATTERY#{part_1}#{at:%Y%m%d%H%M%S%3f}` in table BATTERY_PROMOTED.
///
/// It reads 5 of 5 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BATTERY_PROMOTED", family = "METRIC", prefix = "BATTERY", cell_time = "write")]
pub struct BatteryPromoted {
    /// 3 values.
    #[bigtable(key)]
    pub part_1: String,
    /// Sure: 5 values, all dates from 1990 to 2050.
    #[bigtable(time, format = "%Y%m%d%H%M%S%3f")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(column = "PERCENTAGE", text)]
    pub percentage: i64,
}
}

pub(crate) mod battery_salted {
use bigtable_model::{Model, Timestamp};

/// Keys `BATTERY#{part_1}#{at:%Y%m%d%H%M%S%3f}` in table BATTERY_SALTED.
///
/// It reads 5 of 5 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BATTERY_SALTED", family = "METRIC", prefix = "BATTERY", cell_time = "write")]
pub struct BatterySalted {
    /// A guess: 3 values of digits; as a text they are read whatever they are.
    #[bigtable(key)]
    pub part_1: String,
    /// Sure: 5 values, all dates from 1990 to 2050.
    #[bigtable(time, format = "%Y%m%d%H%M%S%3f")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(column = "PERCENTAGE", text)]
    pub percentage: i64,
    /// Sure: text.
    #[bigtable(column = "USER")]
    pub user: String,
}
}
