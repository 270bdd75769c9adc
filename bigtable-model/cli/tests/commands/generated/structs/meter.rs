//! What `generate` proposes.
#![allow(dead_code, unused_imports, reason = "as a user has them")]

pub(crate) mod meter_day {
use bigtable_model::{Model, Timestamp};

/// Keys `{id:010}#{at:%Y%m%d}` in table METER_DAY.
///
/// It reads 1 of 1 sampled row, 4 events.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METER_DAY", family = "METER", layout = "columns")]
pub struct MeterDay {
    /// Likely: one value, all digits of one width with leading zeros.
    #[bigtable(key, width = 10, column = "ID")]
    pub id: u64,
    /// Likely: one value, all dates from 1990 to 2050.
    #[bigtable(time, bucket = "day", label = "%Y%m%d", offset = "%H%M")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub value: f64,
}
}

pub(crate) mod meter_of_day {
use bigtable_model::{Model, Timestamp};

/// Keys `{id:010}#{at:%Y%m%d}` in table METER_OF_DAY.
///
/// It reads 1 of 1 sampled row, 4 events.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METER_OF_DAY", family = "METER", layout = "columns")]
pub struct MeterOfDay {
    /// Likely: one value, all digits of one width with leading zeros.
    #[bigtable(key, width = 10, column = "ID")]
    pub id: u64,
    /// Likely: one value, all dates from 1990 to 2050.
    #[bigtable(time, bucket = "day", label = "%Y%m%d", offset = "%H%M")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub value: f64,
}
}
